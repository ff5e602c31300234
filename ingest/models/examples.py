"""Worked examples for few-shot prompts: same subject and level, never an evaluated problem."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from importlib import resources
from typing import Literal

import duckdb

from ingest.errors import MathmartError, UsageError
from ingest.models.prompt import HASH_DIGITS, language_of

Match = Literal["subject and level", "subject", "language", "any"]

BUNDLED = "examples.jsonl"


@dataclass(frozen=True)
class Example:
    """A problem with its worked solution."""

    example_id: str
    subject: str | None
    level: str | None
    language: str
    question: str
    solution: str


class ExampleSet:
    """Examples from one place; the choice for a problem depends on nothing but its own fields."""

    def __init__(self, examples: list[Example], origin: str | None) -> None:
        if not examples:
            raise MathmartError(
                f"dataset {origin!r}: it has no problem with a solution to serve as an example."
            )
        self._examples = examples
        self.origin = origin
        text = json.dumps([(e.example_id, e.question, e.solution) for e in examples])
        self.hash = hashlib.sha256(text.encode()).hexdigest()[:HASH_DIGITS]

    def choose(
        self, subject: str | None, level: str | None, language: str
    ) -> tuple[Example, Match]:
        """The first example of the same subject and level; else of the same subject with the
        nearest level; else of the same language; and how it was matched."""
        spoken = [example for example in self._examples if example.language == language]
        subject_key, level_key = _key(subject), _key(level)
        same = [example for example in spoken if _key(example.subject) == subject_key]
        if subject is not None and same:
            exact = [example for example in same if _key(example.level) == level_key]
            if exact:
                return exact[0], "subject and level"
            return min(same, key=lambda example: _distance(example.level, level)), "subject"
        if spoken:
            # Without a subject to go by, the level alone still tells easy from hard.
            return min(spoken, key=lambda example: _distance(example.level, level)), "language"
        return self._examples[0], "any"


def find_examples(
    connection: duckdb.DuckDBPyConnection, dataset_id: str, examples_from: str | None
) -> ExampleSet:
    """Examples for `dataset_id`: of the dataset `examples_from`, else of a dataset marked as its
    training part, else the bundled ones.

    A dataset is marked by its name (`<dataset_id>_train`) or by `"split": "train"` in its
    problems' metadata together with a name that starts with `<dataset_id>`. Any example whose
    question is also an evaluated one is left out. Raises UsageError if `examples_from` is the
    evaluated dataset itself.
    """
    if examples_from == dataset_id:
        raise UsageError(
            f"--examples-from {examples_from}: examples must come from outside the evaluated "
            "problems. Name another dataset."
        )
    evaluated = {
        _question_key(question)
        for (question,) in connection.execute(
            "select question from raw.problems where dataset_id = ? and question is not null",
            [dataset_id],
        ).fetchall()
    }
    origin = examples_from or _training_part(connection, dataset_id)
    examples = _bundled() if origin is None else _of_dataset(connection, origin)
    kept = [example for example in examples if _question_key(example.question) not in evaluated]
    return ExampleSet(kept, origin)


def _training_part(connection: duckdb.DuckDBPyConnection, dataset_id: str) -> str | None:
    row = connection.execute(
        """
        select min(dataset_id)
        from raw.problems
        where dataset_id <> $1 and gold_solution is not null and (
            dataset_id = $1 || '_train'
            or (starts_with(dataset_id, $1) and metadata ->> '$.split' = 'train')
        )
        """,
        [dataset_id],
    ).fetchone()
    return row[0] if row else None


def _of_dataset(connection: duckdb.DuckDBPyConnection, dataset_id: str) -> list[Example]:
    rows = connection.execute(
        """
        select problem_id, subject, level, question, gold_solution
        from raw.problems
        where dataset_id = ? and turn = 1 and question is not null
            and trim(coalesce(gold_solution, '')) <> ''
        order by problem_id
        """,
        [dataset_id],
    ).fetchall()
    return [
        Example(problem_id, subject, level, language_of(question), question, solution)
        for problem_id, subject, level, question, solution in rows
    ]


def _bundled() -> list[Example]:
    text = resources.files("ingest.models.prompts").joinpath(BUNDLED).read_text(encoding="utf-8")
    return [
        Example(
            example_id=f"bundled/{row['id']}",
            subject=row.get("subject"),
            level=row.get("level"),
            language=language_of(row["question"]),
            question=row["question"],
            solution=row["solution"],
        )
        for row in map(json.loads, text.splitlines())
    ]


def _key(text: str | None) -> str:
    """Subject and level names differ in case, blanks and signs between files."""
    return re.sub(r"[^a-z0-9\u4e00-\u9fff]", "", (text or "").casefold()).replace("and", "")


def _distance(level: str | None, wanted: str | None) -> float:
    numbers = [re.search(r"\d+", text or "") for text in (level, wanted)]
    if numbers[0] and numbers[1]:
        return abs(int(numbers[0][0]) - int(numbers[1][0]))
    return 0.0 if _key(level) == _key(wanted) else float("inf")


def _question_key(question: str) -> str:
    return re.sub(r"\W+", " ", question.casefold()).strip()
