"""MCTSr and LLaMA-Berry search trees: `<dataset>-<model>-…-<rollouts>/jsons/<md5>.json`, one tree a file.

Source: trotsky1997/MathBlackBox, run_with_earlystopping.py.
Traps: the model stands in the folder's name only; the file's name is a hash of the question;
`answers_list` is in the order of search and holds "I Don't Know" items, which are no answers;
`ground_truth` is a whole solution; a search taken up again rewrites its file with more answers. The
reward of an answer is the mean of its rewards in the search.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ingest.answers import after_hashes, last_boxed
from ingest.formats import Format
from ingest.json_sql import list_of, member, merged, object_of


def about(path: Path) -> Mapping[str, Any]:
    """Run, data set and model from the folder above `jsons`; the problem from the file's name."""
    said: dict[str, Any] = {"problem": path.stem}
    if path.parent.name != "jsons":
        return said
    folder = path.parent.parent.name
    said |= {"run": folder, "dataset_id": folder.split("-")[0]}
    found = re.fullmatch(r"[^-]+-(?P<model>.+?)(?:-new|-mcts[^-]*|-\d+)*", folder)
    if found:
        said["model"] = found["model"]
    return said


FORMAT = Format(
    name="mctsr",
    kind="outputs",
    title="MCTSr and LLaMA-Berry search trees: jsons/<md5>.json",
    example={
        "query": "3+4?",
        "ground_truth": "3+4=7 #### 7",
        "answers_list": ["The answer is 8. #### 8", "The answer is 7. #### 7"],
        "to_explore_reward": {"The answer is 7. #### 7": [80, 90]},
    },
    fields={
        "query": "VARCHAR",
        "ground_truth": "VARCHAR",
        "answers_list": "JSON",
        "to_explore_reward": "JSON",
    },
    requires=("query", "ground_truth", "answers_list"),
    about=about,
    problems=f"""
        select
            record_id,
            about ->> 'problem' as native_id,
            r.query as question,
            coalesce({after_hashes("r.ground_truth")}, {last_boxed("r.ground_truth")}, r.ground_truth)
                as gold_answer,
            r.ground_truth as gold_solution,
        from records
    """,
    responses=f"""
        with lists as (
            select
                *,
                list_filter(
                    {list_of("r.answers_list")},
                    lambda one: not regexp_full_match(
                        trim(coalesce(one ->> '$', '')), '(?i)i do(n.?t| not) know[.]?'
                    )
                ) as answers,
            from records
        ),
        rollouts as (
            select
                *,
                unnest(coalesce(nullif(range(1, len(answers) + 1), []), [null])) as n,
            from lists
        ),
        rewarded as (
            select *, answers[n] ->> '$' as answer,
                {member("r.to_explore_reward", "(answers[n] ->> '$')")} as rewards,
            from rollouts
        )
        select
            record_id,
            coalesce(n, 0) as item,
            coalesce(n, 1) as rollout_no,
            about ->> 'problem' as native_id,
            about ->> 'run' as shared_run_key,
            about ->> 'model' as model,
            {object_of(search="about -> 'run'")} as settings,
            'MCTSr' as tool,
            answer as response,
            list_avg(list_transform(
                from_json(rewards, '["JSON"]'), lambda reward: try_cast(reward ->> '$' as double)
            )) as reward_score,
            case when coalesce(n, 1) = 1 then {
        merged(
            "extra",
            object_of(answers_list="r.answers_list", to_explore_reward="r.to_explore_reward"),
        )
    } end as metadata,
        from rewarded
    """,
)
