"""The steps in which DuckDB would take a statement, as it explains them: no row is read for that."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import duckdb

from tacit.frozen import frozen


@frozen
class Step:
    """One step: what it does, and how many rows the engine guesses that it gives."""

    name: str
    rows: int
    sums: int

    @classmethod
    def of(cls, node: dict[str, Any]) -> Step:
        told = node["extra_info"]
        sums = told.get("Aggregates", [])
        return cls(
            node["name"].strip(), int(told.get("Estimated Cardinality", 0)), 1 if isinstance(sums, str) else len(sums)
        )


def steps_of(connection: duckdb.DuckDBPyConnection, sql: str) -> Iterator[Step]:
    """Every step of the statement; none where the optimizer fails on it: it will be run as it is written."""
    try:
        ((_, plan),) = connection.execute(f"EXPLAIN (FORMAT JSON) {sql}").fetchall()
    except duckdb.Error:
        return
    nodes: list[dict[str, Any]] = json.loads(plan)
    while nodes:
        node = nodes.pop()
        nodes += node.get("children", [])
        yield Step.of(node)
