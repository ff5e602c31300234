"""The MSU formula on vectors that an endpoint gave: the authors' results, embedder by embedder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingest.models.commands import run_embed
from tests.functional.models.endpoint_server import EndpointServer, vector
from tests.support import Warehouse


def write(path: Path, rows: list[dict]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.slow
def test_the_formula_holds_for_each_embedder_by_itself(
    shared: Path, warehouse: Warehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fixture = json.loads((shared / "oracles/msu/msu_formula_fixture.json").read_text())
    cases = {case["case"]: case for case in fixture["cases"]}
    problems = [{"problem_id": name, "question": "?", "gold_answer": "1"} for name in cases]
    outputs = [{"problem_id": name, "run_id": "run", "response": "1"} for name in cases]
    place = {"dataset_id": "formula", "extractor_id": "by hand"}
    named = [
        {**place, "problem_id": name, "concepts": case[side], **response}
        for name, case in cases.items()
        for side, response in (("N_h", {}), ("N_g", {"run_id": "run", "rollout_no": 1}))
    ]
    warehouse.load("problems", write(tmp_path / "problems.jsonl", problems), dataset="formula")
    outputs_file = write(tmp_path / "outputs.jsonl", outputs)
    warehouse.load("outputs", outputs_file, dataset="formula", model="m", prompt="p")
    warehouse.load("concepts", write(tmp_path / "concepts.jsonl", named))

    def embedding(model: str, text: str) -> list[float]:
        known = fixture["embeddings"].get(text)
        return known if known and model == "fixture" else vector(f"{model} {text}")

    with EndpointServer(embedding=embedding) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        for model in ("fixture", "another"):
            run_embed(warehouse.path, embedder=model)
    warehouse.build(["+concept_scores", "+metric_values"])
    scores = dict(
        warehouse.rows(
            "select regexp_replace(problem_id, '^formula/', ''), msu_v1 from marts.concept_scores "
            "where embedder_id = 'fixture'"
        )
    )
    expected = {name: case["msu"] for name, case in cases.items()}
    assert scores.keys() == expected.keys()
    for name, value in expected.items():
        assert scores[name] == pytest.approx(value, abs=1e-9), name
    means = dict(
        warehouse.rows(
            "select embedder_id, value from marts.metric_values "
            "where metric_id = 'msu' and metric_version = 1 and slice_kind = 'all'"
        )
    )
    assert means.keys() == {"fixture", "another"}
    mean = sum(expected.values()) / len(expected)
    assert means["fixture"] == pytest.approx(mean, abs=1e-9)
    assert abs(means["another"] - mean) > 1e-3
