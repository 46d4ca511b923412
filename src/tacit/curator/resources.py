"""How much of this machine a data set's engine may use."""

from __future__ import annotations

from dataclasses import replace

from tacit.errors import Refused
from tacit.query.engines.protocol import Engine


def with_resources(engine: Engine, memory: str | None, threads: int | None) -> Engine:
    """The engine, within these limits; as it is where none is set."""
    if memory is None and threads is None:
        return engine
    from tacit.query.engines.duckdb.engine import DuckDBEngine  # a driver loads when it is needed

    if not isinstance(engine, DuckDBEngine):
        raise Refused(
            "a limit of memory or threads",
            "These rows are read by a server, whose own settings limit it.",
            "neither here; ask who runs the server.",
        )
    limited = engine if memory is None else replace(engine, memory=memory)
    return limited if threads is None else replace(limited, threads=threads)
