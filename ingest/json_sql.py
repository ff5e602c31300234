"""SQL for what result files say in several ways: texts, lists, verdicts, names in paths."""

from __future__ import annotations

# The member of a JSON value that an SQL text names, whatever characters the name holds: as a JSON
# pointer, because a quote in a name ends a JSON path. The loader defines it on its connection.
MEMBER_MACRO = """
    create or replace temp macro json_member(value, key) as
    json_extract(value, '/' || replace(replace(key, '~', '~0'), '/', '~1'))
"""


def text_of(content: str) -> str:
    """SQL: a chat message's content as text: a string as it is, a list of parts joined.

    Parts are strings or objects with `text`; parts of other kinds (images, reasoning) have none.
    """
    parts = list_of(content)
    part = "case when json_type(part) = 'VARCHAR' then part ->> '$' else part ->> '$.text' end"
    return (
        f"case when json_type({content}) = 'ARRAY' then nullif(array_to_string("
        f"list_filter(list_transform({parts}, lambda part: {part}), lambda t: t is not null), "
        f"chr(10)), '') else {content} ->> '$' end"
    )


def list_of(value: str) -> str:
    """SQL: the JSON `value` as a list of JSON values, a lone value as a list of one, null as NULL."""
    return (
        f"case when json_type({value}) = 'ARRAY' then from_json({value}, '[\"JSON\"]') "
        f"when json_type({value}) <> 'NULL' then [{value}] end"
    )


def texts_of(value: str) -> str:
    """SQL: the JSON list `value` as a list of texts."""
    return f"list_transform({list_of(value)}, lambda item: item ->> '$')"


def verdict_of(value: str) -> str:
    """SQL: true or false as text where the JSON `value` is a plain verdict, else NULL (0.5, 'P')."""
    return (
        f"case when lower({value} ->> '$') in ('true', '1', '1.0', 'c', 'correct') then 'true' "
        f"when lower({value} ->> '$') in ('false', '0', '0.0', 'i', 'n', 'incorrect') then 'false' end"
    )


def numbers_of(value: str) -> str:
    """SQL: the numeric members of the JSON object `value` as a JSON object, NULL where it has none."""
    one = member(value, "key")
    kept = (
        f"list_filter(json_keys({value}), lambda key: "
        f"json_type({one}) in ('DOUBLE', 'UBIGINT', 'BIGINT', 'BOOLEAN'))"
    )
    number = f"case {one} ->> '$' when 'true' then '1' when 'false' then '0' else {one} ->> '$' end"
    entries = f"list_transform({kept}, lambda key: struct_pack(k := key, v := {number}))"
    return (
        f"case when json_type({value}) = 'OBJECT' and len({kept}) > 0 "
        f"then to_json(map_from_entries({entries})) end"
    )


def object_of(**members: str) -> str:
    """SQL: a JSON object of the members that are not NULL, itself NULL where none is left."""
    listed = ", ".join(f"'{name}', {value}" for name, value in members.items())
    return f"nullif(json_merge_patch('{{}}', json_object({listed})), '{{}}')"


def merged(*objects: str) -> str:
    """SQL: JSON objects merged, NULLs left out, itself NULL where all are."""
    whole = "'{}'"
    for one in objects:
        whole = f"json_merge_patch({whole}, coalesce({one}, '{{}}'))"
    return f"nullif({whole}, '{{}}')"


def last_message(messages: str, role: str) -> str:
    """SQL: the text of the last message of `role` in a JSON list of chat messages."""
    chosen = f"list_filter({list_of(messages)}, lambda message: lower(message ->> '$.role') = '{role}')[-1]"
    return text_of(f"json_extract({chosen}, '$.content')")


def failure_kind(reason: str) -> str:
    """SQL: the kind of failure that an error text tells, NULL where there is no text."""
    kinds = {
        "rate_limited": "429|rate.?limit|too many requests",
        "timeout": "time.?d? ?out|deadline",
        "refused": "content.?filter|content.?policy|refus",
    }
    cases = " ".join(
        f"when regexp_matches(lower({reason}), '{pattern}') then '{kind}'"
        for kind, pattern in kinds.items()
    )
    return f"case when {reason} is null then null {cases} else 'server_error' end"


def member(value: str, key: str) -> str:
    """SQL: the member of the JSON `value` that the SQL `key` names."""
    return f"json_member({value}, {key})"


def without(value: str, *names: str) -> str:
    """SQL: the JSON object `value` without the members `names`, NULL where none is left."""
    nulls = ", ".join(f'"{name}": null' for name in names)
    return f"nullif(json_merge_patch({value}, '{{{nulls}}}'), '{{}}')"


def utc(time: str) -> str:
    """SQL: a time with a zone as the same time in UTC; one without stays as it is."""
    return (
        f"case when regexp_matches({time}, '([+-][0-9]{{2}}:?[0-9]{{2}}|Z)$') "
        f"then (try_cast({time} as timestamptz) at time zone 'UTC')::varchar else {time} end"
    )
