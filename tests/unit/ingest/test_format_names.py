"""A misspelt --format is told the names that are like it."""

from __future__ import annotations

import re

import pytest

from ingest.errors import UsageError
from ingest.formats import all_formats, format_named


@pytest.mark.parametrize(
    ("name", "kind", "near"),
    [
        ("qwen25_maths", "outputs", "qwen25_math"),
        ("Simple-Evals", "outputs", "simple_evals"),
        ("opencompas", None, "opencompass"),
        ("native_problem", "problems", "native_problems"),
    ],
)
def test_the_nearest_names_are_suggested(name: str, kind: str | None, near: str) -> None:
    with pytest.raises(UsageError) as caught:
        format_named(name, kind)
    said = str(caught.value)
    assert "Did you mean " in said and near in said.split("?")[0]
    assert "`mathmart formats`" in said
    assert said.split("?")[0].count(" or ") <= 2


def test_names_of_another_kind_are_not_suggested() -> None:
    with pytest.raises(UsageError) as caught:
        format_named("native_output", "problems")
    said = str(caught.value).partition("no such format for problems.")[2]
    suggested = set(re.findall(r"\w+", said)) & set(all_formats())
    assert suggested and {all_formats()[name].kind for name in suggested} == {"problems"}


def test_a_name_like_no_other_is_told_them_all() -> None:
    with pytest.raises(UsageError, match=r"There are: .*native_concepts.*`mathmart formats`"):
        format_named("zzzzzz", "concepts")


def test_a_format_of_another_kind_is_named_with_its_command() -> None:
    with pytest.raises(UsageError, match="mathmart load problems"):
        format_named("native_problems", "outputs")


def test_every_format_is_found_by_its_name() -> None:
    for name, form in all_formats().items():
        assert format_named(name, None) is form
        assert format_named(name, form.kind) is form
