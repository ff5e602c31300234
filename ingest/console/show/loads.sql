-- Loads: every load of every file, repeats included; read = loaded + already there + rejected
select
    started_at,
    kind,
    source_format as format,
    dataset_id as dataset,
    model,
    rows_read,
    rows_loaded,
    rows_already_there,
    rows_rejected,
    file
from raw.loads
order by started_at, file
