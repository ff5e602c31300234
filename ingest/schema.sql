-- The raw layer: what files and endpoints said, as they said it. Only ingest writes here; dbt reads.
-- No primary keys or indexes: uniqueness is kept by the loader's anti-joins and proved by dbt tests,
-- because an index would cost more than the load itself at ten million rollouts.

create schema if not exists raw;

-- One row per key. Says that the file is a mathmart warehouse, and of which schema version.
create table if not exists raw.warehouse_info (
    key varchar not null,
    value varchar not null
);

-- One row per load of one file, repeats included. An outputs file that carries problems loads both in one load.
-- rows_read = rows_loaded + rows_already_there + rows_rejected.
create table if not exists raw.loads (
    load_id varchar not null,
    kind varchar not null,               -- problems | outputs | concepts | embeddings
    source_format varchar not null,
    file varchar not null,               -- path as the user gave it, resolved
    file_sha256 varchar not null,        -- of the bytes as they lie on disk or, for a member of a zip, of the member's content
    file_bytes bigint not null,          -- of the same bytes
    dataset_id varchar,
    model varchar,
    prompt varchar,
    rows_read bigint not null,
    rows_loaded bigint not null,
    rows_already_there bigint not null,
    rows_rejected bigint not null,
    started_at timestamp not null,
    finished_at timestamp not null,
    tool_version varchar not null,
    metadata json
);

-- One row per file content, line and reason: a record that could not be loaded.
create table if not exists raw.rejects (
    load_id varchar not null,
    file varchar not null,
    file_sha256 varchar not null,
    line bigint not null,
    reason varchar not null,
    raw_text varchar
);

-- One row per problem; a follow-up question is a problem of its own with the same conversation_id and turn 2.
create table if not exists raw.problems (
    problem_id varchar not null,         -- dataset_id/native_id, '#2' appended for a second turn
    dataset_id varchar not null,
    native_id varchar not null,          -- the file's own id, else the first 12 digits of its sha256, ':' and the line
    conversation_id varchar,             -- NULL for single-turn problems
    turn integer not null,
    question varchar,
    gold_answer varchar,
    gold_is_text boolean not null,       -- false where the file held a JSON number: SC-Math6's scorer compares types
    gold_solution varchar,
    answer_type varchar,
    level varchar,
    subject varchar,
    reasoning_steps integer,
    choices json,                        -- ordered list of choice texts, NULL where there are none
    unit varchar,
    tolerance double,
    metadata json,
    source_format varchar not null,
    source_file varchar not null,
    source_line bigint not null,
    file_sha256 varchar not null,
    load_id varchar not null
);

-- One row per system under test: model, prompt, settings, source.
create table if not exists raw.runs (
    run_id varchar not null,
    model varchar,
    prompt varchar,
    dataset_id varchar not null,
    settings json,                       -- temperature, max_tokens, seed, search strategy, as far as known
    tool varchar,
    tool_version varchar,
    started_at timestamp,
    metadata json,
    source_format varchar not null,
    source_file varchar not null,
    file_sha256 varchar not null,
    load_id varchar not null
);

-- One row per run, problem and rollout.
create table if not exists raw.responses (
    response_id varchar not null,        -- left(md5(run_id, problem_id, rollout_no), 20)
    run_id varchar not null,
    problem_id varchar not null,
    dataset_id varchar not null,
    rollout_no integer not null,         -- 1..n
    response varchar,                    -- NULL where there is no reply
    reported_answer varchar,
    reported_correct boolean,
    reward_score double,
    finish_reason varchar,               -- as the provider said: stop, length, …
    failure_kind varchar,                -- rate_limited | server_error | timeout | refused | …; NULL where a reply came
    failure_reason varchar,
    input_tokens bigint,                 -- cached ones included
    cached_tokens bigint,
    output_tokens bigint,                -- reasoning ones included
    reasoning_tokens bigint,
    cost_usd double,
    latency_seconds double,
    system_fingerprint varchar,
    metadata json,
    source_file varchar not null,
    source_line bigint not null,
    load_id varchar not null
);

-- One row per response and score that came with a file (score_id: 'msu').
create table if not exists raw.reported_scores (
    response_id varchar not null,
    score_id varchar not null,
    value double,
    load_id varchar not null
);

-- One row per file, dataset, model, metric and variant: a summary figure that a tool reported.
create table if not exists raw.reported_metrics (
    dataset_id varchar not null,
    model varchar,
    prompt varchar,
    metric varchar not null,             -- as the tool names it
    variant varchar,                     -- filter, mode or subset the figure is for
    value double,
    std_error double,
    n_questions bigint,
    metadata json,
    source_format varchar not null,
    source_file varchar not null,
    source_line bigint not null,
    file_sha256 varchar not null,
    load_id varchar not null
);

-- One row per concept, in the order the extractor gave it. response_id is NULL for the human solution.
-- An extraction that found nothing is one row with concept_no 0 and a NULL concept; so is one that failed,
-- with the reason in failure_kind. What the request cost stands on its first row (concept_no 0 or 1) alone.
create table if not exists raw.concepts (
    problem_id varchar not null,
    response_id varchar,
    extractor_id varchar not null,
    concept_no integer not null,
    concept varchar,                     -- as the extractor gave it: neither stripped nor case-folded
    load_id varchar not null,
    failure_kind varchar,                -- as in raw.responses; the next run asks again
    failure_reason varchar,
    finish_reason varchar,
    input_tokens bigint,                 -- cached ones included; 0 where an equal request had been paid
    cached_tokens bigint,
    output_tokens bigint,
    reasoning_tokens bigint,
    cost_usd double,
    latency_seconds double,
    system_fingerprint varchar
);

-- One row per embedder and text.
create table if not exists raw.embeddings (
    embedder_id varchar not null,
    text varchar not null,
    embedding double[] not null,
    load_id varchar not null,
    input_tokens double,                 -- the request's tokens and cost, shared out by the texts' lengths
    cost_usd double,
    latency_seconds double               -- of the whole request
);

-- One row per response, judge model and judge prompt. A request that failed is undecided, with its failure_kind.
create table if not exists raw.model_verdicts (
    response_id varchar not null,
    judge_model varchar not null,
    judge_prompt varchar not null,       -- name, version and hash of the prompt
    verdict varchar not null,            -- true | false | undecided
    judge_text varchar,
    input_tokens bigint,
    output_tokens bigint,
    cost_usd double,
    load_id varchar not null,
    failure_kind varchar,                -- as in raw.responses; the next run asks again
    failure_reason varchar,
    finish_reason varchar,
    cached_tokens bigint,
    reasoning_tokens bigint,
    latency_seconds double,
    system_fingerprint varchar
);
