"""What stands between the command line and the warehouse: tables, progress, dbt runs, exports,
health.
"""
