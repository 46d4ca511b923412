"""Rows for the clinic of the SQL fixtures: values outside every bound and key, NULLs and NaN among them."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
from tests.engines.engines import EngineUnderTest
from tests.query.fixtures.rendering import FOLDER, PHYSICAL

from tacit.query.engines.protocol import Engine, Headers
from tacit.schema.description import Description
from tacit.schema.reader import read_description

_VALUES = {
    "visit": "(i * 7) % 1500",
    "patient": "CASE WHEN i % 17 = 0 THEN NULL ELSE (i * 31) % 90 END",
    "age": "(i * 37) % 130 - 10",
    "cost": "((i * 7919) % 3000000 - 1000) / 100.0",
    "days": "(i * 13) % 110 - 5",
    "weight": "CASE WHEN i % 50 = 0 THEN 'nan' WHEN i % 51 = 0 THEN 'inf'::DOUBLE ELSE i * 0.7919 % 333 - 3 END",
    "region": "['north', 'south', 'west', '', 'NORTH'][1 + i % 5]",
    "ward": "CASE WHEN i % 9 = 0 THEN NULL ELSE 'w' || (i % 7) END",
    "icd": "['a', 'b', 'c', 'd'][1 + i % 4]",
    "day": "DATE '2023-12-01' + (i * 17 % 450)::INTEGER",
    "seen": "TIMESTAMP '2023-12-01' + INTERVAL (i * 7717 % 9000) HOUR",
    "urgent": "CASE WHEN i % 5 = 0 THEN NULL ELSE i % 2 = 0 END",
    "drug": "['x', 'y', 'z'][1 + i % 3]",
    "dose": "(i * 0.37) % 7 - 1",
    "minutes": "(i * 29) % 200 - 20",
    "topic": "['bill', 'health', 'other'][1 + i % 3]",
    "floor": "i % 12",
}
_ROWS = {"visits": 2000, "drugs": 3000, "calls": 1500, "wards": 9}


def create_clinic(rows: duckdb.DuckDBPyConnection) -> None:
    """The tables of the clinic, in the types that the fixtures were made for."""
    for table, count in _ROWS.items():
        columns = ", ".join(f"CAST({_VALUES[name]} AS {kind}) AS {name}" for name, kind in PHYSICAL[table].items())
        rows.execute(f"CREATE TABLE {table} AS SELECT {columns} FROM range({count}) r(i)")


def opened_clinic(
    under_test: EngineUnderTest, rows: duckdb.DuckDBPyConnection, folder: Path
) -> tuple[Engine, Description, Headers]:
    """An engine with the clinic's tables, and the fixtures' description of them."""
    folder.mkdir()
    text = (FOLDER / "clinic.toml").read_text(encoding="utf-8")
    for table, lines in under_test.load(rows, list(_ROWS), folder).items():
        place = re.search(rf'\[(tables|lookups)\.{table}\]\nsource = "[^"]*"', text)
        assert place is not None
        text = text.replace(place[0], f"[{place[1]}.{table}]\n{lines}")
    (folder / "clinic.toml").write_text(text, encoding="utf-8")
    engine = under_test.engine()
    description = read_description(folder / "clinic.toml", engine.public_values)
    return engine, description, {table.name: dict(engine.header(table.source)) for table in description.sources}
