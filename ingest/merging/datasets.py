"""Which dataset outputs belong to that name no dataset: the one whose problems they answer."""

from __future__ import annotations

import duckdb

from ingest.contract import PROBLEM_COLUMNS, RESPONSE_COLUMNS, padded, trimmed
from ingest.formats import Format
from ingest.landing import LINE_BITS
from ingest.merging.shared import SAME_TEXT

# How many datasets a message names; a warehouse may hold hundreds.
_NAMED = 8


def find_datasets(connection: duckdb.DuckDBPyConnection, form: Format) -> dict[int, str]:
    """Set the default dataset of files that name none; return the datasets found, by file number.

    A file joins a loaded dataset when that one, and no other, has every problem id of the file and
    contradicts none of its questions and golds.
    """
    if not (form.finds_dataset and form.responses and form.problems):
        return {}
    ids = f"""
        select record_id >> {LINE_BITS} as file_no,
            {trimmed("native_id")} as native_id, {trimmed("dataset_id")} as dataset_id
        from ({_padded(connection, form, form.responses, RESPONSE_COLUMNS)})
    """
    said = f"""
        select record_id >> {LINE_BITS} as file_no, {trimmed("native_id")} as native_id,
            question, gold_answer
        from ({_padded(connection, form, form.problems, PROBLEM_COLUMNS)})
    """
    rows = connection.execute(f"""
        with named as (
            select file_no, native_id, count(dataset_id) as datasets
            from ({ids}) group by file_no, native_id
        ),
        open as (
            select file_no, count(*) as n_ids
            from named
            inner join files using (file_no)
            where files.given_dataset is null and not files.is_settled
            group by file_no
            having sum(datasets) = 0 and count(*) = count(native_id)
        ),
        loaded as (
            select dataset_id, native_id from raw.problems
            union
            select dataset_id, problem_id from raw.problems
        ),
        whole as (
            select file_no, loaded.dataset_id
            from named
            inner join open using (file_no)
            inner join loaded using (native_id)
            group by file_no, loaded.dataset_id, n_ids
            having count(*) = n_ids
        ),
        contradicted as (
            select distinct whole.file_no, whole.dataset_id
            from whole
            inner join ({said}) as said using (file_no)
            inner join raw.problems as problems on problems.dataset_id = whole.dataset_id
                and problems.native_id = said.native_id
            where {SAME_TEXT.format("said.question")} <> {SAME_TEXT.format("problems.question")}
                or trim(said.gold_answer) <> trim(problems.gold_answer)
        )
        select file_no, min(dataset_id)
        from whole anti join contradicted using (file_no, dataset_id)
        group by file_no
        having count(*) = 1
    """).fetchall()
    for number, dataset in rows:
        connection.execute(
            "update files set default_dataset = ? where file_no = ?", [dataset, number]
        )
    return dict(rows)


def notes_on_golds(connection: duckdb.DuckDBPyConnection) -> dict[int, str]:
    """What to say of files with problem ids that have no gold answer: outcomes will be undecided."""
    rows = connection.execute(f"""
        with named as (
            select distinct record_id >> {LINE_BITS} as file_no, dataset_id, problem_id
            from response_keys
        )
        select
            file_no,
            any_value(named.dataset_id),
            count(*) as n_ids,
            count(problems.gold_answer) as n_golds
        from named left join raw.problems as problems using (problem_id)
        group by file_no
        having count(problems.gold_answer) < count(*)
    """).fetchall()
    if not rows:
        return {}
    others = connection.execute("""
        select dataset_id, count(*) from raw.problems
        where gold_answer is not null group by all order by all
    """).fetchall()
    named = ", ".join(f"{name} ({count})" for name, count in others[:_NAMED])
    named += f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
    return {
        number: (
            f"{golds} of {ids} problem ids have a gold answer in dataset {dataset}; without one an "
            f"outcome is undecided. Datasets with gold answers: {named or 'none yet'}. Load the missing "
            f"ones with `mathmart load problems FILE --dataset {dataset}`"
        )
        for number, dataset, ids, golds in rows
    }


def notes_on_replies(connection: duckdb.DuckDBPyConnection) -> dict[int, str]:
    """What to say of a problems file whose ids replies of another dataset name, that has no problems."""
    rows = connection.execute(f"""
        with orphans as (
            select distinct dataset_id, problem_id
            from raw.responses anti join raw.problems using (dataset_id)
        ),
        loaded as (
            select distinct record_id >> {LINE_BITS} as file_no, dataset_id, problem_id
            from problem_keys
        )
        select file_no, orphans.dataset_id, count(*)
        from loaded
        inner join orphans
            on substr(orphans.problem_id, length(orphans.dataset_id) + 2)
                = substr(loaded.problem_id, length(loaded.dataset_id) + 2)
        group by all
        order by all
    """).fetchall()
    return {
        number: (
            f"replies loaded before as dataset {dataset} name {count} of these problem ids, and that "
            f"dataset has no problems: load this file with --dataset {dataset} as well to judge them"
        )
        for number, dataset, count in rows
    }


def _padded(
    connection: duckdb.DuckDBPyConnection, form: Format, sql: str, columns: dict[str, str]
) -> str:
    given = {row[0]: row[1] for row in connection.execute(f"describe {sql}").fetchall()}
    return padded(sql, given, columns, form.name)
