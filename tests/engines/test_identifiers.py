"""Every statement distinguishes people in the same way, for all types and collations of identifiers (R50)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb
import pytest
from tests.engines.identifier_worlds import NUMBERS, QUERIES, TEXTS, UUIDS, Cell, Names, Rows, moved, wrong_headers
from tests.engines.postgres_server import PostgresUnderTest
from tests.engines.spark_server import SparkUnderTest

from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.engines.protocol import Engine
from tacit.query.engines.spark.columns import catalogue_column
from tacit.query.sql import rows as identifier
from tacit.query.sql import scan
from tacit.schema.catalogue import can_identify

_TEXT = Names("VARCHAR", "VARCHAR", "VARCHAR", "VARCHAR", TEXTS, TEXTS)
_NUMBER = Names("BIGINT", "BIGINT", "BIGINT", "BIGINT", NUMBERS, NUMBERS)


def _fill(
    own: duckdb.DuckDBPyConnection, table: str, types: Mapping[str, str], rows: Sequence[tuple[Cell, ...]]
) -> None:
    own.execute(f"CREATE TABLE {table} ({', '.join(f'{name} {kind}' for name, kind in types.items())})")
    if rows:
        own.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' for _ in types)})", rows)


@dataclass(frozen=True)
class Filed:
    """Tables of a DuckDB file, which may have collations."""

    def engine(self) -> Engine:
        return DuckDBEngine(threads=1)

    def load(self, names: Names, rows: Rows, folder: Path) -> dict[str, str]:
        with duckdb.connect(str(folder / "names.duckdb")) as own:
            for table, types in names.types.items():
                _fill(own, table, types, rows[table])
        return {table: f'source = "names.duckdb"\ntable = "{table}"' for table in names.types}


@dataclass(frozen=True)
class Served:
    """Tables of a PostgreSQL server."""

    server: PostgresUnderTest

    def engine(self) -> Engine:
        return self.server.engine()

    def load(self, names: Names, rows: Rows, folder: Path) -> dict[str, str]:
        schema = self.server.schema(folder)
        with self.server.connect() as own:
            own.execute(f'DROP SCHEMA IF EXISTS "{schema}" CASCADE; CREATE SCHEMA "{schema}"')
            for table, types in names.types.items():
                listed = ", ".join(f"{name} {kind}" for name, kind in types.items())
                own.execute(f'CREATE TABLE "{schema}".{table} ({listed})')
                with own.cursor().copy(f'COPY "{schema}".{table} FROM STDIN') as copy:
                    for row in rows[table]:
                        copy.write_row(row)
            own.execute(f'GRANT USAGE ON SCHEMA "{schema}" TO reader')
            own.execute(f'GRANT SELECT ON ALL TABLES IN SCHEMA "{schema}" TO reader')
        return {table: f'source = "{self.server.address}"\ntable = "{schema}.{table}"' for table in names.types}


@dataclass(frozen=True)
class OnCluster:
    """Parquet files that Spark reads."""

    spark: SparkUnderTest

    def engine(self) -> Engine:
        return self.spark.engine()

    def load(self, names: Names, rows: Rows, folder: Path) -> dict[str, str]:
        with duckdb.connect() as own:
            for table, types in names.types.items():
                _fill(own, table, types, rows[table])
            return self.spark.load(own, list(names.types), folder)


_NOCASE = replace(_TEXT, pid="VARCHAR COLLATE NOCASE", visit="VARCHAR COLLATE NOCASE")
FILED = [
    _NOCASE,
    replace(_TEXT, who="VARCHAR COLLATE NOACCENT", pointer="VARCHAR COLLATE NOACCENT"),
    replace(_NOCASE, who="VARCHAR COLLATE NOCASE.NOACCENT", pointer="VARCHAR COLLATE NOCASE"),
    replace(_NUMBER, who="INTEGER", pointer="SMALLINT"),
    replace(_NUMBER, pid="HUGEINT", visit="HUGEINT", people=("-3", str(2**100), "7"), who="VARCHAR"),
    replace(_NUMBER, who="DECIMAL(9,0)", pointer="DECIMAL(20,0)"),
    replace(_TEXT, pid="BIGINT", visit="INTEGER", people=NUMBERS, visits=NUMBERS),
    Names("UUID", "VARCHAR", "UUID", "UUID", UUIDS, UUIDS),
    Names("ENUM('a', 'A', 'b')", "ENUM('b', 'A', 'a')", "VARCHAR", "ENUM('x', 'X')", ("a", "A", "b"), ("x", "X")),
]


@pytest.mark.parametrize("names", FILED, ids=lambda names: f"{names.pid}/{names.who}/{names.pointer}")
def test_no_name_in_a_file_takes_two_people_for_one(names: Names, tmp_path: Path) -> None:
    """Two files, two types, two collations: nobody moves any integer by more than the radius."""
    found = list(moved(Filed(), names, tmp_path))
    assert [each for each in found if each is not None] == []
    assert len(found) >= 8 * len(names.people)


def test_names_under_their_own_collation_are_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken twin: people as their columns compare them, which is what was done before."""
    monkeypatch.setattr(scan, "in_type", lambda reference, kind, common: reference)
    assert any(moved(Filed(), _NOCASE, tmp_path))


def test_a_whole_number_stays_one() -> None:
    """Arrays and hashes of integers are much quicker than those of texts."""
    assert identifier.common_type(["BIGINT", "BIGINT"]) == "BIGINT"
    assert identifier.common_type(["HUGEINT"]) == "HUGEINT"
    assert identifier.common_type(["INTEGER", "UTINYINT"]) == "BIGINT"
    assert identifier.common_type(["UUID", "UUID"]) == "UUID"
    for kinds in (["BIGINT", "VARCHAR"], ["UBIGINT", "BIGINT"], ["UUID", "VARCHAR"], ["BIGINT", None], ["DOUBLE"]):
        assert identifier.common_type(kinds) == "VARCHAR"
    assert identifier.in_type("x", "BIGINT", "BIGINT") == "x"


@pytest.mark.parametrize("kind", ["DOUBLE", "FLOAT", "DECIMAL(9,2)", "DATE", "TIMESTAMP", "BOOLEAN", "BLOB"])
def test_a_name_that_is_written_in_several_ways_is_refused(kind: str, tmp_path: Path) -> None:
    """0 and -0 are equal and written in two ways; 1.0 and 1.00 too."""
    for column, table in (("pid", "visits"), ("who", "people"), ("visit", "visits"), ("pointer", "items")):
        names = replace(_NUMBER, **{column: kind})
        wrong = wrong_headers(Filed(), names, tmp_path / column)
        assert len(wrong) == 1
        assert f"{table}.{column.replace('pointer', 'visit')} is {kind.split('(')[0]} in the file" in wrong[0]


SERVED = [
    replace(_TEXT, pid='varchar(9) COLLATE "C"', visit="text", who='text COLLATE "POSIX"', pointer="varchar"),
    replace(_TEXT, pid="char(9)", who="text", people=("A", "a", "7"), visit="char(3)", pointer="text", visits=("x",)),
    replace(_NUMBER, pid="int4", who="int8", visit="int2", pointer="int8"),
    replace(_NUMBER, pid="numeric(9,0)", who="int8", visit="text", pointer="numeric(9,0)"),
    Names("uuid", "text", "uuid", "uuid", UUIDS, UUIDS),
]


@pytest.mark.parametrize("names", SERVED, ids=lambda names: f"{names.pid}/{names.who}/{names.pointer}")
def test_no_name_on_a_server_takes_two_people_for_one(
    names: Names, postgres: PostgresUnderTest, tmp_path: Path
) -> None:
    found = list(moved(Served(postgres), names, tmp_path))
    assert [each for each in found if each is not None] == []
    assert len(found) >= 8 * len(names.people)


@pytest.mark.parametrize("kind", ["float8", "numeric", "citext", "odd", "date", "bool", "int4[]"])
def test_a_server_s_odd_names_are_refused(kind: str, postgres: PostgresUnderTest, tmp_path: Path) -> None:
    """Also those of types with an equality of their own, and texts of a collation that is not of single letters."""
    with postgres.connect() as own:
        own.execute("CREATE EXTENSION IF NOT EXISTS citext") if kind == "citext" else None
        if kind == "odd":
            own.execute("CREATE COLLATION IF NOT EXISTS odd (provider = icu, locale = 'und', deterministic = false)")
    written = "text COLLATE odd" if kind == "odd" else kind
    names = replace(_NUMBER, pid=written, who="int8", visit="int8", pointer="int8")
    assert len(wrong_headers(Served(postgres), names, tmp_path / "w")) == 1


def test_a_collation_of_spark_s_catalogue_has_no_type_here() -> None:
    """Such a text is neither read nor a name: its equality is not that of its octets."""
    for kind in ("string collate UTF8_LCASE", "string collate UNICODE_CI_RTRIM", "char(9)"):
        column = catalogue_column("pid", kind)
        assert column.spark is None
        assert not can_identify(column.type)


def test_no_name_on_a_cluster_takes_two_people_for_one(spark: SparkUnderTest, tmp_path: Path) -> None:
    """A person in two types, and keys in two types."""
    names = replace(_NUMBER, pid="INTEGER", who="VARCHAR", pointer="VARCHAR", people=("3", "7"), visits=("0", "3"))
    found = list(moved(OnCluster(spark), names, tmp_path, (QUERIES[3], QUERIES[5])))
    assert [each for each in found if each is not None] == []
