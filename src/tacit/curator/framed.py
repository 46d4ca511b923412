"""Data frames that a steward gives for the tables whose source is "frame"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tacit.errors import Refused
from tacit.query.engines.protocol import Engine
from tacit.schema.description import Description
from tacit.schema.names import suggestion
from tacit.schema.problems import Problems
from tacit.schema.sources import FRAME


def with_frames(engine: Engine, frames: Mapping[str, object]) -> Engine:
    """The engine, with these frames to read."""
    from tacit.query.engines.duckdb.engine import DuckDBEngine  # a driver loads when it is needed
    from tacit.query.engines.duckdb.frames import read_frames

    if not isinstance(engine, DuckDBEngine):
        raise Refused("frames", "This engine reads rows where they lie, not from memory.", "frames with DuckDB.")
    return replace(engine, frames=read_frames(frames))


def check_frames(description: Description, frames: Mapping[str, object]) -> None:
    """Refuses a frame that no table asks for, a table that asks for one in vain, and rows both private and public."""
    problems = Problems(description.path.name)
    named = {table.name: table.source for table in description.sources}
    asking = [name for name, source in named.items() if source.format == FRAME]
    for name in frames:
        if name not in named:
            raise Refused(f'frames["{name}"]', "The description has no such table.", suggestion(name, asking))
        if name not in asking:
            where = f'source = "{FRAME}" in {description.path.name}, or no frame for it.'
            raise Refused(f'frames["{name}"]', "The rows of this table are in a file.", where)
    for name in asking:
        if name not in frames:
            part = "tables" if name in description.tables else "lookups"
            cure = f'tacit.open("{description.path.name}", frames={{"{name}": df}}).'
            problems.add((part, name, "source"), "It is a data frame, and none was given.", cure)
    problems.refuse_if_any()
    private = [frame for name, frame in frames.items() if name in description.tables]
    for name in description.lookups:
        if name in frames and any(frames[name] is frame for frame in private):
            why = "These rows are private: a table has the same frame."
            raise Refused(f'frames["{name}"]', why, "a frame that is public.")
