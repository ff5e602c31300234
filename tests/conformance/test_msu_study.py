"""The MSU study: means, tests between systems and correlation with accuracy, from its own file."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import Warehouse


@pytest.fixture(scope="module")
def study(built: Callable[..., Warehouse], shared: Path) -> Warehouse:
    return built(
        "msu_study",
        lambda warehouse: warehouse.load("outputs", shared / "data/outputs/msu_scoring_output.csv"),
    )


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
