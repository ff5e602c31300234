"""The functions that SQL may call, registered on one DuckDB connection.

Each function takes and gives Arrow columns, whole vectors at a time; NULL inputs reach it (special NULL
handling), and nothing it is given makes it raise. For analysts: `extract_answer`, `normalise_answer`,
`equivalent`, `embedding_similarity`. For the models: the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from inspect import Parameter, Signature
from pathlib import Path

import duckdb
import pyarrow as pa
from duckdb.func import ARROW, NATIVE, SPECIAL, PythonUDFType

from udfs import equivalence, similarity
from udfs.extraction import EXTRACTOR_VERSION, answer_form, extract
from udfs.journal import SUFFIX, Journal
from udfs.judging import judge_all, judge_columns
from udfs.matching import matched_pairs
from udfs.policy import DEFAULT
from udfs.progress import Progress

DEFAULT_SPEC = DEFAULT.spec()

# "judge.extractor": a new extraction is a new version of the whole judgement, whose verdicts stand beside the old.
JUDGE_VERSION = f"{equivalence.JUDGE_VERSION}.{EXTRACTOR_VERSION}"

EXTRACTION = pa.struct(
    [("answer", pa.string()), ("method", pa.string()), ("is_truncated", pa.bool_())]
)
VERDICT = pa.struct(
    [("verdict", pa.bool_()), ("method", pa.string()), ("milliseconds", pa.float64())]
)
CLASSES = pa.list_(pa.int32())


@dataclass(frozen=True)
class Function:
    """One SQL function: its Python body over lists of values, and its SQL types."""

    name: str
    body: Callable[..., list]
    parameters: tuple[str, ...]
    returns: str
    arrow_type: pa.DataType


def _extract_answer(responses: Sequence[str | None]) -> list[str | None]:
    return [extract(response, DEFAULT_SPEC, None).answer for response in responses]


def _extract_answer_details(
    specs: Sequence[str | None],
    responses: Sequence[str | None],
    forms: Sequence[str | None],
) -> list[dict]:
    extractions = (
        extract(response, spec, form)
        for spec, response, form in zip(specs, responses, forms, strict=True)
    )
    return [
        {"answer": e.answer, "method": e.method, "is_truncated": e.is_truncated}
        for e in extractions
    ]


def _answer_form(golds: Sequence[str | None]) -> list[str | None]:
    return [answer_form(gold) for gold in golds]


def _normalise_answer(answers: Sequence[str | None]) -> list[str | None]:
    return [
        None if answer is None else equivalence.normalise(answer, DEFAULT_SPEC)
        for answer in answers
    ]


def _equivalent(golds: Sequence[str | None], answers: Sequence[str | None]) -> list[bool | None]:
    pairs = zip([DEFAULT_SPEC] * len(golds), golds, answers, strict=True)
    return [v.verdict for v in judge_all(pairs, Journal(None), Progress("equivalence"))]


def _answer_classes(
    specs: Sequence[str | None], answers: Sequence[Sequence[str | None] | None]
) -> list[list[int] | None]:
    return [
        None if some is None else equivalence.classes(some, spec)
        for spec, some in zip(specs, answers, strict=True)
    ]


def _matched_pairs(
    lefts: Sequence[Sequence[int | None] | None], rights: Sequence[Sequence[int | None] | None]
) -> list[int | None]:
    return [matched_pairs(left, right) for left, right in zip(lefts, rights, strict=True)]


def _functions(journal: Journal) -> tuple[Function, ...]:
    progress = Progress("judging answers")
    extracting = Progress("extracting answers")

    def judge_answer(
        specs: Sequence[str | None], golds: Sequence[str | None], answers: Sequence[str | None]
    ) -> list[dict]:
        return judge_columns(specs, golds, answers, journal, progress)

    def extract_details(
        specs: Sequence[str | None],
        responses: Sequence[str | None],
        forms: Sequence[str | None],
    ) -> list[dict]:
        extracting.begin()
        details = _extract_answer_details(specs, responses, forms)
        extracting.advance(len(details))
        return details

    return (
        Function("extract_answer", _extract_answer, ("VARCHAR",), "VARCHAR", pa.string()),
        Function("normalise_answer", _normalise_answer, ("VARCHAR",), "VARCHAR", pa.string()),
        Function("equivalent", _equivalent, ("VARCHAR", "VARCHAR"), "BOOLEAN", pa.bool_()),
        Function(
            "embedding_similarity",
            similarity.similarities,
            ("VARCHAR", "VARCHAR"),
            "DOUBLE",
            pa.float64(),
        ),
        Function("answer_form", _answer_form, ("VARCHAR",), "VARCHAR", pa.string()),
        Function(
            "extract_answer_details",
            extract_details,
            ("VARCHAR", "VARCHAR", "VARCHAR"),
            "STRUCT(answer VARCHAR, method VARCHAR, is_truncated BOOLEAN)",
            EXTRACTION,
        ),
        Function(
            "judge_answer",
            judge_answer,
            ("VARCHAR", "VARCHAR", "VARCHAR"),
            "STRUCT(verdict BOOLEAN, method VARCHAR, milliseconds DOUBLE)",
            VERDICT,
        ),
        Function("answer_classes", _answer_classes, ("VARCHAR", "VARCHAR[]"), "INTEGER[]", CLASSES),
        Function(
            "matched_pairs", _matched_pairs, ("INTEGER[]", "INTEGER[]"), "INTEGER", pa.int32()
        ),
    )


def _vectorised(function: Function) -> Callable[..., pa.Array]:
    """The Arrow form of a function over lists."""

    def call(*columns: pa.ChunkedArray) -> pa.Array:
        values = function.body(*(column.to_pylist() for column in columns))
        return pa.array(values, function.arrow_type)

    # DuckDB counts the parameters by the signature, and takes `*columns` for one.
    names = [f"column_{position}" for position in range(len(function.parameters))]
    call.__signature__ = Signature(  # type: ignore[attr-defined]
        [Parameter(name, Parameter.POSITIONAL_ONLY) for name in names]
    )
    return call


def _journal_path(connection: duckdb.DuckDBPyConnection) -> Path | None:
    """Beside the database file that the connection writes to; None in memory and for readers."""
    database = connection.execute(
        "select path from duckdb_databases() "
        "where database_name = current_database() and path is not null and not readonly"
    ).fetchall()
    return Path(database[0][0] + SUFFIX) if database else None


def _constant(value: str) -> Callable[[], str]:
    return lambda: value


def register(connection: duckdb.DuckDBPyConnection) -> None:
    """Registers every function on a connection; on one that has them already, replaces them.

    Where the connection may write to a database file, verdicts under way are journalled beside that file.
    """
    journal = Journal(_journal_path(connection))
    for function in _functions(journal):
        _replace(
            connection,
            function.name,
            _vectorised(function),
            list(function.parameters),
            function.returns,
            ARROW,
        )
    for name, version in (
        ("judge_version", JUDGE_VERSION),
        ("extractor_version", EXTRACTOR_VERSION),
    ):
        _replace(connection, name, _constant(version), [], "VARCHAR", NATIVE)
    # For the models' post-hook: the verdicts lie in the warehouse now.
    _replace(connection, "clear_verdict_journal", journal.clear, [], "BOOLEAN", NATIVE, True)


def _replace(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    call: Callable,
    parameters: list[str],
    returns: str,
    kind: PythonUDFType,
    side_effects: bool = False,
) -> None:
    with suppress(duckdb.Error):  # it was not there
        connection.remove_function(name)
    connection.create_function(
        name,
        call,
        [duckdb.type(parameter) for parameter in parameters],
        duckdb.type(returns),
        type=kind,
        null_handling=SPECIAL,
        side_effects=side_effects,
    )
