"""PostgreSQL's dialect: total by construction, since there is no TRY, and a raised error would tell about a row."""
