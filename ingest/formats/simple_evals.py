"""simple-evals `<eval>_<model>_<time>_allresults.json`: conversations and HTML reports, in order.

Source: openai/simple-evals, simple_evals.py, common.py (HTML_JINJA).
Traps: no ids, and repeats (`n_repeats`) stand in one list: equal prompts are rollouts of one problem; gold,
extracted answer and score stand only in the HTML of a sample, and not in every eval's; where they do
not, the outcome stays undecided until a problems file brings the gold. The model is in the file's name.
"""

import html
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ingest.documents import children, members, record, to_json, whole_text
from ingest.formats import Format
from ingest.json_sql import last_message, object_of, text_of, verdict_of
from ingest.sisters import parsed
from ingest.sources import Source

_SAID = re.compile(r"<p>(Correct Answer|Extracted Answer|Score):\s*(.*?)</p>", re.DOTALL)
_NAME = re.compile(
    r"(?:SELFMADE_)?(?P<eval>[^_]+)_(?P<model>.+?)(?:_(?P<time>\d{8}_\d{6}))?(?:_DEBUG)?(?:_allresults)?"
)


def about(path: Path) -> Mapping[str, Any]:
    """Eval, model and time from the file's name."""
    found = _NAME.fullmatch(path.stem)
    if not found:
        return {}
    said = {"dataset_id": found["eval"], "model": found["model"], "time": found["time"]}
    return {name: value for name, value in said.items() if value}


def unpack(source: Source, encoding: str) -> Iterator[tuple[bytes, str | None]]:
    """{"convo": …, "said": what the HTML says, "summary": on the first record} per conversation."""
    document = members(whole_text(source, encoding))
    pages = children(document.get("htmls", b"[]"))
    summary = record(
        **{name: document[name] for name in ("score", "metrics", "metadata") if name in document}
    )
    count = 0
    for _, convo, problem in children(document.get("convos", b"[]")):
        _, page, _ = next(pages, (None, b"null", None))
        count += 1
        if problem:
            yield convo, problem
        else:
            first = summary if count == 1 else b"null"
            yield record(convo=convo, said=to_json(_read(page)), summary=first), None
    if not count:
        yield record(summary=summary), None


def _read(page: bytes) -> dict[str, str] | None:
    text = parsed(page)
    found = dict(_SAID.findall(text)) if isinstance(text, str) else {}
    return {name: html.unescape(value).strip() for name, value in found.items()} or None


_QUESTION = last_message("r.convo", "user")
_NATIVE = f"left(md5({_QUESTION}), 12)"

FORMAT = Format(
    name="simple_evals",
    kind="outputs",
    title="simple-evals <eval>_<model>_<time>_allresults.json: conversations with their HTML reports",
    example={
        "score": 0.5,
        "metrics": {"score": 0.5},
        "htmls": ["<p>Correct Answer: 7</p><p>Extracted Answer: 7</p><p>Score: 1.0</p>"],
        "convos": [
            [{"role": "user", "content": "3+4?"}, {"role": "assistant", "content": "7"}],
        ],
    },
    fields={"convo": "JSON", "said": "JSON", "summary": "JSON"},
    requires=("convos", "htmls"),
    about=about,
    unpack=unpack,
    problems=f"""
        select
            record_id,
            {_NATIVE} as native_id,
            {_QUESTION} as question,
            r.said ->> 'Correct Answer' as gold_answer,
        from records
        where {_QUESTION} is not null
    """,
    responses=f"""
        select
            record_id,
            {_NATIVE} as native_id,
            about ->> 'model' as model,
            'simple-evals' as tool,
            case when about ->> 'time' is not null
                then strftime(strptime(about ->> 'time', '%Y%m%d_%H%M%S'), '%Y-%m-%d %H:%M:%S') end
                as started_at,
            case
                when r.convo ->> '$[#-1].role' = 'assistant'
                then nullif({text_of("json_extract(r.convo, '$[#-1].content')")}, '')
            end as response,
            case when r.said ->> 'Extracted Answer' <> 'None' then r.said ->> 'Extracted Answer' end
                as reported_answer,
            {verdict_of("json_extract(r.said, '$.Score')")} as reported_correct,
            {object_of(messages="r.convo", html="r.said")} as metadata,
        from records
        where {_QUESTION} is not null
    """,
    metrics="""
        with keyed as (
            select
                *,
                unnest(coalesce(nullif(json_keys(r.summary -> 'metrics'), []), ['score'])) as metric,
            from records
            where json_type(r.summary) = 'OBJECT'
        )
        select
            record_id,
            row_number() over (partition by record_id order by metric) as item,
            about ->> 'model' as model,
            metric,
            coalesce(
                (json_member(r.summary -> 'metrics', metric) ->> '$'), r.summary ->> 'score'
            ) as value,
            case when json_type(r.summary -> 'metadata') = 'OBJECT' then r.summary -> 'metadata' end as metadata,
        from keyed
        where try_cast(coalesce(
            (json_member(r.summary -> 'metrics', metric) ->> '$'), r.summary ->> 'score'
        ) as double) is not null
    """,
)
