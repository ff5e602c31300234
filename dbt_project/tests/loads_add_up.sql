-- What was in a file is loaded, was already there, or is a reject that can be looked at.
select * from {{ ref('loads') }}
where rows_read <> rows_loaded + rows_already_there + rows_rejected
