"""Posing a dataset's problems to a model: which are missing, what is sent, what becomes a row."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import duckdb

from ingest.errors import MathmartError
from ingest.models.budget import Budget
from ingest.models.endpoint import Endpoint, Reply
from ingest.models.estimate import Estimate
from ingest.models.examples import Example, ExampleSet, Match
from ingest.models.merge import now
from ingest.models.prompt import Prompt, language_of
from ingest.models.runner import Recorder

SOURCE_FORMAT = "endpoint"


@dataclass(frozen=True)
class Settings:
    """What shapes a run's answers. None leaves the server's default."""

    temperature: float | None = None
    max_tokens: int | None = None
    top_p: float | None = None
    seed: int | None = None
    # Newer OpenAI models refuse `max_tokens`, older servers know nothing else.
    max_tokens_field: str = "max_completion_tokens"

    def payload(self, rollout_no: int) -> dict[str, Any]:
        """The request's fields. Rollout n gets seed + n - 1: one seed for all would repeat one
        answer n times."""
        fields = {
            "temperature": self.temperature,
            "top_p": self.top_p,
            self.max_tokens_field: self.max_tokens,
            "seed": None if self.seed is None else self.seed + rollout_no - 1,
        }
        return {name: value for name, value in fields.items() if value is not None}

    def as_dict(self) -> dict[str, Any]:
        """As raw.runs.settings keeps them."""
        return {
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "top_p": self.top_p,
            "seed": self.seed,
        }


@dataclass(frozen=True)
class Run:
    """One system under test: the same endpoint, model, prompt and settings are the same run."""

    dataset_id: str
    model: str
    prompt: Prompt
    settings: Settings
    url: str
    examples_from: str | None = None
    examples_hash: str | None = None

    @cached_property
    def key(self) -> str:
        """Everything that makes this run this run, as one text."""
        parts = {
            "endpoint": self.url,
            "prompt_sha256": self.prompt.hash,
            **self.settings.as_dict(),
            "examples_from": self.examples_from,
            "examples_sha256": self.examples_hash,
        }
        return json.dumps(parts, sort_keys=True)

    @cached_property
    def run_id(self) -> str:
        text = f"{self.dataset_id}|{self.model}|{self.prompt.name}|{self.key}"
        return hashlib.md5(text.encode()).hexdigest()[:16]

    @cached_property
    def key_sha256(self) -> str:
        """Stands where a file's hash stands for runs that came from files."""
        return hashlib.sha256(f"{self.run_id}|{self.key}".encode()).hexdigest()

    @cached_property
    def source(self) -> str:
        """The endpoint and the model, as lineage names them."""
        return f"{self.url}#{self.model}"

    def response_id(self, problem_id: str, rollout_no: int) -> str:
        """The key of one rollout of one problem."""
        text = f"{self.run_id}|{problem_id}|{rollout_no}"
        return hashlib.md5(text.encode()).hexdigest()[:20]

    def row(self) -> dict[str, Any]:
        """The raw.runs row, without load_id."""
        return {
            "run_id": self.run_id,
            "model": self.model,
            "prompt": self.prompt.name,
            "dataset_id": self.dataset_id,
            "settings": {
                **self.settings.as_dict(),
                "prompt_version": self.prompt.version,
                "prompt_sha256": self.prompt.hash,
                "examples_from": self.examples_from,
            },
            "tool": "mathmart",
            "started_at": now(),
            "metadata": {"endpoint": self.url, "examples_sha256": self.examples_hash},
            "source_format": SOURCE_FORMAT,
            "source_file": self.source,
            "file_sha256": self.key_sha256,
        }


@dataclass(frozen=True)
class Question:
    """One problem as it is posed."""

    problem_id: str
    turn: int
    question: str
    choices: tuple[str, ...]
    level: str | None
    subject: str | None


@dataclass(frozen=True)
class Conversation:
    """One rollout of one problem, or of a problem with its follow-ups, in the order of turns.

    `answered` holds the replies that the run already has, by turn; the others are asked for.
    """

    turns: tuple[Question, ...]
    is_conversation: bool
    rollout_no: int
    answered: dict[int, str] = field(default_factory=dict)

    @property
    def missing(self) -> list[Question]:
        return [question for question in self.turns if question.turn not in self.answered]


def plan(connection: duckdb.DuckDBPyConnection, run: Run, n_rollouts: int) -> list[Conversation]:
    """What is missing of `n_rollouts` of every problem: never asked, or asked without a reply.

    Problems come in the order of their file. Raises MathmartError where the dataset is unknown.
    """
    problems = connection.execute(
        """
        select
            problem_id, conversation_id, turn, question, choices::varchar, level, subject
        from raw.problems
        where dataset_id = ? and question is not null
        order by source_file, source_line, turn, problem_id
        """,
        [run.dataset_id],
    ).fetchall()
    if not problems:
        known = connection.execute("select distinct dataset_id from raw.problems order by all")
        names = ", ".join(str(row[0]) for row in known.fetchall()) or "none"
        raise MathmartError(
            f"dataset {run.dataset_id!r}: it has no problems here. Datasets here: {names}. "
            "Load problems with `mathmart load problems PATH --dataset NAME`."
        )
    answered: dict[tuple[str, int], str] = {}
    for problem_id, rollout_no, response in connection.execute(
        "select problem_id, rollout_no, response from raw.responses "
        "where run_id = ? and response is not null",
        [run.run_id],
    ).fetchall():
        answered[problem_id, rollout_no] = response or ""
    groups: dict[str, list[Question]] = defaultdict(list)
    in_conversation = set()
    for problem_id, conversation_id, turn, question, choices, level, subject in problems:
        group = problem_id if conversation_id is None else f"conversation {conversation_id}"
        if conversation_id is not None:
            in_conversation.add(group)
        listed = tuple(str(choice) for choice in json.loads(choices)) if choices else ()
        groups[group].append(Question(problem_id, turn, question, listed, level, subject))
    # Rollout by rollout: a run that stops early has every problem as often as any other.
    conversations = (
        Conversation(
            turns=tuple(questions),
            is_conversation=group in in_conversation,
            rollout_no=rollout_no,
            answered={
                question.turn: answered[question.problem_id, rollout_no]
                for question in questions
                if (question.problem_id, rollout_no) in answered
            },
        )
        for rollout_no in range(1, n_rollouts + 1)
        for group, questions in groups.items()
    )
    return [conversation for conversation in conversations if conversation.missing]


def estimate(run: Run, missing: Sequence[Conversation], examples: ExampleSet | None) -> Estimate:
    """Requests, tokens and cost of what is missing."""
    return Estimate.of_requests(
        (pose(run, question, talk.is_conversation, examples).text, run.settings.max_tokens)
        for talk in missing
        for question in talk.missing
    )


@dataclass(frozen=True)
class Posed:
    """A question in the words in which it is sent."""

    text: str
    example: Example | None
    match: Match | None


def pose(run: Run, question: Question, is_conversation: bool, examples: ExampleSet | None) -> Posed:
    """The text of one user message."""
    language = language_of(question.question)
    values = {"question": question.question + _choices(question.choices)}
    example, match = None, None
    if examples is not None and question.turn == 1:
        example, match = examples.choose(question.subject, question.level, language)
        values |= {"example_question": example.question, "example_solution": example.solution}
    text = run.prompt.render(
        language,
        turn=question.turn,
        is_conversation=is_conversation,
        **values,
    )
    return Posed(text, example, match)


def asker(
    run: Run, endpoint: Endpoint, budget: Budget, examples: ExampleSet | None
) -> Callable[[Conversation, Recorder], Awaitable[None]]:
    """The handler that asks a conversation's missing turns and records each reply."""

    async def ask(conversation: Conversation, recorder: Recorder) -> None:
        messages: list[dict[str, str]] = []
        for number, question in enumerate(conversation.turns):
            posed = pose(run, question, conversation.is_conversation, examples)
            messages.append({"role": "user", "content": posed.text})
            text = conversation.answered.get(question.turn)
            if text is None:
                payload = {
                    "model": run.model,
                    "messages": messages,
                    **run.settings.payload(conversation.rollout_no),
                }
                reply = await endpoint.chat(payload)
                row = response_row(run, question, conversation.rollout_no, posed, reply, budget)
                _record(recorder, row, reply.failure_reason)
                text = reply.text
            if text is None:
                # A follow-up makes no sense without the first answer, so it has none either.
                for later in conversation.turns[number + 1 :]:
                    if later.turn not in conversation.answered:
                        row = unasked_row(run, later, conversation.rollout_no)
                        _record(recorder, row, row["failure_reason"])
                return
            messages.append({"role": "assistant", "content": text})

    return ask


def _record(recorder: Recorder, row: dict[str, Any], failure: str | None) -> None:
    row["source_line"] = recorder.load_row_no
    recorder.record("responses", [row], failure=failure)


def response_row(
    run: Run, question: Question, rollout_no: int, posed: Posed, reply: Reply, budget: Budget
) -> dict[str, Any]:
    """One raw.responses row, without load_id and source_line."""
    metadata: dict[str, Any] = {"attempts": reply.attempts, "finished_at": now().isoformat()}
    if reply.model is not None and reply.model != run.model:
        metadata["served_model"] = reply.model
    if posed.example is not None:
        metadata |= {"example_id": posed.example.example_id, "example_match": posed.match}
    return {
        **_place(run, question, rollout_no),
        "response": reply.text,
        "finish_reason": reply.finish_reason,
        "failure_kind": reply.failure_kind,
        "failure_reason": reply.failure_reason,
        **budget.columns(reply.usage),
        "latency_seconds": reply.latency_seconds,
        "system_fingerprint": reply.system_fingerprint,
        "metadata": metadata,
    }


def unasked_row(run: Run, question: Question, rollout_no: int) -> dict[str, Any]:
    """The row of a follow-up that could not be asked."""
    return {
        **_place(run, question, rollout_no),
        "failure_kind": "not_asked",
        "failure_reason": "the turn before it has no reply",
    }


def _place(run: Run, question: Question, rollout_no: int) -> dict[str, Any]:
    return {
        "response_id": run.response_id(question.problem_id, rollout_no),
        "run_id": run.run_id,
        "problem_id": question.problem_id,
        "dataset_id": run.dataset_id,
        "rollout_no": rollout_no,
        "source_file": run.source,
    }


def _choices(choices: tuple[str, ...]) -> str:
    if not choices:
        return ""
    lines = [f"{chr(ord('A') + n)}) {choice}" for n, choice in enumerate(choices)]
    return "\n" + "\n".join(lines)
