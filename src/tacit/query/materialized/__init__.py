"""The materialized form of a data set: what each person adds up to, kept, so that a question is a scan of few rows."""
