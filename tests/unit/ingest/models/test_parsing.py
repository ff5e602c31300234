"""What a model's words become, and what a server's headers and prices mean."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from ingest.errors import UsageError
from ingest.models.concepts import parse_list
from ingest.models.endpoint import CallFailed, read_chat, read_usage, retry_after, wait_before
from ingest.models.judge_model import parse_verdict
from ingest.models.prices import Price, PriceTable, Usage
from ingest.models.prompt import read_prompt


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("linear equation, factoring, linear equation", ["linear equation", "factoring", "linear equation"]),
        ("Concepts: ratio, proportion.", ["ratio", "proportion"]),
        ("- ratio\n- proportion", ["ratio", "proportion"]),
        ("1. ratio\n2. proportion", ["ratio", "proportion"]),
        ("勾股定理、相似三角形，面积。", ["勾股定理", "相似三角形", "面积"]),
        ("", []),
        (" , ,", []),
    ],
)  # fmt: skip
def test_a_list_of_concepts(text: str, items: list[str]) -> None:
    assert parse_list(text) == items


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("True", "true"),
        ("**False**.", "false"),
        ("The answer is true.", "true"),
        ("(True/False)", "undecided"),
        ("It is neither true nor false", "undecided"),
        ("Untrue", "undecided"),
        ("Probably", "undecided"),
        ("", "undecided"),
    ],
)
def test_a_verdict_is_one_word_or_undecided(text: str, verdict: str) -> None:
    assert parse_verdict(text) == verdict


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_retry_after_may_be_a_date() -> None:
    moment = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    assert retry_after({"retry-after": moment}) == pytest.approx(90, abs=2)


def test_waits_never_fall_short_of_what_is_asked_and_grow_otherwise() -> None:
    assert all(20 <= (wait_before(1, 20.0, 0.5) or 0) <= 23 for _ in range(100))
    assert max(wait_before(1, None, 0.5) or 0 for _ in range(200)) <= 1
    assert 8 < max(wait_before(5, None, 0.5) or 0 for _ in range(200)) <= 16
    assert wait_before(1, 86_400.0, 0.5) is None


def test_usage_has_two_dialects() -> None:
    chat = {
        "prompt_tokens": 10,
        "completion_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 5},
    }
    responses = {
        "input_tokens": 10,
        "output_tokens": 7,
        "input_tokens_details": {"cached_tokens": 4},
        "output_tokens_details": {"reasoning_tokens": 5},
    }
    assert read_usage(chat) == read_usage(responses) == Usage(10, 4, 7, 5)
    assert read_usage(None) == read_usage({"prompt_tokens": "many"}) == Usage()


@pytest.mark.parametrize("body", [None, [], "x", {}, {"choices": []}, {"choices": [{}]}, 7])
def test_a_reply_of_any_shape_is_a_reply_or_a_failure(body: object) -> None:
    with pytest.raises(CallFailed, match="broken_reply"):
        read_chat(body)


def test_the_price_of_a_day() -> None:
    old, new = date(2025, 1, 1), date(2025, 6, 1)
    table = PriceTable(
        [
            Price("m", new, 1, 1, 1),
            Price("m", old, 9, 9, 9),
            Price("m-2025-02-02", old, 5, 5, 5),
        ]
    )
    assert table.find("m", date(2024, 12, 31)) is None
    assert table.find("m", date(2025, 5, 31)) == Price("m", old, 9, 9, 9)
    assert table.find("m", date(2025, 6, 1)) == Price("m", new, 1, 1, 1)
    assert table.find("m-2025-03-03", new) == Price("m", new, 1, 1, 1)
    assert table.find("m-2025-02-02", new) == Price("m-2025-02-02", old, 5, 5, 5)
    assert table.find("m-large", new) is None


def test_cached_tokens_are_charged_once() -> None:
    price = Price("m", date(2025, 1, 1), input=10, cached_input=1, output=100)
    assert price.cost(Usage(9844, 9842, 3, 2)) == pytest.approx((2 * 10 + 9842 + 3 * 100) / 1e6)


def test_the_bundled_prices_can_be_read() -> None:
    assert PriceTable.read().find("gpt-4o-mini", date(2026, 1, 1)) is not None


def test_a_broken_price_names_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(
        "model,valid_from,input_usd_per_million,cached_input_usd_per_million,"
        "output_usd_per_million,batch_factor,source\nm,yesterday,1,1,1,1,x\n"
    )
    with pytest.raises(ValueError, match=r"p\.csv:2"):
        PriceTable.read(path)


@pytest.mark.parametrize("name", ["zeroshot", "fewshot", "zeroshot_cot", "concepts", "judge"])
def test_bundled_prompts_speak_both_languages(name: str) -> None:
    prompt = read_prompt(name)
    values = dict.fromkeys(
        ("question", "solution", "gold", "response", "example_question", "example_solution"),
        r"\frac{a}{b} {{question}} $1 \1",
    )
    for language in ("en", "zh"):
        text = prompt.render(language, **values)
        assert values["question"] in text
        if "two_turn" in prompt.texts:
            for turn in (1, 2):
                asked = prompt.render(language, turn=turn, is_conversation=True, **values)
                assert "【N】" in asked and values["question"] in asked


def test_another_wording_is_another_hash(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("Solve: {{question}}")
    first = read_prompt(str(path))
    path.write_text("Solve now: {{question}}")
    second = read_prompt(str(path))
    assert first.name == second.name == "mine" and first.hash != second.hash
    assert second.render("zh", turn=2, question="x{y}") == "Solve now: x{y}"


@pytest.mark.parametrize("text", ["no placeholder", ""])
def test_a_prompt_must_hold_the_question(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.txt"
    path.write_text(text)
    with pytest.raises(UsageError, match="question"):
        read_prompt(str(path))
    with pytest.raises(UsageError, match="neither bundled nor a file"):
        read_prompt("fiveshot")
