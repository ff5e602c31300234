"""OVM rollouts: hundreds of labelled solutions per problem in `outputs`.

Source: FreedomIntelligence/OVM, eval/ and data/ `<dataset>/responses_n<k>_<model>.jsonl`.
Traps: the model and k stand in the file's name only; `label` may be missing, a boolean or 0/1; a verifier's
scores (`vscores`) are per token, of which the last values the solution.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ingest.formats import Format, Sample
from ingest.json_sql import merged, object_of, verdict_of, without

_NAME = re.compile(r"(?:(?P<dataset>.+?)_)?responses_n(?P<k>\d+)_(?P<model>[^.]+)(?:\..*)?")


def about(path: Path) -> Mapping[str, Any]:
    """`<dataset>_responses_n<k>_<model>`: data set, model."""
    found = _NAME.fullmatch(path.stem)
    if not found:
        return {}
    return {"model": found["model"], "dataset_id": found["dataset"] or path.parent.name}


def _fits(sample: Sample) -> bool:
    return sample.every(
        lambda record: (
            isinstance(record["outputs"], list)
            and all(isinstance(one, dict) and "response" in one for one in record["outputs"][:3])
        )
    )


FORMAT = Format(
    name="ovm",
    kind="outputs",
    title="OVM rollouts: a list of outputs with response, response_answer, label",
    example={
        "idx": 0,
        "question": "What is 3+4?",
        "ground_truth": "7",
        "outputs": [{"response": "3+4=7. The answer is 7", "response_answer": "7", "label": True}],
    },
    fields={
        "idx": "VARCHAR",
        "input": "VARCHAR",
        "question": "VARCHAR",
        "answer": "VARCHAR",
        "ground_truth": "JSON",
        "outputs": "JSON",
    },
    requires=("outputs",),
    check=_fits,
    about=about,
    problems=f"""
        select
            record_id,
            r.idx as native_id,
            coalesce(r.question, r.input) as question,
            r.ground_truth ->> '$' as gold_answer,
            r.answer as gold_solution,
            {merged("extra", object_of(input="case when r.input <> r.question then r.input end"))}
                as metadata,
        from records
        where coalesce(r.question, r.input) is not null or r.ground_truth is not null
    """,
    responses=f"""
        with listed as (select *, from_json(r.outputs, '["JSON"]') as outputs from records),
        rollouts as (select *, unnest(range(1, len(outputs) + 1)) as n from listed),
        opened as (select * exclude (outputs), outputs[n] as output from rollouts)
        select
            record_id,
            n as item,
            n as rollout_no,
            r.idx as native_id,
            about ->> 'model' as model,
            'OVM' as tool,
            output ->> 'response' as response,
            output ->> 'response_answer' as reported_answer,
            {verdict_of("(output -> 'label')")} as reported_correct,
            coalesce(output ->> '$.vscores[#-1]', output ->> 'vscore', output ->> 'score')
                as reward_score,
            {without("output", "response", "response_answer", "label")} as metadata,
        from opened
    """,
)
