"""Abel outputs: one reply a line with extracted answer, gold and verdict.

Source: GAIR-NLP/abel, outputs/<dataset>/<size>.jsonl.
Traps: the model is the file's name (`7b`), the data set the folder's; the question stands inside the prompt.
"""

from collections.abc import Mapping
from pathlib import Path

from ingest.formats import Format
from ingest.json_sql import merged, object_of, verdict_of


def about(path: Path) -> Mapping[str, str]:
    """Model from the file's name, data set from the folder's."""
    return {"model": path.stem, "dataset_id": path.parent.name or path.stem}


FORMAT = Format(
    name="abel",
    kind="outputs",
    title="Abel outputs: prompt, response, pred, gold, result",
    example={
        "id": 0,
        "prompt": "Question:\nWhat is 3+4?\nAnswer:\n",
        "response": "The answer is 7",
        "pred": "7",
        "gold": "7",
        "result": True,
    },
    fields={
        "id": "VARCHAR",
        "question": "VARCHAR",
        "prompt": "VARCHAR",
        "response": "VARCHAR",
        "pred": "JSON",
        "gold": "JSON",
        "result": "JSON",
    },
    requires=("prompt", "response", "pred", "gold"),
    about=about,
    problems="""
        select
            record_id,
            r.id as native_id,
            coalesce(r.question, r.prompt) as question,
            r.question is null as question_is_prompt,
            r.gold ->> '$' as gold_answer,
        from records
    """,
    responses=f"""
        select
            record_id,
            r.id as native_id,
            about ->> 'model' as model,
            'Abel' as tool,
            r.response as response,
            r.pred ->> '$' as reported_answer,
            {verdict_of("r.result")} as reported_correct,
            {merged("extra", object_of(prompt="r.prompt"))} as metadata,
        from records
    """,
)
