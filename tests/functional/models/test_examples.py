"""Few-shot examples: of the same subject and level, and never an evaluated problem."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.errors import UsageError
from ingest.models.commands import run_solve
from ingest.models.examples import find_examples
from ingest.warehouse import open_warehouse
from tests.functional.models.endpoint_server import EndpointServer
from udfs.judge import grade

LEVELS = [f"Level {n}" for n in range(1, 6)]
SUBJECTS = [
    "Algebra",
    "Counting & Probability",
    "Geometry",
    "Intermediate Algebra",
    "Number Theory",
    "Prealgebra",
    "Precalculus",
]


def bundled() -> list[dict[str, Any]]:
    path = Path(__file__).parents[3] / "ingest" / "models" / "prompts" / "examples.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_there_is_a_bundled_example_of_every_subject_and_level(add_problems: Any) -> None:
    with open_warehouse(add_problems(1), read_only=True) as connection:
        examples = find_examples(connection, "d", None)
    for subject in SUBJECTS:
        for level in LEVELS:
            example, match = examples.choose(subject, level, "en")
            assert (example.subject, example.level, match) == (subject, level, "subject and level")
    assert examples.choose("Topology", "Level 9", "en")[1] == "language"
    assert examples.choose(None, "4", "zh")[0].level == "4"


@pytest.mark.parametrize("example", bundled(), ids=lambda example: example["id"])
def test_bundled_solutions_end_in_a_boxed_answer(example: dict[str, Any]) -> None:
    assert example["solution"].count("\\boxed{") == 1
    answer = example["solution"].split("\\boxed{")[1].rsplit("}", 1)[0]
    assert grade(answer, example["solution"])


def rows(dataset: str, n: int, **more: Any) -> list[dict[str, Any]]:
    return [
        {
            "problem_id": f"{dataset}/{k}",
            "dataset_id": dataset,
            "native_id": str(k),
            "question": f"{dataset} question {k}?",
            "gold_solution": f"{dataset} solution {k}",
            "subject": "Algebra" if k % 2 else "Geometry",
            "level": f"Level {k}",
            **more,
        }
        for k in range(1, n + 1)
    ]


def test_examples_come_from_the_dataset_named_and_match(add_problems: Any, point_at: Any) -> None:
    path = add_problems(rows=[*rows("d", 4), *rows("other", 4)])
    with EndpointServer() as server:
        point_at(server)
        run_solve(path, dataset="d", model="m", prompt="fewshot", examples_from="other")
    for request in server.requests:
        number = request.last.split("d question ")[1][0]
        assert f"other question {number}?" in request.last
        assert f"other solution {number}" in request.last
    with open_warehouse(path, read_only=True) as connection:
        kept = connection.execute(
            "select distinct metadata ->> '$.example_match' from raw.responses"
        ).fetchall()
    assert kept == [("subject and level",)]


def test_a_training_part_goes_before_the_bundled_examples(add_problems: Any) -> None:
    train = rows("x", 2, dataset_id="d_train")
    with open_warehouse(add_problems(rows=[*rows("d", 2), *train]), read_only=True) as connection:
        assert find_examples(connection, "d", None).origin == "d_train"
        assert find_examples(connection, "d_train", None).origin is None


def test_evaluated_problems_are_never_examples(add_problems: Any) -> None:
    leak = {"question": "D  QUESTION 1 ?", "problem_id": "other/9", "dataset_id": "other"}
    path = add_problems(rows=[*rows("d", 2), *rows("other", 2), {**leak, "gold_solution": "s"}])
    with open_warehouse(path, read_only=True) as connection:
        examples = find_examples(connection, "d", "other")
        chosen = {examples.choose(s, lv, "en")[0].question for s in SUBJECTS for lv in LEVELS}
        assert chosen == {"other question 1?", "other question 2?"}
        with pytest.raises(UsageError, match="outside the evaluated"):
            find_examples(connection, "d", "d")


def test_a_prompt_without_an_example_refuses_one(add_problems: Any, key: str) -> None:
    with pytest.raises(UsageError, match="takes no example"):
        run_solve(add_problems(1), dataset="d", model="m", examples_from="other")
