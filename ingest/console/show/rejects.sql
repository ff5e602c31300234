-- Rejects: records that could not be loaded, and why
select
    file,
    line,
    reason,
    raw_text
from raw.rejects
order by file, line
