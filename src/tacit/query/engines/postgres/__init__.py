"""PostgreSQL: the driver and the dialect. Dialect modules load no driver."""
