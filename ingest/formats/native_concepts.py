"""Native concepts: who named which concepts in the human solution of a problem, or in a response.

`problem_id` and `concepts` (a list of texts; in CSV a JSON list) are needed. The response is named by
`response_id`, or by `run_id` and `rollout_no`; with neither, the concepts are those of the human solution.
Trap: the problem, and the response if one is named, must be in the warehouse already.
"""

from ingest.formats import Format

FORMAT = Format(
    name="native_concepts",
    kind="concepts",
    title="Native concepts: problem_id, response or none, extractor_id, concepts",
    example={
        "problem_id": "demo/p1",
        "run_id": "my-run",
        "rollout_no": 1,
        "extractor_id": "by hand",
        "concepts": ["addition of whole numbers"],
    },
    fields={
        "problem_id": "VARCHAR",
        "native_id": "VARCHAR",
        "dataset_id": "VARCHAR",
        "turn": "VARCHAR",
        "response_id": "VARCHAR",
        "run_id": "VARCHAR",
        "rollout_no": "VARCHAR",
        "extractor_id": "VARCHAR",
        "concepts": "JSON",
    },
    requires=("problem_id", "concepts"),
    concepts="""
        select
            record_id,
            coalesce(r.native_id, r.problem_id) as native_id,
            r.dataset_id as dataset_id,
            r.turn as turn,
            r.response_id as response_id,
            r.run_id as run_id,
            r.rollout_no as rollout_no,
            r.extractor_id as extractor_id,
            case when json_type(r.concepts) = 'VARCHAR' then r.concepts ->> '$' else r.concepts::varchar end
                as concepts,
        from records
    """,
)
