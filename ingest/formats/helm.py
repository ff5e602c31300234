"""HELM `scenario_state.json`: the requests of a run with their completions; its sisters hold figures.

Source: stanford-crfm/helm, src/helm/benchmark/adaptation/scenario_state.py, runner.py.
Traps: one document; `num_outputs` completions and several training trials are rollouts of one instance;
verdicts stand in `per_instance_stats.json`, for the whole instance; multiple choice maps letters to
references (`output_mapping`); perturbed instances share the id of their original.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ingest.documents import children, members, record, to_json, whole_text
from ingest.formats import Format, Sample
from ingest.json_sql import merged, object_of
from ingest.sisters import instance_stats, parsed, read_sister
from ingest.sources import Source


def about(path: Path) -> Mapping[str, Any]:
    """Data set from run_spec.json or from the folder, `math:subject=algebra,model=x`; verdicts."""
    spec = read_sister(path.with_name("run_spec.json"))
    name = spec.get("name") or path.parent.name
    said: dict[str, Any] = {}
    if ":" in name or spec:
        said["dataset_id"] = str(name).split(":")[0]
    if spec:
        said["run_spec"] = {key: spec[key] for key in ("name", "groups") if key in spec}
    return said


def unpack(source: Source, encoding: str) -> Iterator[tuple[bytes, str | None]]:
    """{"adapter": …, "state": …, "stats": …} for every request state."""
    document = members(whole_text(source, encoding))
    adapter = document.get("adapter_spec", b"null")
    stats = instance_stats(source.path.with_name("per_instance_stats.json"))
    for _, state, problem in children(document.get("request_states", b"[]")):
        if problem:
            yield state, problem
            continue
        found: Any = None
        if stats:
            one = parsed(state)
            if isinstance(one, dict) and isinstance(one.get("instance"), dict):
                trial = one.get("train_trial_index") or 0
                found = stats.get((str(one["instance"].get("id")), int(trial)))
        yield record(adapter=adapter, state=state, stats=to_json(found)), None


_INSTANCE = "r.state -> 'instance'"
_CORRECT = (
    "list_filter(from_json(r.state -> '$.instance.references', '[\"JSON\"]'), "
    "lambda one: list_contains(coalesce(from_json(one -> 'tags', '[\"VARCHAR\"]'), []), 'correct'))[1] "
    "->> '$.output.text'"
)
_READ = f"""
    read as (
        select
            *,
            concat_ws('/', r.state ->> '$.instance.id', r.state ->> '$.instance.perturbation.name')
                as native_id,
            {_CORRECT} as correct,
            r.state -> 'output_mapping' as mapping,
        from records
    )
"""

STATE = Format(
    name="helm",
    kind="outputs",
    title="HELM scenario_state.json, with per_instance_stats.json and run_spec.json",
    example={
        "adapter_spec": {"method": "generation", "model": "my/model", "temperature": 0.7},
        "request_states": [
            {
                "instance": {
                    "id": "id0",
                    "input": {"text": "3+4?"},
                    "references": [{"output": {"text": "7"}, "tags": ["correct"]}],
                },
                "train_trial_index": 0,
                "request": {"model": "my/model", "prompt": "3+4?"},
                "result": {"success": True, "completions": [{"text": "7"}], "request_time": 0.4},
            }
        ],
    },
    fields={"adapter": "JSON", "state": "JSON", "stats": "JSON"},
    requires=("adapter_spec", "request_states"),
    about=about,
    unpack=unpack,
    problems=f"""
        with {_READ}
        select
            record_id,
            native_id,
            r.state ->> '$.instance.input.text' as question,
            case
                when json_type(mapping) = 'OBJECT' then list_filter(
                    json_keys(mapping),
                    lambda letter: (json_member(mapping, letter) ->> '$') = correct
                )[1]
                else correct
            end as gold_answer,
            case when json_type(mapping) = 'OBJECT' then to_json(list_transform(
                json_keys(mapping), lambda letter: (json_member(mapping, letter) ->> '$')
            )) end as choices,
            case when json_type(mapping) = 'OBJECT' then 'choice' end as answer_type,
            {object_of(instance=_INSTANCE)} as metadata,
        from read
        where nullif(native_id, '') is not null
    """,
    responses=f"""
        with {_READ},
        completions as (
            select
                *,
                case
                    when json_array_length(r.state -> '$.result.completions') > 0
                    then from_json(r.state -> '$.result.completions', '["JSON"]')
                    else [null]
                end as completions,
            from read
        ),
        rollouts as (
            select *, unnest(range(1, len(completions) + 1)) as n from completions
        )
        select
            record_id,
            n as item,
            nullif(native_id, '') as native_id,
            coalesce(r.adapter ->> 'model', r.state ->> '$.request.model') as model,
            r.adapter ->> 'method' as prompt,
            r.adapter as settings,
            'HELM' as tool,
            about -> 'run_spec' as run_metadata,
            coalesce(completions[n] ->> 'text', completions[n] ->> '$.tokens.text') as response,
            case when len(completions) = 1 then
                case coalesce(r.stats ->> 'math_equiv_chain_of_thought', r.stats ->> 'math_equiv',
                    r.stats ->> 'exact_match_indicator', r.stats ->> 'quasi_exact_match',
                    r.stats ->> 'exact_match')
                    when '1.0' then 'true' when '1' then 'true'
                    when '0.0' then 'false' when '0' then 'false'
                end
            end as reported_correct,
            case when len(completions) = 1 then r.stats end as scores,
            completions[n] ->> '$.finish_reason.reason' as finish_reason,
            case when r.state ->> '$.result.success' = 'false' then 'server_error' end as failure_kind,
            r.state ->> '$.result.error' as failure_reason,
            nullif(json_array_length(completions[n] -> 'tokens'), 0) as output_tokens,
            r.state ->> '$.result.request_time' as latency_seconds,
            {
        object_of(
            train_trial_index="r.state -> 'train_trial_index'",
            request="r.state -> 'request'",
            thinking="completions[n] -> '$.thinking.text'",
            logprob="completions[n] -> 'logprob'",
            cached="r.state -> '$.result.cached'",
            output_mapping="mapping",
            instance_stats="r.stats",
        )
    } as metadata,
        from rollouts
    """,
)


def unpack_stats(source: Source, encoding: str) -> Iterator[tuple[bytes, str | None]]:
    """One record per statistic: of stats.json as it stands, of per_instance_stats.json its sums."""
    sums: dict[str, list[float]] = {}
    for _, value, problem in children(whole_text(source, encoding)):
        item = parsed(value)
        if problem or not isinstance(item, dict):
            yield value, problem or "not a statistic"
        elif "stats" not in item:
            yield value, None
        else:
            for stat in item["stats"] if isinstance(item["stats"], list) else []:
                name = stat.get("name") if isinstance(stat, dict) else None
                if isinstance(name, dict) and isinstance(stat.get("mean"), int | float):
                    one = sums.setdefault(str(name.get("name")), [0, 0.0])
                    one[0], one[1] = one[0] + 1, one[1] + float(stat["mean"])
    for label, (count, total) in sums.items():
        yield to_json({"name": {"name": label}, "count": count, "mean": total / count}), None


def _is_statistics(sample: Sample) -> bool:
    def fits(item: dict[str, Any]) -> bool:
        return isinstance(item.get("name"), dict) or {"instance_id", "stats"} <= item.keys()

    return sample.layout == "array" and sample.every(fits)


STATS = Format(
    name="helm_stats",
    kind="outputs",
    title="HELM stats.json and per_instance_stats.json: summary figures",
    example={"name": {"name": "exact_match", "split": "test"}, "count": 2, "mean": 0.5},
    fields={"name": "JSON", "count": "VARCHAR", "mean": "VARCHAR", "stddev": "VARCHAR"},
    check=_is_statistics,
    about=about,
    unpack=unpack_stats,
    metrics=f"""
        select
            record_id,
            r.name ->> 'name' as metric,
            concat_ws('/', r.name ->> 'split', r.name ->> 'sub_split', r.name ->> '$.perturbation.name')
                as variant,
            r.mean as value,
            {merged("extra", object_of(name="r.name", stddev="r.stddev", count="r.count"))} as metadata,
        from records
    """,
)

SPEC = Format(
    name="helm_run_spec",
    kind="outputs",
    title="HELM run_spec.json and scenario.json: the settings of a run",
    example={"name": "math:model=my_model", "scenario_spec": {}, "adapter_spec": {}},
    fields={"name": "VARCHAR"},
    requires=("name",),
    check=lambda sample: (
        {"scenario_spec", "adapter_spec"} <= sample.fields
        or {"name", "description", "tags", "definition_path"} <= sample.fields
    ),
    about=about,
    metrics="select record_id, null as metric from records",
)

FORMATS = (STATE, STATS, SPEC)
