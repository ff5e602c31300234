"""Requests for the OpenAI Batch API: a file to upload, whose results `load outputs` reads.

A request's custom_id says all that its result needs to become a row: run, rollout and problem. So
results join in any order, from any number of files, without the file of requests.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ingest.errors import MathmartError, UsageError
from ingest.models.credentials import Scrubber
from ingest.models.examples import ExampleSet
from ingest.models.solve import Conversation, Question, Run, pose

URL = "/v1/chat/completions"
SEPARATOR = "|"


@dataclass(frozen=True)
class Written:
    """How many requests were written, and how many follow-ups wait for the answer before them."""

    n_requests: int
    n_waiting: int

    def lines(self, path: Path) -> list[str]:
        """For people."""
        lines = [f"{self.n_requests} requests written to {path}"]
        if self.n_waiting:
            lines.append(f"{self.n_waiting} follow-ups wait for the results of the turn before")
        return lines


def custom_id(run: Run, question: Question, rollout_no: int, is_conversation: bool) -> str:
    """How a request is named; `ingest.formats.openai_batch` reads it back.

    Raises UsageError where the dataset's name holds the sign that separates the parts.
    """
    if SEPARATOR in run.dataset_id:
        raise UsageError(f"dataset {run.dataset_id!r}: a batch needs a name without {SEPARATOR!r}.")
    turn = str(question.turn) if is_conversation else ""
    native_id = question.problem_id.removeprefix(f"{run.dataset_id}/")
    if turn:
        native_id = native_id.removesuffix(f"#{turn}")
    parts = ("mathmart", run.run_id, str(rollout_no), turn, run.dataset_id, native_id)
    return SEPARATOR.join(parts)


def write(
    path: Path, run: Run, conversations: Sequence[Conversation], examples: ExampleSet | None
) -> Written:
    """Write one request per conversation, for its first missing turn; swap the file in whole."""
    scrub = Scrubber()
    n_written = n_waiting = 0
    draft = path.with_name(f"{path.name}.part")
    try:
        with draft.open("w", encoding="utf-8", newline="\n") as file:
            for conversation in conversations:
                messages: list[dict[str, str]] = []
                for question in conversation.turns:
                    posed = pose(run, question, conversation.is_conversation, examples)
                    messages.append({"role": "user", "content": posed.text})
                    answer = conversation.answered.get(question.turn)
                    if answer is None:
                        break
                    messages.append({"role": "assistant", "content": answer})
                request = {
                    "custom_id": custom_id(
                        run, question, conversation.rollout_no, conversation.is_conversation
                    ),
                    "method": "POST",
                    "url": URL,
                    "body": {
                        "model": run.model,
                        "messages": messages,
                        **run.settings.payload(conversation.rollout_no),
                    },
                }
                file.write(json.dumps(scrub.value(request), ensure_ascii=False) + "\n")
                n_written += 1
                n_waiting += len(conversation.missing) - 1
        os.replace(draft, path)
    except OSError as error:
        raise MathmartError(f"{path}: cannot be written ({error}).") from error
    return Written(n_written, n_waiting)
