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

from ingest.errors import MathmartError
from ingest.models.credentials import Scrubber
from ingest.models.examples import ExampleSet
from ingest.models.solve import Conversation, Run, pose

URL = "/v1/chat/completions"


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


def custom_id(run_id: str, rollout_no: int, problem_id: str) -> str:
    """How a request is named; `ingest.formats.openai_batch` reads it back."""
    return f"mathmart:{run_id}:{rollout_no}:{problem_id}"


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
                        run.run_id, conversation.rollout_no, question.problem_id
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
