"""The rules of the dbt project, held against its manifest."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support import ROOT, dbt

PROJECT = ROOT / "dbt_project"
# What any DuckDB client, BI tool and Parquet reader shows as it is.
SCALARS = re.compile(
    r"(varchar|boolean|integer|bigint|double|timestamp|date|decimal\(\d+, ?\d+\))$", re.IGNORECASE
)


@pytest.fixture(scope="session")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What dbt makes of the project; parsing opens no database."""
    target = tmp_path_factory.mktemp("parse")
    done = dbt("parse", "--no-partial-parse", database=target / "none.duckdb", folder=target)
    assert done.returncode == 0, done.stdout[-3000:]
    return json.loads((target / "target" / "manifest.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def models(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    return [node for node in manifest["nodes"].values() if node["resource_type"] == "model"]


def layer(model: dict[str, Any]) -> str:
    return Path(model["original_file_path"]).parts[1]


def test_staging_alone_reads_sources(models: list[dict[str, Any]]) -> None:
    readers = {
        model["unique_id"]
        for model in models
        if layer(model) != "staging"
        and any(parent.startswith("source.") for parent in model["depends_on"]["nodes"])
    }
    assert readers == set()


def test_layers_point_one_way(manifest: dict[str, Any], models: list[dict[str, Any]]) -> None:
    order = {"staging": 0, "intermediate": 1, "metrics": 2, "marts": 3}
    backward = [
        f"{model['name']} -> {manifest['nodes'][parent]['name']}"
        for model in models
        for parent in model["depends_on"]["nodes"]
        if parent.startswith("model.")
        and order[layer(manifest["nodes"][parent])] > order[layer(model)]
    ]
    assert backward == []


def test_every_model_says_what_it_is_and_ends_with_its_grain(
    models: list[dict[str, Any]],
) -> None:
    silent = [
        model["unique_id"]
        for model in models
        if not re.search(r"\bOne row per [^.]+\.$", model["description"].strip())
    ]
    assert silent == []


def test_every_seed_is_described(manifest: dict[str, Any]) -> None:
    seeds = [node for node in manifest["nodes"].values() if node["resource_type"] == "seed"]
    assert [seed["name"] for seed in seeds if not seed["description"].strip()] == []


def test_every_mart_has_a_contract_of_described_scalar_columns(
    models: list[dict[str, Any]],
) -> None:
    marts = [model for model in models if layer(model) == "marts"]
    assert marts
    for mart in marts:
        assert mart["config"]["contract"]["enforced"], mart["name"]
        assert mart["config"]["materialized"] in ("table", "incremental", "view"), mart["name"]
        for column in mart["columns"].values():
            where = f"{mart['name']}.{column['name']}"
            assert SCALARS.match(column["data_type"] or ""), where
            assert column["description"].strip(), where


def test_every_mart_is_tested(manifest: dict[str, Any], models: list[dict[str, Any]]) -> None:
    tested = {
        parent
        for node in manifest["nodes"].values()
        if node["resource_type"] == "test"
        for parent in node["depends_on"]["nodes"]
    }
    untested = [
        mart["name"]
        for mart in models
        if layer(mart) == "marts" and mart["unique_id"] not in tested
    ]
    assert untested == []


def test_every_metric_says_what_the_catalogue_needs(models: list[dict[str, Any]]) -> None:
    metrics = [model for model in models if layer(model) == "metrics"]
    assert metrics
    for metric in metrics:
        meta = metric["config"]["meta"]
        where = metric["unique_id"]
        assert metric["version"] is not None, f"{where}: no version"
        assert {"title", "unit", "higher_is_better", "source"} <= set(meta), where


def test_models_stand_beside_their_descriptions(models: list[dict[str, Any]]) -> None:
    strays = []
    for model in models:
        sql = ROOT / "dbt_project" / model["original_file_path"]
        described_in = (model["patch_path"] or "").removeprefix("mathmart://")
        named = re.sub(r"_v\d+$", "", sql.stem)
        if described_in and Path(described_in).stem not in (named, "models", f"_{layer(model)}"):
            strays.append(f"{model['original_file_path']} is described in {described_in}")
    assert strays == []
