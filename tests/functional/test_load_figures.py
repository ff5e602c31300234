"""Summary figures without replies are stored once, and those of two models are two."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import duckdb
import pytest

from ingest.load import LoadReport, load

HARNESS = {"num_samples": 2, "num_scores": 2, "empty_samples": 0, "acc": 50.0}


def write(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    return path


def load_one(db: Path, path: Path, **options: str) -> LoadReport:
    (report,) = load(db, "outputs", [path], **options)
    assert report.error is None
    return report


def figures(db: Path) -> list[tuple]:
    with duckdb.connect(str(db), read_only=True) as connection:
        return connection.execute(
            "select dataset_id, model, metric, value from raw.reported_metrics order by all"
        ).fetchall()


def copied(path: Path, to: Path) -> Path:
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(path, to)
    return to


@pytest.mark.parametrize("version", [None, "99"])
@pytest.mark.parametrize("where", ["other/x.json", "other/renamed.json"])
def test_figures_without_names_are_there_already_under_another_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, version: str | None
) -> None:
    """Also when a later version of mathmart, which trusts no earlier load, reads them."""
    db, path = tmp_path / "w.duckdb", write(tmp_path / "in" / "x.json", HARNESS)
    assert load_one(db, path).rows_loaded == 1
    before = figures(db)
    assert before == [("x", None, "acc", 50.0)]
    if version:
        monkeypatch.setattr("ingest.ledger.__version__", version)
    again = load_one(db, copied(path, tmp_path / where))
    assert (again.rows_loaded, again.rows_already_there) == (0, 1)
    assert figures(db) == before


def test_a_model_given_later_names_the_figures(tmp_path: Path) -> None:
    db, path = tmp_path / "w.duckdb", write(tmp_path / "x.json", HARNESS)
    load_one(db, path)
    for options in ({"model": "m"}, {"model": "m", "prompt": "cot"}, {}):
        report = load_one(db, path, **options)
        assert (report.rows_loaded, report.rows_already_there) == (0, 1)
        assert figures(db) == [("x", "m", "acc", 50.0)]
    assert load_one(db, path, model="n").rows_loaded == 1
    assert [model for _, model, *_ in figures(db)] == ["m", "n"]


def test_another_dataset_asked_for_is_another_figure(tmp_path: Path) -> None:
    db, path = tmp_path / "w.duckdb", write(tmp_path / "x.json", HARNESS)
    load_one(db, path)
    for loaded in (1, 0):
        assert load_one(db, path, dataset="d").rows_loaded == loaded
    assert [dataset for dataset, *_ in figures(db)] == ["d", "x"]


@pytest.mark.parametrize("at_once", [True, False])
def test_equal_figures_of_two_models_and_datasets_are_all_kept(
    tmp_path: Path, at_once: bool
) -> None:
    db, folder = tmp_path / "w.duckdb", tmp_path / "out" / "results"
    cells = [(dataset, model) for dataset in ("gsm8k", "math") for model in ("ma", "mb")]
    paths = [write(folder / m / f"{d}.json", {"accuracy": 50.0}) for d, m in cells]
    for _ in range(2):
        for given in [paths] if at_once else [[path] for path in paths]:
            assert not any(report.error for report in load(db, "outputs", given))
        assert figures(db) == [(dataset, model, "accuracy", 50.0) for dataset, model in cells]
