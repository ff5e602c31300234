"""Concepts of solutions: which solutions lack them, who extracts them, what becomes a row."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import duckdb

from ingest.models.budget import Budget
from ingest.models.endpoint import Endpoint, Reply
from ingest.models.prompt import Prompt, language_of
from ingest.models.runner import Recorder

# A reply that "lists" more is prose cut at its commas; the prompt asks for ten.
MAX_CONCEPTS = 40
MAX_CONCEPT_CHARS = 80
_BULLET = re.compile(r"^\s*(?:[-*•]|\(?\d{1,2}[.)、])\s*")
_SEPARATORS = re.compile(r"[,，、;；\n]")
_HEADING = re.compile(r"^[^,，、\n]{0,60}[:：]\s*(?=\S)")


@dataclass(frozen=True)
class Solution:
    """A text whose concepts are wanted. Equal texts of one problem are asked for once."""

    problem_id: str
    question: str
    text: str
    response_ids: tuple[str | None, ...]  # None: the human solution


def plan(
    connection: duckdb.DuckDBPyConnection,
    extractor_id: str,
    dataset_id: str | None = None,
    run_id: str | None = None,
) -> list[Solution]:
    """Human and generated solutions without concepts of this extractor, failed ones included.

    With a dataset, of that dataset alone; with a run, of that run and of the human solutions to
    its problems.
    """
    rows = connection.execute(
        """
        with solutions as (
            select problem_id, null as response_id, gold_solution as text
            from raw.problems
            where trim(coalesce(gold_solution, '')) <> ''
                and ($dataset_id is null or dataset_id = $dataset_id)
                and ($run_id is null or problem_id in (
                    select problem_id from raw.responses where run_id = $run_id
                ))
            union all
            select problem_id, response_id, response as text
            from raw.responses
            where trim(coalesce(response, '')) <> ''
                and ($dataset_id is null or dataset_id = $dataset_id)
                and ($run_id is null or run_id = $run_id)
        ),
        extracted as (
            select distinct problem_id, response_id
            from raw.concepts
            where extractor_id = $extractor_id and failure_kind is null
        )
        select
            solutions.problem_id,
            any_value(problems.question) as question,
            solutions.text,
            list(solutions.response_id order by solutions.response_id nulls first)
        from solutions
        left join raw.problems on solutions.problem_id = problems.problem_id
        where not exists (
            select 1 from extracted
            where extracted.problem_id = solutions.problem_id
                and extracted.response_id is not distinct from solutions.response_id
        )
        group by solutions.problem_id, solutions.text
        order by solutions.problem_id, solutions.text
        """,
        {"extractor_id": extractor_id, "dataset_id": dataset_id, "run_id": run_id},
    ).fetchall()
    return [
        Solution(problem, question or "", text, tuple(ids)) for problem, question, text, ids in rows
    ]


def extractor_id(model: str, prompt: Prompt) -> str:
    """Who extracted: another prompt is another extractor."""
    return f"{model} {prompt.label}"


def concept_rows(
    solution: Solution, extractor: str, concepts: list[str], cost: dict[str, Any]
) -> list[list[dict[str, Any]]]:
    """For every response that has this text: its raw.concepts rows, without load_id.

    What the request cost stands on the first row alone; the responses that shared it cost nothing.
    """
    answers = []
    for number, response_id in enumerate(solution.response_ids):
        place = {
            "problem_id": solution.problem_id,
            "response_id": response_id,
            "extractor_id": extractor,
        }
        rows: list[dict[str, Any]] = [
            {**place, "concept_no": n, "concept": concept}
            for n, concept in enumerate(concepts, start=1)
        ] or [{**place, "concept_no": 0, "concept": None}]
        rows[0] |= cost if number == 0 else shared(cost)
        answers.append(rows)
    return answers


def shared(cost: dict[str, Any]) -> dict[str, Any]:
    """`cost` for a row that shares another's request: the same words, no tokens, no dollars."""
    paid = {name for name in cost if name.endswith("_tokens") or name == "cost_usd"}
    return {name: 0 if name in paid and cost[name] is not None else cost[name] for name in cost}


def cost_of(reply: Reply, budget: Budget) -> dict[str, Any]:
    """The columns that say what a request took."""
    return {
        "failure_kind": reply.failure_kind,
        "failure_reason": reply.failure_reason,
        "finish_reason": reply.finish_reason,
        **budget.columns(reply.usage),
        "latency_seconds": reply.latency_seconds,
        "system_fingerprint": reply.system_fingerprint,
    }


def request_text(prompt: Prompt, solution: Solution) -> str:
    """The user message for one solution."""
    language = language_of(solution.question + solution.text)
    return prompt.render(language, question=solution.question, solution=solution.text)


def asker(
    model: str,
    prompt: Prompt,
    endpoint: Endpoint,
    budget: Budget,
    max_tokens: dict[str, int],
) -> Callable[[Solution, Recorder], Awaitable[None]]:
    """The handler that asks a model for one text's concepts."""

    async def ask(solution: Solution, recorder: Recorder) -> None:
        message = {"role": "user", "content": request_text(prompt, solution)}
        payload = {"model": model, "messages": [message], "temperature": 0, **max_tokens}
        reply = await endpoint.chat(payload)
        concepts = parse_list(reply.text or "")
        cost = cost_of(reply, budget)
        for rows in concept_rows(solution, extractor_id(model, prompt), concepts, cost):
            recorder.record("concepts", rows, failure=reply.failure_reason)

    return ask


def parse_list(text: str) -> list[str]:
    """A model's list as its items, in order, as they were written.

    Items are separated by commas (Chinese ones too), semicolons or lines; bullets, numbers, a
    heading such as "Concepts:" and a final dot are not part of them. Duplicates stay: version 1 of
    the metric counts them.
    """
    items: list[str] = []
    for part in _SEPARATORS.split(_HEADING.sub("", text.strip(), count=1)):
        item = _BULLET.sub("", part).strip().strip("*`\"'.。[]").strip()
        if item and len(item) <= MAX_CONCEPT_CHARS:
            items.append(item)
    return items[:MAX_CONCEPTS]
