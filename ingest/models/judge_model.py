"""A model's word on a response: kept beside the rule-based verdict, never instead of it."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import duckdb

from ingest.models.budget import Budget
from ingest.models.concepts import cost_of, shared
from ingest.models.endpoint import Endpoint
from ingest.models.prompt import Prompt, language_of
from ingest.models.runner import Recorder

_WORD = re.compile(r"\b(true|false)\b", re.IGNORECASE)
UNDECIDED = "undecided"


@dataclass(frozen=True)
class Case:
    """A response to judge. Equal responses to one problem are judged once."""

    question: str
    gold: str
    response: str
    response_ids: tuple[str, ...]


def plan(
    connection: duckdb.DuckDBPyConnection,
    judge_model: str,
    judge_prompt: str,
    dataset_id: str | None = None,
    run_id: str | None = None,
) -> list[Case]:
    """Replies to problems with a gold solution or answer, not yet judged by this model and prompt.

    A verdict whose request failed counts as missing.
    """
    rows = connection.execute(
        """
        select
            any_value(problems.question),
            any_value(coalesce(nullif(trim(problems.gold_solution), ''), problems.gold_answer)),
            responses.response,
            list(responses.response_id order by responses.response_id)
        from raw.responses
        inner join raw.problems on responses.problem_id = problems.problem_id
        where trim(coalesce(responses.response, '')) <> ''
            and trim(coalesce(problems.gold_solution, problems.gold_answer, '')) <> ''
            and ($dataset_id is null or responses.dataset_id = $dataset_id)
            and ($run_id is null or responses.run_id = $run_id)
            and not exists (
                select 1 from raw.model_verdicts as verdicts
                where verdicts.response_id = responses.response_id
                    and verdicts.judge_model = $judge_model
                    and verdicts.judge_prompt = $judge_prompt
                    and verdicts.failure_kind is null
            )
        group by responses.problem_id, responses.response
        order by responses.problem_id, responses.response
        """,
        {
            "judge_model": judge_model,
            "judge_prompt": judge_prompt,
            "dataset_id": dataset_id,
            "run_id": run_id,
        },
    ).fetchall()
    return [Case(question or "", gold, text, tuple(ids)) for question, gold, text, ids in rows]


def request_text(prompt: Prompt, case: Case) -> str:
    """The user message for one case."""
    language = language_of(case.question + case.gold)
    return prompt.render(language, question=case.question, gold=case.gold, response=case.response)


def parse_verdict(text: str) -> str:
    """'true' or 'false' where the reply holds that word and not the other, else 'undecided'.

    "(True/False)", "neither true nor false" and "probably" decide nothing.
    """
    words = {word.lower() for word in _WORD.findall(text)}
    return words.pop() if len(words) == 1 else UNDECIDED


def asker(
    model: str,
    prompt: Prompt,
    endpoint: Endpoint,
    budget: Budget,
    max_tokens: dict[str, int],
) -> Callable[[Case, Recorder], Awaitable[None]]:
    """The handler that asks for one verdict and records it for all responses that share it."""

    async def ask(case: Case, recorder: Recorder) -> None:
        message = {"role": "user", "content": request_text(prompt, case)}
        payload = {"model": model, "messages": [message], "temperature": 0, **max_tokens}
        reply = await endpoint.chat(payload)
        cost = cost_of(reply, budget)
        for number, response_id in enumerate(case.response_ids):
            row: dict[str, Any] = {
                "response_id": response_id,
                "judge_model": model,
                "judge_prompt": prompt.label,
                "verdict": parse_verdict(reply.text or ""),
                "judge_text": reply.text,
                **(cost if number == 0 else shared(cost)),
            }
            recorder.record("model_verdicts", [row], failure=reply.failure_reason)

    return ask
