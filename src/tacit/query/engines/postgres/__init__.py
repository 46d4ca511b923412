"""PostgreSQL: the driver and the dialect. The dialect modules load no driver."""
