"""The columns a format's SQL may return, and how each becomes a typed column of the raw layer."""

from __future__ import annotations

from collections.abc import Mapping

# Columns every mapping may return beside those of its target.
BASE = {"record_id": "bigint", "item": "bigint", "reject": "varchar"}
# Where a row belongs. `turn` is given for two-turn problems only.
PLACE = {"dataset_id": "varchar", "native_id": "varchar", "turn": "integer"}
CONCEPTS = {"concepts": "json", "extractor_id": "varchar"}

PROBLEMS = {
    "question": "varchar",
    "gold_answer": "varchar",
    "gold_is_text": "boolean",
    "gold_solution": "varchar",
    "answer_type": "varchar",
    "level": "varchar",
    "subject": "varchar",
    "reasoning_steps": "integer",
    "choices": "json",
    "unit": "varchar",
    "tolerance": "double",
    "metadata": "json",
}
RUNS = {
    "run_id": "varchar",
    "model": "varchar",
    "prompt": "varchar",
    "settings": "json",
    "tool": "varchar",
    "tool_version": "varchar",
    "started_at": "timestamp",
    "run_metadata": "json",
}
RESPONSES = {
    "rollout_no": "integer",
    "response": "varchar",
    "reported_answer": "varchar",
    "reported_correct": "boolean",
    "reward_score": "double",
    "finish_reason": "varchar",
    "failure_kind": "varchar",
    "failure_reason": "varchar",
    "input_tokens": "bigint",
    "cached_tokens": "bigint",
    "output_tokens": "bigint",
    "reasoning_tokens": "bigint",
    "cost_usd": "double",
    "latency_seconds": "double",
    "system_fingerprint": "varchar",
    "metadata": "json",
}

PROBLEM_COLUMNS = {
    **BASE,
    **PLACE,
    **PROBLEMS,
    # true: `question` is a prompt around the question, so that another prompt is no other problem
    "question_is_prompt": "boolean",
    **CONCEPTS,
}
RESPONSE_COLUMNS = {
    **BASE,
    **PLACE,
    **RUNS,
    # What tells runs of one file apart (a column of a wide file, a filter).
    "run_key": "varchar",
    # What makes several files one run; the file's own hash then plays no part.
    "shared_run_key": "varchar",
    **RESPONSES,
    "scores": "json",  # {"msu": 0.7}: scores that came with the file
    **CONCEPTS,
}
CONCEPT_COLUMNS = {
    **BASE,
    **PLACE,
    "response_id": "varchar",
    "run_id": "varchar",
    "rollout_no": "integer",
    **CONCEPTS,
}
# Summary figures that a tool wrote beside the replies, or instead of them.
METRICS = {
    "model": "varchar",
    "prompt": "varchar",
    "metric": "varchar",
    "variant": "varchar",  # filter, mode or subset the figure is for
    "value": "double",
    "std_error": "double",
    "n_questions": "bigint",
    "metadata": "json",
}
METRIC_COLUMNS = {**BASE, "dataset_id": "varchar", **METRICS}
EMBEDDING_COLUMNS = {**BASE, "embedder_id": "varchar", "text": "varchar", "embedding": "json"}


def padded(sql: str, given: Mapping[str, str], columns: dict[str, str], name: str) -> str:
    """`sql` with its columns as text (JSON stays JSON) and those it leaves out as NULL, in order.

    `given` are the columns `sql` returns, with their DuckDB types. Raises ValueError on a column the
    contract does not know: a slip in the format's module.
    """
    unknown = [column for column in given if column not in columns]
    if unknown or "record_id" not in given:
        raise ValueError(f"format {name}: unknown columns {unknown} or no record_id")
    listed = ", ".join(_as_text(column, given.get(column)) for column in columns)
    return f"select {listed} from ({sql})"


def _as_text(column: str, data_type: str | None) -> str:
    if data_type is None:
        return f"null::varchar as {column}"
    return (
        column
        if column == "record_id" or data_type in ("VARCHAR", "JSON")
        else f"{column}::varchar as {column}"
    )


def cast(column: str, data_type: str) -> str:
    """SQL that types the text in `column`; NULL where it does not fit (`misfit` tells)."""
    if data_type == "varchar":
        return f"{column}::varchar"
    if data_type == "json":
        return f"try_cast({column} as json)"
    if data_type == "double":
        value = f"try_cast({column} as double)"
        return f"case when isfinite({value}) then {value} end"
    if data_type in ("integer", "bigint"):
        # "3.0" is a whole number, "3.7" is not: a plain cast would round it.
        return (
            f"case when try_cast({column} as {data_type})::varchar = {column} "
            f"or regexp_full_match({column}, ' *[+-]?[0-9]+([.]0*)? *') "
            f"then try_cast({column} as {data_type}) end"
        )
    if data_type == "boolean":  # the only cast that spaces around the value make fail
        return f"try_cast(trim({column}) as boolean)"
    return f"try_cast({column} as {data_type})"


def misfit(column: str, data_type: str) -> str | None:
    """SQL that is the reason why `column` cannot be typed, else NULL; None where nothing can fail.

    NaN and infinities are numbers that the warehouse keeps as metadata text, not misfits.
    """
    if data_type == "varchar":
        return None
    allowed = ""
    if data_type == "double":
        allowed = f" and try_cast({column} as double) is null"
    names = {"json": "JSON", "double": "a number", "boolean": "true or false"}
    names |= {"integer": "a whole number", "bigint": "a whole number", "timestamp": "a time"}
    return (
        # trim last: it is what costs, and few values get that far
        f"case when {column} is not null and {cast(column, data_type)} is null{allowed} "
        f"and trim({column}) <> '' then '{column} is not {names[data_type]}: ' || left({column}, 60) end"
    )


def not_finite(column: str) -> str:
    """SQL that holds for NaN and infinities, which become metadata."""
    return f"not isfinite(try_cast({column} as double))"


def trimmed(column: str) -> str:
    """SQL: the text without spaces around it, NULL where nothing is left.

    Few texts have any, and to look is cheaper than trim().
    """
    return (
        f"case when {column} = '' or starts_with({column}, ' ') or ends_with({column}, ' ') "
        f"then nullif(trim({column}), '') else {column} end"
    )
