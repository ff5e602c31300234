"""The bundled demo: which files it loads, and how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ingest.console import loads
from ingest.errors import UsageError
from ingest.load import LoadReport
from ingest.warehouse import open_warehouse

FOLDER = Path(__file__).resolve().parents[1] / "demo"
SHOWN = ("leaderboard", "steps", "at-k", "msu", "tiers")


@dataclass(frozen=True)
class Step:
    """One load: a kind, the files it takes, and what the files do not say of themselves."""

    kind: str
    files: tuple[str, ...]
    dataset: str | None = None
    model: str | None = None
    prompt: str | None = None


STEPS = (
    Step("problems", ("problems.jsonl",), "demo_math"),
    Step(
        "outputs",
        (
            "outputs_demo-alpha_zeroshot.jsonl",
            "outputs_demo-alpha_fewshot.jsonl",
            "outputs_demo-beta_zeroshot.jsonl",
            "outputs_demo-gamma_zeroshot.jsonl",
        ),
        "demo_math",
    ),
    Step("embeddings", ("embeddings.jsonl",), "demo_math"),
    Step("problems", ("scmath6_problems.jsonl",), "demo_scmath6"),
    Step("outputs", ("scmath6_demo-alpha.json",), "demo_scmath6", "demo-alpha", "zeroshot"),
    Step("outputs", ("scmath6_demo-beta.json",), "demo_scmath6", "demo-beta", "zeroshot"),
    Step("outputs", ("scmath6_demo-gamma.json",), "demo_scmath6", "demo-gamma", "zeroshot"),
    Step("outputs", ("rollouts_demo-delta.jsonl",), "demo_rollouts", "demo-delta", "zeroshot"),
    Step("outputs", ("msu_study.csv",), "demo_msu_study"),
)


def load(database: Path, report: Callable[[str], None]) -> list[LoadReport]:
    """Loads the demo files; what is there already stays as it is.

    Raises UsageError where the database holds something else: made-up numbers must not mix with
    measured ones.
    """
    _refuse_own_data(database)
    reports: list[LoadReport] = []
    for step in STEPS:
        paths = [FOLDER / name for name in step.files]
        options = {"dataset": step.dataset, "model": step.model, "prompt": step.prompt}
        reports += loads.run(database, step.kind, paths, report, **options)
    return reports


def _refuse_own_data(database: Path) -> None:
    if not database.exists() or database.stat().st_size == 0:
        return
    with open_warehouse(database, read_only=True) as connection:
        others = connection.execute(
            "select distinct dataset_id from raw.loads"
            " where dataset_id not like 'demo%' and rows_loaded > 0"
        ).fetchall()
    if others:
        raise UsageError(
            f"{database} holds data of its own ({others[0][0]}), and the demo's made-up numbers "
            "would mix with it. Give the demo a file of its own: mathmart --db demo.duckdb demo"
        )


WHAT_NEXT = """The numbers above are made up, like the models. What next:
  mathmart show metrics                             what each number means
  mathmart sql "from marts.leaderboard"             ask your own questions
  mathmart docs                                     every model, column and test, with lineage
  mathmart --db mine.duckdb load outputs FILE...    begin with your own files"""
