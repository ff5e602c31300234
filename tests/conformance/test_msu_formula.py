"""The MSU formula: the authors' own results on their embeddings, through the models that compute real MSU."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import Warehouse

EXTRACTOR = "by hand"
# What the mended metrics say where a side names nothing: human concepts, generated ones, and the scores
# (msu v1, msu v2, msu_coverage, msu_f1, concept_precision, concept_recall, concept_f1) with the reason.
NOTHING_NAMED = {
    "nothing-generated": (
        ["algebra", "geometry"],
        [],
        (None, 0, 0, 0, None, 0, 0),
        "no_generated_concepts",
    ),
    "nothing-human": ([], ["algebra"], (None,) * 7, "no_human_concepts"),
    "nothing-at-all": ([], [], (None,) * 7, "no_human_concepts"),
}


def write(path: Path, rows: list[dict]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def fixture(shared: Path) -> dict:
    return json.loads((shared / "oracles/msu/msu_formula_fixture.json").read_text())


@pytest.fixture(scope="module")
def concepts(
    built: Callable[..., Warehouse], fixture: dict, tmp_path_factory: pytest.TempPathFactory
) -> Warehouse:
    folder = tmp_path_factory.mktemp("concept_files")
    sides = {case["case"]: (case["N_h"], case["N_g"]) for case in fixture["cases"]}
    sides |= {name: case[:2] for name, case in NOTHING_NAMED.items()}

    def fill(warehouse: Warehouse) -> None:
        problems = [{"problem_id": name, "question": "?", "gold_answer": "1"} for name in sides]
        outputs = [{"problem_id": name, "run_id": "run", "response": "1"} for name in sides]
        named = [
            {
                "problem_id": name,
                "dataset_id": "formula",
                "extractor_id": EXTRACTOR,
                "concepts": listed,
            }
            | response
            for name, (human, generated) in sides.items()
            for listed, response in ((human, {}), (generated, {"run_id": "run", "rollout_no": 1}))
        ]
        vectors = [
            {"embedder_id": "fixture", "text": text, "embedding": vector}
            for text, vector in fixture["embeddings"].items()
        ]
        warehouse.load("problems", write(folder / "problems.jsonl", problems), dataset="formula")
        warehouse.load(
            "outputs",
            write(folder / "outputs.jsonl", outputs),
            dataset="formula",
            model="m",
            prompt="p",
        )
        warehouse.load("concepts", write(folder / "concepts.jsonl", named))
        warehouse.load("embeddings", write(folder / "embeddings.jsonl", vectors))

    return built("msu_formula", fill)


@pytest.fixture(scope="module")
def scores(concepts: Warehouse) -> dict[str, tuple]:
    """{case: (msu_v1, msu_v2, msu_coverage, msu_f1, precision, recall, f1, status)}."""
    rows = concepts.rows(
        """
        select problems.native_id, msu_v1, msu_v2, msu_coverage, msu_f1,
            concept_precision, concept_recall, concept_f1, status
        from marts.concept_scores
        inner join marts.problems using (problem_id)
        """
    )
    return {name: tuple(rest) for name, *rest in rows}


def test_version_1_equals_the_authors_functions(fixture: dict, scores: dict[str, tuple]) -> None:
    for case in fixture["cases"]:
        assert scores[case["case"]][0] == pytest.approx(case["msu"], abs=1e-9), case["case"]


def test_one_to_one_recall_never_passes_one(fixture: dict, scores: dict[str, tuple]) -> None:
    """The authors' own recall reaches 3 where three concepts are near one; matched one to one it is 1."""
    assert max(case["recall"] for case in fixture["cases"]) > 1
    assert all(scores[case["case"]][5] <= 1 for case in fixture["cases"])
    for name in (
        "identical",
        "subset_generated",
        "superset_generated",
        "paraphrase",
        "disjoint",
        "swap_A",
    ):
        case = next(c for c in fixture["cases"] if c["case"] == name)
        assert scores[name][4:6] == pytest.approx((case["precision"], case["recall"]), abs=1e-9), (
            name
        )


def test_omissions_cost_coverage_not_msu(scores: dict[str, tuple]) -> None:
    _, msu, coverage, f1, *_ = scores["subset_generated"]
    assert msu == pytest.approx(1, abs=1e-9)
    assert coverage < f1 < msu


@pytest.mark.parametrize("name", NOTHING_NAMED)
def test_where_a_side_names_nothing(name: str, scores: dict[str, tuple]) -> None:
    """0 where nothing covers something, NULL with its reason where there is nothing to cover."""
    *_, expected, status = NOTHING_NAMED[name]
    assert scores[name] == (*expected, status)


def test_metric_values_carry_embedder_and_extractor(concepts: Warehouse) -> None:
    rows = concepts.rows(
        """
        select metric_id, metric_version, n_questions, n_undecided from marts.metric_values
        where slice_kind = 'all' and embedder_id = 'fixture' and extractor_id = ?
        order by all
        """,
        [EXTRACTOR],
    )
    assert rows == [
        ("concept_f1", 1, 12, 2),
        ("concept_precision", 1, 11, 3),
        ("concept_recall", 1, 12, 2),
        ("msu", 1, 11, 3),
        ("msu", 2, 12, 2),
        ("msu_coverage", 1, 12, 2),
        ("msu_f1", 1, 12, 2),
    ]
    without = concepts.value(
        """
        select count(*) from marts.metric_values
        where metric_id in ('msu', 'concept_f1') and (embedder_id is null or extractor_id is null)
        """
    )
    assert without == 0
