"""The tier rules on the published leaderboards and on new models, through the SQL of the marts."""

from __future__ import annotations

import csv
from pathlib import Path

import duckdb
import pytest

from tests.conformance.inline_sql import compile_sql
from tests.support import ROOT, Warehouse


@pytest.fixture(scope="module")
def placement_sql(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The macro that places runs, compiled by dbt over relations `published` and `candidates`."""
    jinja = (
        "with tiered as (select * from {{ tier_levels('published', ['reference_set']) }}) "
        "select * from {{ place_in_tiers('tiered', 'candidates') }}"
    )
    return compile_sql(jinja, tmp_path_factory.getbasetemp() / "inline_sql")


def test_new_models_are_placed_as_listed(placement_sql: str, shared: Path) -> None:
    with (shared / "oracles/scmath6/tier_new_model_cases.csv").open() as file:
        cases = list(csv.DictReader(file))
    with (ROOT / "dbt_project/seeds/published_scmath6_leaderboards.csv").open() as file:
        published = [
            row for row in csv.DictReader(file) if row["reference_set"].startswith("readme")
        ]
    with duckdb.connect() as connection:
        connection.execute(
            "create table published (reference_set text, model text, score_hundredths int)"
        )
        connection.executemany(
            "insert into published values ('readme', ?, round(cast(? as decimal(6, 2)) * 100))",
            [(row["model"], row["composite_score"]) for row in published],
        )
        connection.execute("create table candidates (candidate_id text, score_hundredths int)")
        connection.executemany(
            "insert into candidates values (?, round(cast(? as decimal(6, 2)) * 100))",
            [(case["new_composite"], case["new_composite"]) for case in cases],
        )
        placed = connection.execute(
            "select candidate_id, level_frozen, placement_status, level_retiered, "
            f"n_existing_changed from ({placement_sql})"
        ).fetchall()
    assert len(cases) == 27
    assert sorted(placed) == sorted(
        (
            case["new_composite"],
            int(case["frozen_level"]) if case["frozen_level"] else None,
            case["frozen_status"],
            int(case["retier_level"]),
            int(case["n_existing_changed"]),
        )
        for case in cases
    )


def test_published_rows_carry_the_published_figures(demo: Warehouse, shared: Path) -> None:
    for reference_set, file in (
        ("readme_2024_01", "leaderboard_readme.csv"),
        ("pdf_2024_02", "leaderboard_pdf_v2.csv"),
    ):
        with (shared / "oracles/scmath6" / file).open() as lines:
            wanted = {
                (row["model"], float(row["composite"]), int(row["reasoning_level"]))
                for row in csv.DictReader(lines)
            }
        rows = demo.rows(
            "select model, composite_score::double, level_frozen from marts.grade_tiers "
            "where run_id is null and reference_set = ? and level_retiered = published_level",
            [reference_set],
        )
        assert set(rows) == wanted and len(rows) == len(wanted)
