"""Tables of poison that every engine can hold, and expressions over them whose values are compared between engines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import sqlglot
from tests.engines.engines import EngineUnderTest
from tests.query.expressions.columns import COLUMNS
from tests.query.expressions.lines import first_line_alone
from tests.query.expressions.poison import POISON

from tacit.errors import Refused
from tacit.query.engines.protocol import Engine, Headers
from tacit.query.sql.expressions import NamedScope, read_column, type_expression
from tacit.query.sql.values.typed import Typed
from tacit.schema.description import Description
from tacit.schema.kind import Kind
from tacit.schema.reader import read_description

ROWS = 240
TYPES: dict[str, tuple[str, str]] = {
    "age": ("BIGINT", "DOUBLE"),
    "n": ("BIGINT", "DECIMAL(28,9)"),
    "z": ("SMALLINT", "FLOAT"),
    "k": ("SMALLINT", "BIGINT"),
    "cost": ("DECIMAL(18,2)", "DOUBLE"),
    "debt": ("DECIMAL(4,1)", "INTEGER"),
    "any_cost": ("DECIMAL(38,10)", "DOUBLE"),
    "x": ("DOUBLE", "FLOAT"),
    "w": ("DOUBLE", "FLOAT"),
    "s": ("DOUBLE", "BIGINT"),
    "region": ("VARCHAR", "VARCHAR"),
    "note": ("VARCHAR", "UUID"),
    "ok": ("BOOLEAN", "BOOLEAN"),
    "yes": ("BOOLEAN", "SMALLINT"),
    "day": ("DATE", "TIMESTAMP"),
    "visit": ("DATE", "TIMESTAMP WITH TIME ZONE"),
    "moment": ("TIMESTAMP", "DATE"),
    "at": ("TIMESTAMP", "TIMESTAMP WITH TIME ZONE"),
}
"""The physical types of each column of the grammar, in two variants: those that all engines have."""

_MOMENTS = ("'4713-01-01 (BC) 00:00:00'", "'9999-12-31 23:59:59.999999'", "'0001-01-01 00:00:00'", "'infinity'")
_WORST: dict[str, tuple[str, ...]] = {
    "DECIMAL(28,9)": ("-9999999999999999999.999999999", "0.5", "-2.5", "50", "9223372036854775807", "1e18", "0"),
    "DATE": ("'infinity'", "'-infinity'", "'5874897-12-31'", "'4713-01-01 (BC)'", *POISON["DATE"][4:]),
    "TIMESTAMP": (*_MOMENTS, "'-infinity'", "'294247-01-10 04:00:54.775806'", *POISON["TIMESTAMP"][6:]),
    "TIMESTAMP WITH TIME ZONE": (
        *("'infinity'", "'-infinity'", "'294247-01-10 04:00:54.775806+00'", "'4713-01-01 (BC) 00:00:00+00'"),
        *("'2024-02-29 23:30:00-05'", "'0001-01-01 00:00:00+14'"),
    ),
    "VARCHAR": (*(value for value in POISON["VARCHAR"] if value != "chr(0)"), "'ǅ ﬁ Σς ẞ'", "'North'", "'it''s'"),
}


def create_tables(rows: duckdb.DuckDBPyConnection) -> list[str]:
    """The two tables, each row with a number; every value of each type, each column at its own pace."""
    for variant in (0, 1):
        listed = ["row"]
        for place, (column, types) in enumerate(TYPES.items()):
            kind = types[variant]
            values = [f"CAST({value} AS {kind})" for value in (*_WORST.get(kind, POISON.get(kind, ())), "NULL")]
            chosen = f"(row + (row // {len(values)}) * {place * 7}) % {len(values)} + 1"
            listed.append(f'list_value({", ".join(values)})[CAST({chosen} AS BIGINT)] AS "{column}"')
        rows.execute(f"CREATE OR REPLACE TABLE t{variant} AS SELECT {', '.join(listed)} FROM range({ROWS}) r(row)")
    return ["t0", "t1"]


def typed_expression(text: str, variant: int) -> Typed | None:
    """The expression made total over the table's columns; None if it is refused on every engine."""
    reads = {
        column.name: read_column(column, f'"t{variant}"."{column.name}"', TYPES[column.name][variant])
        for column, _ in COLUMNS
    }
    try:
        with first_line_alone():
            return type_expression(sqlglot.parse_one(text, dialect="duckdb"), NamedScope(reads))
    except Refused:
        return None


@dataclass(frozen=True)
class ExpressionWorld:
    """One engine that holds the tables."""

    engine: Engine
    description: Description
    headers: Headers

    @classmethod
    def of(
        cls,
        under_test: EngineUnderTest,
        rows: duckdb.DuckDBPyConnection,
        folder: Path,
        tables: Sequence[str] | None = None,
    ) -> ExpressionWorld:
        """The tables of poison, or others that are there already and have numbered rows."""
        folder.mkdir()
        sources = under_test.load(rows, tables or create_tables(rows), folder)
        parts = [
            f'[tables.{table}]\n{lines}\ncolumns = {{ row = {{ type = "int" }} }}' for table, lines in sources.items()
        ]
        head = (
            '[dataset]\nname = "expressions"\nunit = { row = true, hides = "one" }\nbudget = { rho = 1, delta = 0.1 }\n'
            'floor = 0\nbreaker = "off"'
        )
        file = folder / "expressions.toml"
        file.write_text("\n".join([head, *parts]))
        engine = under_test.engine()
        description = read_description(file, engine.public_values)
        return cls(
            engine, description, {table.name: dict(engine.header(table.source)) for table in description.sources}
        )

    def values(self, items: Sequence[Typed], variant: int) -> list[list[object]]:
        """The value of each expression on each row, in the order of the rows."""
        listed = ", ".join(f"{item.sql} AS v{place}" for place, item in enumerate(items))
        with self.engine.session(self.description) as session:
            found = session.run(f'SELECT "t{variant}"."row" AS r, {listed} FROM "t{variant}"')
        order = sorted(range(len(found)), key=found.column("r").to_pylist().__getitem__)
        columns = [found.column(f"v{place}").to_pylist() for place in range(len(items))]
        return [[_exact(column[row], item) for row in order] for column, item in zip(columns, items, strict=True)]


def _exact(value: object, item: Typed) -> object:
    """Floats by their digits, so that −0.0 differs from 0.0; integers of any width alike."""
    if item.kind is Kind.FLOAT and value is not None:
        return repr(value)
    return int(str(value)) if item.kind in (Kind.INTEGER, Kind.DECIMAL) and value is not None else value
