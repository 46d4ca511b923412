"""The materialized form of a data set: each person's totals, stored, so that a query scans few rows."""
