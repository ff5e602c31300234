"""The MSU study: means, tests between systems and correlation with accuracy, from its own file."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import Warehouse

# Right answers of two of the study's systems on its 450 problems, as the reference counts them:
# both, the first alone, the second alone, neither. Every paired figure follows from these four.
PAIRED = {(True, True): 89, (True, False): 133, (False, True): 24, (False, False): 204}


@pytest.fixture(scope="module")
def study(
    built: Callable[..., Warehouse], shared: Path, tmp_path_factory: pytest.TempPathFactory
) -> Warehouse:
    def fill(warehouse: Warehouse) -> None:
        warehouse.load("outputs", shared / "data/outputs/msu_scoring_output.csv")
        folder = tmp_path_factory.mktemp("paired")
        table = [pair for pair, n in PAIRED.items() for _ in range(n)]
        for side, model in enumerate(("first", "second")):
            file = folder / f"{model}.jsonl"
            records = (
                {"problem_id": str(i), "gold_answer": "1", "response": "1" if pair[side] else "2"}
                for i, pair in enumerate(table)
            )
            file.write_text("".join(json.dumps(record) + "\n" for record in records))
            warehouse.load("outputs", file, dataset="paired", model=model)

    return built("msu_study", fill)


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_mean_msu_of_every_system(study: Warehouse, shared: Path) -> None:
    found = {
        (model, prompt): figures
        for model, prompt, *figures in study.rows(
            """
            select model, prompt, value, std_error, n_questions
            from marts.metric_values
            inner join marts.runs using (run_id)
            where metric_id = 'msu_reported' and slice_kind = 'all'
            """
        )
    }
    expected = read(shared / "oracles/msu/msu_model_prompt.csv")
    assert len(found) == len(expected) == 9
    for row in expected:
        figures = [float(row["mean_msu"]), float(row["se_msu"]), int(row["n"])]
        assert found[row["model"], row["prompt"]] == pytest.approx(figures, abs=1e-9)


@pytest.mark.parametrize(
    ("file", "column", "kind"), [("level", "level", "level"), ("type", "type", "subject")]
)
def test_mean_msu_by_level_and_subject(
    study: Warehouse, shared: Path, file: str, column: str, kind: str
) -> None:
    found = {
        tuple(key): value
        for *key, value in study.rows(
            """
            select model, prompt, slice_value, value
            from marts.metric_values
            inner join marts.runs using (run_id)
            where metric_id = 'msu_reported' and slice_kind = ?
            """,
            [kind],
        )
    }
    for row in read(shared / f"oracles/msu/msu_by_{file}.csv"):
        assert found[row["model"], row["prompt"], row[column]] == pytest.approx(
            float(row["mean_msu"]), abs=1e-9
        )


def test_tests_between_systems(study: Warehouse, shared: Path) -> None:
    """18 pairs: U and both p-values, down to 1e-23, and the paired difference with its error."""
    found = {
        tuple(key): figures
        for *key, u, p, wilcoxon, difference, error in study.rows(
            """
            select model_a, prompt_a, model_b, prompt_b,
                mann_whitney_u, mann_whitney_p, wilcoxon_p, difference, std_error
            from marts.run_comparisons
            where metric_id = 'msu_reported'
            """
        )
        for figures in [(u, p, wilcoxon, difference, error)]
    }
    assert len(found) == 72
    for row in read(shared / "oracles/msu/msu_mannwhitney.csv"):
        kind, fixed = row["panel"].split(":")
        pair = (
            (row["a"], fixed, row["b"], fixed)
            if kind == "prompt"
            else (fixed, row["a"], fixed, row["b"])
        )
        names = ("U", "p_mannwhitney", "p_wilcoxon_paired", "mean_diff", "se_paired")
        assert found[pair] == pytest.approx([float(row[name]) for name in names], rel=1e-9), pair


def test_correlation_with_the_published_accuracies(study: Warehouse, shared: Path) -> None:
    expected = json.loads((shared / "oracles/msu/msu_correlations.json").read_text())[
        "correlations"
    ]["nine_points: mean_msu vs plotted_accuracy(LLM judge)"]
    low, high = json.loads((shared / "oracles/stats/anchors.json").read_text())["blog_pearson"][
        "fisher_ci"
    ]
    coefficients = (9, expected["pearson"], expected["spearman"], expected["kendall_b"])
    found = study.rows(
        """
        select n, pearson, spearman, kendall, ci_low, ci_high
        from marts.msu_correlations
        where y_verdict_source = 'published'
        """
    )
    # the nine points as printed, and the nine runs as loaded here
    assert len(found) == 2
    for row in found:
        assert row[:4] == pytest.approx(coefficients, abs=1e-8)
        # The reference interval rests on accuracies read off a plot, true to 1e-9 each; ours are the
        # whole numbers of right answers of 450, and the bounds differ by 1.2e-8.
        assert row[4:] == pytest.approx((low, high), abs=1e-7)
    assert round(found[0][1], 8) == 0.78990306


def test_paired_difference_and_exact_mcnemar(study: Warehouse, shared: Path) -> None:
    anchors = json.loads((shared / "oracles/stats/anchors.json").read_text())
    paired = anchors["paired_correct: chatgpt/zeroshot - davinci3/zeroshot"]
    mcnemar = anchors["mcnemar_exact"]
    found = study.rows(
        """
        select n_questions, mean_a, mean_b, difference, std_error, unpaired_std_error, correlation, z,
            n_regressed, n_improved, mcnemar_p
        from marts.run_comparisons
        where dataset_a = 'paired' and metric_id = 'accuracy' and verdict_source = 'judge'
            and model_a = 'first' and model_b = 'second'
        """
    )
    names = ("n", "mean_a", "mean_b", "diff", "se_paired", "se_unpaired", "corr", "z")
    wanted = [paired[name] for name in names]
    wanted += [mcnemar[name] for name in ("only_a", "only_b", "p")]
    assert found == [pytest.approx(tuple(wanted), rel=1e-9, abs=0)]
