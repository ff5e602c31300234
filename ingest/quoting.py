"""Names and texts as parts of SQL, for the places where DuckDB takes no parameters."""

from __future__ import annotations


def literal(text: object) -> str:
    """`text` as an SQL string."""
    return "'" + str(text).replace("'", "''") + "'"


def identifier(name: str) -> str:
    """`name` as an SQL identifier, whatever characters it holds."""
    return '"' + name.replace('"', '""') + '"'
