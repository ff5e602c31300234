"""SC-Math6 through load and build equals the published scorer, to the digit."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance import scmath6_reference as reference
from tests.support import Warehouse

FUZZ_FILES = 24
SEED = 20240202

# The scorer's keys, and where their figures stand in marts.metric_values at version 1.
PRINTED = {
    "第一轮准确率": ("turn_accuracy", "1"),
    "第二轮准确率": ("turn_accuracy", "2"),
    "全面准确率": ("overall_accuracy", ""),
    "平均准确率": ("average_accuracy", ""),
    "准确率综合得分": ("accuracy_composite", ""),
    "推理步数加权得分": ("step_weighted_score", ""),
    "综合得分": ("composite_score", ""),
    "指令遵循率（答案）": ("instruction_following_rate", ""),
    "获取到括号内作为答案数量": ("bracket_answers", ""),
    "获取到最后一个数字作为答案数量": ("fallback_answers", ""),
    "标准答案无法获取": ("unanswered_replies", ""),
    "尚获取到模型回复": ("missing_replies", ""),
    "答案平均长度": ("answer_length", ""),
}

ANSWERS = ["7", "07", "35", "3", "12", "120", "0", "３５", "٣", "35.0", "-5", "1,234"]
FRAMES = [
    "答案【{}】",
    "先得【12】，再得【{}】",
    "【{}】然后【12】",
    "答案是{}。",
    "最终答案:{}\n",
    "【{}元】",
    "【 {} 】",
    "共 {} 个，约3.50元",
    "{}",
    "不知道",
    "没有答案\n\n",
    " ",
    "【】",
    "𝟛个{}",
]


def random_record(rng: random.Random, steps: list[object]) -> dict[str, object]:
    record: dict[str, object] = {}
    for reply_key, gold_key, step_key in reference.TURNS:
        answer = rng.choice(ANSWERS)
        reply = rng.choice(FRAMES).format(answer)
        fate = rng.random()
        if fate < 0.05:
            record[reply_key] = rng.choice([None, ""])
        elif fate > 0.02:
            record[reply_key] = reply
        gold: object = reference.extract(reply)[0] if rng.random() < 0.6 else rng.choice(ANSWERS)
        if rng.random() < 0.04:
            gold = rng.choice(["", 7, 35, None, "35 "])
        record[gold_key] = gold
        record[step_key] = rng.choice(steps)
    return record


def random_files(folder: Path) -> dict[str, list[dict[str, object]]]:
    """Files of random pairs: usual ones, tiny ones, ones that lack steps or carry odd ones."""
    rng = random.Random(SEED)
    files = {}
    for number in range(FUZZ_FILES):
        steps: list[object] = [*"12345"]
        if number % 4 == 1:
            steps += ["6", "10", "0", 3]
        if number % 8 == 2:
            steps.remove(rng.choice(steps))
        pairs = rng.choice([3, 12]) if number % 6 == 5 else rng.randint(40, 160)
        records = [random_record(rng, steps) for _ in range(pairs)]
        name = f"fuzz_{number:02}.jsonl"
        text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        (folder / name).write_text(text, encoding="utf-8")
        files[name] = records
    return files


def measured(folder: Path, fill: Callable[[Warehouse], None]) -> Warehouse:
    """A warehouse that `fill` loaded, built as far as the long table and the runs."""
    warehouse = Warehouse(folder / "scmath6.duckdb")
    fill(warehouse)
    warehouse.build(["+metric_values", "+runs"])
    return warehouse


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory) -> tuple[Warehouse, dict[str, list[dict[str, object]]]]:
    folder = tmp_path_factory.mktemp("answers")
    files = random_files(folder)
    home = tmp_path_factory.mktemp("fuzz")
    return measured(home, lambda warehouse: warehouse.load("outputs", folder)), files


@pytest.fixture(scope="module")
def published(tmp_path_factory, shared: Path) -> Warehouse:
    oracles = shared / "oracles/scmath6"

    def fill(warehouse: Warehouse) -> None:
        sample = shared / "data/outputs/scmath6_sample_answer.json"
        warehouse.load("outputs", sample, model="sample")
        warehouse.load("outputs", oracles / "fixture_adversarial.jsonl", model="adversarial")
        warehouse.load("outputs", oracles / "fixture_keyerror.jsonl", model="keyerror")

    return measured(tmp_path_factory.mktemp("published"), fill)


def values(
    warehouse: Warehouse, file: str, version: int = 1
) -> dict[tuple[str, str], float | None]:
    """{(metric id, slice value): value} of the run from a file, in the slices the scorer prints."""
    rows = warehouse.rows(
        """
        select metric_id, slice_value, value
        from marts.metric_values
        inner join marts.runs using (run_id)
        where
            metric_version = $version and verdict_source = 'judge'
            and source_file like '%/' || $file
            and (slice_kind = 'all' or metric_id in ('turn_accuracy', 'step_accuracy'))
        """,
        {"version": version, "file": file},
    )
    return {(metric, slice_value): value for metric, slice_value, value in rows}


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("scmath6_sample_answer.json", "expected_sample.json"),
        ("fixture_adversarial.jsonl", "expected_adversarial.json"),
    ],
)
def test_every_printed_figure_is_in_the_long_table(
    published: Warehouse, shared: Path, file: str, expected: str
) -> None:
    printed = json.loads((shared / "oracles/scmath6" / expected).read_text())["evaluate_py"]
    steps = printed.pop("推理步数的成绩分布")
    wanted = {PRINTED[key]: value for key, value in printed.items()}
    wanted |= {("step_accuracy", step): value for step, value in steps.items()}
    found = values(published, file)
    assert {key: found.get(key) for key in wanted} == wanted


def test_a_step_without_a_right_answer_counts_as_zero(published: Warehouse) -> None:
    found = values(published, "fixture_keyerror.jsonl")
    assert [found["step_accuracy", step] for step in "12345"] == [1, 1, 1, 1, 0]
    assert found["step_weighted_score", ""] == 66.67
    assert found["composite_score", ""] == round(0.5 * 80.0 + 0.5 * 66.67, 2)


def test_random_files_score_as_the_rules_say(fuzzed) -> None:
    warehouse, files = fuzzed
    wrong = []
    for name, records in files.items():
        found = values(warehouse, name)
        wrong += [
            (name, key, value, found.get(key))
            for key, value in reference.scores(records).items()
            if found.get(key) != value
        ]
    assert wrong == []


def test_random_files_reach_every_case(fuzzed) -> None:
    _, files = fuzzed
    scored = [reference.scores(records) for records in files.values()]
    assert any(s["composite_score", ""] is None for s in scored)
    assert sum(s["composite_score", ""] is not None for s in scored) > FUZZ_FILES / 2
    assert any((s["unanswered_replies", ""] or 0) > 0 for s in scored)


def test_standard_errors_of_composites_are_those_of_their_derivatives(fuzzed) -> None:
    warehouse, files = fuzzed
    name, records = next(
        (n, r) for n, r in files.items() if reference.scores(r)["composite_score", ""]
    )
    found = dict(
        warehouse.rows(
            """
            select metric_id, std_error / 100
            from marts.metric_values
            inner join marts.runs using (run_id)
            where metric_version = 1 and slice_kind = 'all' and source_file like '%/' || $file
            """,
            {"file": name},
        )
    )
    for metric, error in reference.standard_errors(records).items():
        assert found[metric] == pytest.approx(error, rel=1e-6), metric


def test_question_level_error_clustered_by_conversation(published: Warehouse, shared: Path) -> None:
    anchor = json.loads((shared / "oracles/stats/anchors.json").read_text())[
        "scmath6_adversarial_average_acc_clustered_by_pair"
    ]
    found = published.rows(
        """
        select value / 100, std_error / 100, n_questions
        from marts.metric_values
        inner join marts.runs using (run_id)
        where metric_id = 'average_accuracy' and metric_version = 1 and model = 'adversarial'
        """
    )
    assert found == [
        (
            pytest.approx(anchor["mean"], abs=5e-5),
            pytest.approx(anchor["se_clustered_inspect"], rel=1e-12),
            anchor["N"],
        )
    ]
