"""Problems as `question` and `answer` (or `input` and `output`…) with nothing particular; MGSM, AMC23 copies, GaoKao.

Sources: the copies of mlfoundations/evalchemy, QwenLM/Qwen2.5-Math and deepseek-ai/DeepSeek-Math (`messages`
instead of a question); google-research/url-nlp, mgsm_<language>.tsv without a header.
Traps: answers are JSON numbers in some copies; ids may be missing; an MGSM file has two columns and no
names, which are not to be taken from its first problem.
"""

from collections.abc import Mapping
from pathlib import Path

from ingest.formats import Format, Sample
from ingest.json_sql import last_message

FORMAT = Format(
    name="question_answer",
    kind="problems",
    title="Problems with a question and an answer",
    example={"id": 0, "question": "What is 3+4?", "answer": 7},
    fields={
        "id": "VARCHAR",
        "idx": "VARCHAR",
        "dataset": "VARCHAR",
        "question": "VARCHAR",
        "messages": "JSON",
        "answer": "JSON",
        "solution": "VARCHAR",
        "level": "VARCHAR",
        "subject": "VARCHAR",
        "type": "VARCHAR",
    },
    requires=("answer",),
    check=lambda sample: (
        bool({"question", "messages"} & sample.fields)
        and not {
            "problem",
            "options",
            "choices",
            "response",
            "model_output",
            "final_answer",
            "gold",
        }
        & sample.fields
    ),
    problems=f"""
        select
            record_id,
            nullif(r.dataset, '') as dataset_id,
            coalesce(r.id, r.idx) as native_id,
            coalesce(r.question, {last_message("r.messages", "user")}) as question,
            case when json_type(r.answer) = 'ARRAY' then r.answer ->> '$[0]' else r.answer ->> '$' end
                as gold_answer,
            json_type(r.answer) = 'VARCHAR' as gold_is_text,
            r.solution as gold_solution,
            r.level as level,
            coalesce(r.subject, r.type) as subject,
            extra as metadata,
        from records
    """,
)


def about(path: Path) -> Mapping[str, str]:
    """`mgsm_zh.tsv`: the data set is the file's name."""
    return {"dataset_id": path.stem.lower()}


def _is_mgsm(sample: Sample) -> bool:
    return bool(sample.rows) and all(
        len(row) == 2 and len(row[0]) > 10 and row[1].strip().replace(",", "").lstrip("-").isdigit()
        for row in sample.rows
    )


MGSM = Format(
    name="mgsm",
    kind="problems",
    title="MGSM mgsm_<language>.tsv: question and number, no header",
    example={"question": "Ann has 3 apples and buys 4. How many?", "answer": "7"},
    fields={"question": "VARCHAR", "answer": "VARCHAR"},
    columns=("question", "answer"),
    check=_is_mgsm,
    about=about,
    problems="""
        select
            record_id,
            line::varchar as native_id,
            r.question as question,
            r.answer as gold_answer,
            'number' as answer_type,
        from records
    """,
)

FORMATS = (FORMAT, MGSM)
