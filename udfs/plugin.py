"""The dbt-duckdb plugin that gives the models their functions. The only module that knows dbt."""

from __future__ import annotations

from dbt.adapters.duckdb.plugins import BasePlugin
from duckdb import DuckDBPyConnection

from udfs.registry import register


class Plugin(BasePlugin):
    """Registers the functions of `udfs.registry` on the connection dbt builds with."""

    def configure_connection(self, conn: DuckDBPyConnection) -> None:
        register(conn)
