"""Queries that people type, and the ones behind `mathmart show`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import duckdb

SHOW_FOLDER = Path(__file__).with_name("show")
# A statement that DuckDB splits in two (PIVOT makes a type first) must begin like a query to count
# as one.
QUERY_WORDS = re.compile(
    r"\s*\(*\s*(select|from|with|pivot|pivot_wider|unpivot|values|table|describe|show|summarize)\b",
    re.IGNORECASE,
)
PLAN_COLUMNS = ["explain_key", "explain_value"]
FETCH_ROWS = 10_000  # held in memory at a time
EXPLAIN = re.compile(r"\s*explain\s+(analyze\s+)?", re.IGNORECASE)


class NotAQuery(ValueError):
    """The text is something else than one query."""


def shown() -> list[str]:
    """The names `mathmart show` knows, each a SQL file of the show folder."""
    return sorted(path.stem.replace("_", "-") for path in SHOW_FOLDER.glob("*.sql"))


def show_sql(name: str) -> str:
    """The query behind `mathmart show <name>`."""
    return (SHOW_FOLDER / f"{name.replace('-', '_')}.sql").read_text(encoding="utf-8")


def title(name: str) -> str:
    """The first line of the query's file, a comment that says what it shows."""
    return show_sql(name).splitlines()[0].removeprefix("--").strip()


def restrict(connection: duckdb.DuckDBPyConnection) -> None:
    """Takes from a connection what a typed query has no business with.

    No extension is fetched or loaded, no Python variable of ours is taken for a table, and the
    settings stay as they are. Reading one's own files (`from 'mine.csv'`) stays possible; nothing
    can be written, as `check_query` lets nothing but queries pass.
    """
    for setting in (
        "autoinstall_known_extensions = false",
        "autoload_known_extensions = false",
        "python_enable_replacements = false",
        "lock_configuration = true",
    ):
        connection.execute(f"set {setting}")


def is_built(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether the warehouse has marts, of any build."""
    query = "select schema_name from information_schema.schemata where schema_name = 'marts'"
    return connection.execute(query).fetchone() is not None


def check_query(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Raises NotAQuery unless `sql` is one SELECT, or an EXPLAIN of one. Parser errors pass
    through.
    """
    statements = connection.extract_statements(sql)
    if len(statements) != 1:
        raise NotAQuery(f"one query at a time, please: there are {len(statements)} statements")
    kind = statements[0].type
    if kind == duckdb.StatementType.EXPLAIN:
        # EXPLAIN ANALYZE runs what it explains.
        inner = EXPLAIN.sub("", sql, count=1)
        try:
            check_query(connection, inner)
        except duckdb.Error as error:
            raise NotAQuery("only a plain query can be explained") from error
    elif kind == duckdb.StatementType.MULTI:
        if not QUERY_WORDS.match(sql):
            raise NotAQuery("`mathmart sql` only reads: the text must begin as a query does")
    elif kind != duckdb.StatementType.SELECT:
        raise NotAQuery(
            f"`mathmart sql` only reads, and this is a {kind.name} statement. "
            "To write results to files: mathmart export, or --csv and --json"
        )


def run(connection: duckdb.DuckDBPyConnection, sql: str) -> tuple[list[str], Iterator[tuple]]:
    """The column names and the rows of a query, fetched as they are read."""
    result = connection.execute(sql)
    return [column[0] for column in result.description or []], _rows(result)


def _rows(result: duckdb.DuckDBPyConnection) -> Iterator[tuple]:
    while batch := result.fetchmany(FETCH_ROWS):
        yield from batch
