"""Every metric at k of a real file of 100 problems with 8 rollouts equals the reference."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import Warehouse

# metric -> where the reference has it, under "k=…"
FIRST_K = {
    "major_at_k": ("first_k", "major"),
    "rm_at_k": ("first_k", "rm_any"),
    "all_at_k": ("first_k", "all_k"),
    "major_at_k_expected": ("unbiased", "major"),
    "rm_at_k_expected": ("unbiased", "rm_any_pass_at_k"),
    "all_at_k_expected": ("unbiased", "pass_hat_k"),
    "reward_at_k": ("reward_best_of_k",),
}


@pytest.fixture(scope="module")
def rollouts(built: Callable[..., Warehouse], shared: Path) -> Warehouse:
    return built(
        "rollouts",
        lambda warehouse: warehouse.load(
            "outputs", shared / "data/outputs/qwen_math_cot_100.jsonl", dataset="math_cot_100"
        ),
    )


@pytest.fixture(scope="module")
def reference(shared: Path) -> dict[tuple[str, str], dict]:
    """{(slice_kind, slice_value): the reference of the slice}."""
    found = json.loads((shared / "oracles/rollouts/rollouts_ref.json").read_text())
    levels = {("level", level): values for level, values in found["by_level"].items()}
    return {("all", ""): found["all"], **levels}


@pytest.fixture(scope="module")
def values(rollouts: Warehouse) -> dict[tuple, tuple]:
    """{(metric_id, verdict_source, slice_kind, slice_value, k): (numerator, value)}."""
    rows = rollouts.rows(
        """
        select metric_id, verdict_source, slice_kind, slice_value, k, numerator, value
        from marts.metric_values
        where metric_version = 1 and slice_kind in ('all', 'level')
        """
    )
    return {row[:5]: row[5:] for row in rows}


@pytest.mark.parametrize("metric", FIRST_K)
def test_metric_equals_reference_at_every_k(
    metric: str, values: dict[tuple, tuple], reference: dict[tuple[str, str], dict]
) -> None:
    for (kind, value), expected in reference.items():
        for k in range(1, 9):
            figure = expected[f"k={k}"]
            for part in FIRST_K[metric]:
                figure = figure[part]
            ours = values[metric, "reported", kind, value, k][1]
            assert ours == pytest.approx(figure, abs=1e-9), (metric, kind, value, k)


def test_plurality_and_its_ties_equal_reference(
    values: dict[tuple, tuple], reference: dict[tuple[str, str], dict]
) -> None:
    """The reference votes by equal strings; in this file no two strings of a problem are equivalent."""
    for (kind, value), expected in reference.items():
        for k in range(1, 9):
            figures = expected[f"k={k}"]
            key = ("reported", kind, value, k)
            assert values["plurality_at_k", *key][1] == pytest.approx(
                figures["plurality_maj_first_seen"], abs=1e-9
            ), key
            assert values["plurality_ties_at_k", *key][0] == figures["plurality_n_tied"], key


def test_five_figures_at_eight_have_five_names(rollouts: Warehouse) -> None:
    """What others all call major@8 or rm@8 stands under names of its own."""
    found = rollouts.rows(
        """
        select round(major_at_k, 2), round(plurality_at_k, 2), n_tied, round(rm_at_k, 2), round(reward_at_k, 2)
        from marts.at_k
        where verdict_source = 'reported' and slice_kind = 'all' and k = 8
        """
    )
    assert found == [(0.89, 0.93, 4, 0.96, 0.94)]
    accuracy = rollouts.value(
        """
        select value from marts.metric_values
        where metric_id = 'accuracy' and verdict_source = 'reported' and slice_kind = 'all'
        """
    )
    assert accuracy == pytest.approx(0.91, abs=1e-9)


def test_judge_stands_beside_the_reported_verdicts(rollouts: Warehouse) -> None:
    rows = rollouts.rows(
        "select verdict_source, count(*) from marts.at_k where slice_kind = 'all' group by all order by all"
    )
    assert rows == [("judge", 8), ("reported", 8)]


def test_every_value_shows_its_k_its_n_and_its_error(rollouts: Warehouse) -> None:
    """A value at one k is never without the number of problems and the error that say how far to trust it."""
    bare = rollouts.rows(
        """
        select * from marts.metric_values
        where metric_id like '%at_k%' and (k is null or n_questions is null or (n_questions > 1 and std_error is null))
        """
    )
    assert bare == []


def test_variance_components_equal_reference(rollouts: Warehouse, shared: Path) -> None:
    anchor = json.loads((shared / "oracles/stats/anchors.json").read_text())["variance_components"]
    found = rollouts.rows(
        """
        select within_variance, variance_of_means, between_variance,
            std_error_one_rollout, std_error, std_error_many_rollouts
        from marts.variance_components
        where verdict_source = 'reported'
        """
    )
    names = (
        "mean_conditional_variance_sigma2",
        "var_of_question_means",
        "var_x_between",
        "se_if_K1",
        "se_if_K8",
        "se_if_Kinf",
    )
    assert found[0] == pytest.approx([anchor[name] for name in names], abs=1e-12)


def test_two_figures_of_one_metric_are_one_row_each(rollouts: Warehouse) -> None:
    assert rollouts.rows("select run_a from marts.run_comparisons") == []


def test_published_berry_results_are_all_there(rollouts: Warehouse, shared: Path) -> None:
    metric_ids = {
        "acc": "accuracy",
        "acc@32 rollouts": "accuracy",
        "major@k": "major_at_k",
        "rm@k": "rm_at_k",
        "solved rate": "rm_at_k",
        "self-cons@k": "plurality_at_k",
    }
    with (shared / "oracles/berry/llama_berry_results.csv").open(newline="") as file:
        expected = sorted(
            (
                r["model"],
                r["method"],
                r["benchmark"],
                metric_ids[r["metric"]],
                int(r["k"]),
                float(r["value_pct"]),
            )
            for r in csv.DictReader(file)
        )
    found = rollouts.rows(
        """
        select system, method, benchmark, metric_id, k, published_value
        from marts.published_results where source like 'LLaMA-Berry%' order by all
        """
    )
    assert sorted(found) == expected
    assert len(found) == 210
