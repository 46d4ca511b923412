"""No value of any type makes a release fail, or changes its shape: every aggregate, poison in every cell (R07, R26)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import duckdb
import pytest
from tests.engines.poison_values import TYPES, table_sql

from tacit.curator.dataset import open_dataset
from tacit.errors import Refused
from tacit.loss.families.approx import Pure
from tacit.noise.rehearsal import Seeded
from tacit.query.catalogue import Catalogue
from tacit.query.engines.duckdb_engine import DuckDBEngine
from tacit.query.plans.planning import make_plan
from tacit.query.plans.price import price_of
from tacit.query.plans.question import read_question
from tacit.query.running.noisy_table import NoisyTable
from tacit.query.running.run import run
from tacit.schema.engine_types import can_be_read
from tacit.schema.kind import Kind
from tacit.schema.reading import read_description

_AGGREGATES = (
    "COUNT({0}), SUM({0}), AVG({0}), VAR_POP({0}), STDDEV_SAMP({0}), MEDIAN({0}), QUANTILE_CONT({0}, 0.9), MIN({0}), "
    "MAX({0}), COUNT(DISTINCT {0}), COUNT(DISTINCT person) FILTER (WHERE {0} > 1)"
)
_TIMES = "COUNT({0}), COUNT(DISTINCT {0}), COUNT(*) FILTER (WHERE {0} > DATE '2023-01-01'), COUNT(DISTINCT person)"
_FEW = "COUNT({0}), COUNT(DISTINCT {0}), COUNT(*) FILTER (WHERE {0} IS NULL)"


@dataclass(frozen=True)
class Way:
    """A way to read columns: as which kind, with which declaration; what is asked of them, and by what they group."""

    kind: Kind
    declared: str
    aggregates: str
    group: str | None


WAYS = {
    "int": Way(Kind.INTEGER, 'type = "int", min = -5, max = 100', _AGGREGATES, "{0}"),
    "filled": Way(Kind.INTEGER, 'type = "int", min = -5, max = 100, nullable = false', _AGGREGATES, "{0} // 10"),
    "wide": Way(Kind.INTEGER, 'type = "int"', _FEW, "{0}"),
    "edge": Way(Kind.INTEGER, f'type = "int", min = {-(2**60)}, max = {2**60}', "SUM({0}), AVG({0})", "{0} * 3"),
    "money": Way(Kind.DECIMAL, 'type = "money", min = 0, max = 2000.5', _AGGREGATES, "{0}"),
    "float": Way(Kind.FLOAT, 'type = "float", min = -1.5, max = 1e6', _AGGREGATES, None),
    "free": Way(Kind.FLOAT, 'type = "float"', _FEW, "CAST({0} AS BIGINT)"),
    "text": Way(Kind.TEXT, 'type = "text"', _FEW, "{0}"),
    "keyed": Way(Kind.TEXT, 'type = "text", keys = ["1", "x", "true"]', _FEW, "{0}"),
    "bool": Way(Kind.BOOLEAN, 'type = "bool"', _FEW, "{0}"),
    "date": Way(Kind.DATE, 'type = "date"', _TIMES, "{0}"),
    "near": Way(Kind.DATE, 'type = "date", min = 2023-01-01, max = 2023-12-31', _TIMES, "date_trunc('month', {0})"),
    "timestamp": Way(Kind.TIMESTAMP, 'type = "timestamp"', _TIMES, "date_trunc('year', {0})"),
}


def described(folder: Path, ending: str, extra: str = "") -> Path:
    """A description of the poisoned file beside it, once for each way to read it."""
    names = {column: "VARCHAR" if ending == "csv" else kind for column, (kind, _) in TYPES.items() if column != "span"}
    lines = [
        '[dataset]\nname = "poison"\nunit = { id = "person", hides = "one person" }\n'
        f'budget = {{ rho = 1000000, delta = 0.5 }}\nledger = "ledger.sqlite"\n{extra}'
    ]
    for way, reading in WAYS.items():
        source = f'source = "poison.{ending}"' + ('\ntable = "poison"' if ending == "duckdb" else "")
        columns = [
            f"{column} = {{ {reading.declared} }}" for column, kind in names.items() if can_be_read(kind, reading.kind)
        ]
        lines.append(
            f"[tables.{way}]\n{source}\nlimits = {{ rows = 3 }}\n[tables.{way}.columns]\n" + "\n".join(columns)
        )
    file = folder / "poison.toml"
    file.write_text("\n".join(lines))
    return file


def poisoned(folder: Path, ending: str, without: int | None = None) -> Path:
    """The description of a file of poison, perhaps without one person."""
    folder.mkdir()
    place = folder / f"poison.{ending}"
    with duckdb.connect(str(place) if ending == "duckdb" else ":memory:") as connection:
        connection.execute(table_sql("poison", without))
        if ending != "duckdb":
            options = "" if ending == "parquet" else "(HEADER)"
            connection.execute(f"COPY (SELECT * EXCLUDE (span) FROM poison) TO '{place}' {options}")
    return described(folder, ending)


@dataclass(frozen=True)
class World:
    """A poisoned data set, ready to be planned against and run."""

    catalogue: Catalogue
    engine: DuckDBEngine

    @classmethod
    def opened(cls, file: Path) -> World:
        engine = DuckDBEngine(threads=1)
        description = read_description(file, engine.public_values)
        header = dict(engine.header(next(iter(description.tables.values())).source))
        return cls(Catalogue(description, dict.fromkeys(description.tables, header)), engine)

    def alone(self, way: str, column: str) -> World:
        """The same with one table of one column: what is asked of it is short."""
        description = self.catalogue.description
        table = description.tables[way]
        narrow = replace(table, columns={column: table.columns[column]})
        return replace(self, catalogue=replace(self.catalogue, description=replace(description, tables={way: narrow})))

    def noisy(self, sql: str) -> NoisyTable:
        """The noisy integers of a query, with frozen entropy; the charge is left out, nothing else."""
        description = self.catalogue.description
        question = read_question(sql, self.catalogue)
        price = price_of(description.budget, description.promise, 10, None, question.has_private_keys)
        plan = make_plan(question, self.catalogue, is_gaussian=not isinstance(description.budget, Pure))
        with self.engine.session(description) as session:
            return run(plan, price, session, Seeded(1))


def columns_of(world: World, way: str, every: int) -> list[str]:
    """Every so many-th of the columns that can be read in a way; another choice for each way."""
    return list(world.catalogue.description.tables[way].columns)[list(WAYS).index(way) % every :: every]


_LONG = [pytest.param(ending, marks=pytest.mark.long) for ending in ("parquet", "csv")]


@pytest.fixture(scope="module", params=["duckdb", *_LONG])
def neighbours(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[World]:
    folder = tmp_path_factory.mktemp(request.param)
    return [
        World.opened(poisoned(folder / "all", request.param)),
        World.opened(poisoned(folder / "less", request.param, without=3)),
    ]


def shape_of(table: NoisyTable) -> object:
    """What does not depend on the data: the columns, their types and, where keys are public, how many there are."""
    return [
        (part, column.values.dtype, *([] if table.keys else column.values.shape))
        for part, column in table.columns.items()
    ]


_SOME = pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.long)])


@_SOME
@pytest.mark.parametrize("way", WAYS)
def test_every_aggregate_of_poison_has_an_answer(neighbours: list[World], way: str, every: int) -> None:
    """R07, R26: no aggregate over any type fails, and its shape is the same without one of the people."""
    for name in columns_of(neighbours[0], way, every):
        sql = f"SELECT {WAYS[way].aggregates.format(name)} FROM {way}"
        one, other = (world.alone(way, name).noisy(sql) for world in neighbours)
        assert shape_of(one) == shape_of(other)


@_SOME
@pytest.mark.parametrize("way", [way for way, reading in WAYS.items() if reading.group])
def test_every_poison_can_be_grouped_by(neighbours: list[World], way: str, every: int) -> None:
    """R07, R24, R26: keys of any type are read, sorted and stored; public ones are as many as the plan says."""
    group = WAYS[way].group
    assert group is not None
    for name in columns_of(neighbours[0], way, every):
        sql = f"SELECT {group.format(name)}, COUNT(*), COUNT(DISTINCT person) FROM {way} GROUP BY 1"
        one, other = (_stored(world.alone(way, name).noisy(sql)) for world in neighbours)
        assert (one.keys is None) == (other.keys is None)
        assert one.keys is not None or shape_of(one) == shape_of(other)


def _stored(table: NoisyTable) -> NoisyTable:
    return NoisyTable.from_bytes(table.to_bytes())


@pytest.mark.parametrize("ending", ["duckdb", "parquet", "csv"])
def test_poison_passes_the_door(tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """R07, R26: charged, run, stored, shown: whatever lies in the cells."""
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "witness"))
    with open_dataset(poisoned(tmp_path / "all", ending)) as dataset:
        for way, reading in WAYS.items():
            name = "double" if reading.kind.is_number or reading.kind is Kind.TEXT else "words"
            answer = dataset.query(f"SELECT {reading.aggregates.format(name)} FROM {way}", epsilon=20)
            assert answer.text()
            assert answer._repr_html_()
            assert answer.to_json()
            if reading.group is not None:
                sql = f"SELECT {reading.group.format(name)} AS k, COUNT(*) FROM {way} GROUP BY k"
                assert dataset.query(sql, epsilon=1000).to_json()


@pytest.mark.parametrize("person", sorted(TYPES))
def test_people_may_be_called_anything(tmp_path: Path, person: str) -> None:
    """R20, R26: an identifier of any type, poison among its values, makes people and joins them."""
    with duckdb.connect(str(tmp_path / "poison.duckdb")) as connection:
        connection.execute(table_sql("poison") + "CREATE TABLE other AS SELECT person AS parent, small FROM poison;")
    file, other = tmp_path / "named.toml", "small" if person == "tiny" else "tiny"
    file.write_text(
        f'[dataset]\nname = "named"\nunit = {{ id = "{person}", hides = "one" }}\n'
        'budget = { rho = 10, delta = 0.1 }\n[tables.one]\nsource = "poison.duckdb"\ntable = "poison"\n'
        f'columns = {{ {other} = {{ type = "int", min = 0, max = 9 }} }}\n'
        '[tables.two]\nsource = "poison.duckdb"\ntable = "other"\n'
        'unit = { column = "parent", table = "one", key = "person" }\n'
        'columns = { small = { type = "int", min = 0, max = 9 } }\n'
    )
    world = World.opened(file)
    calls = f"COUNT(DISTINCT one.{person}), SUM(one.{other}), MEDIAN(one.{other}), COUNT(DISTINCT two.small)"
    for sql in (
        f"SELECT {calls} FROM one JOIN two ON one.{person} = two.{person}",
        f"SELECT {other}, COUNT(DISTINCT {person}) FROM one GROUP BY {other}",
        f"SELECT AVG(n) FROM (SELECT {person}, LEAST(COUNT(*), 5) AS n FROM two GROUP BY {person}) AS s",
    ):
        assert world.noisy(sql).columns


def test_totals_beyond_a_word_are_cut(tmp_path: Path) -> None:
    """R05, R26: a person whose values add up to more than 64 bits has a total like any other."""
    with duckdb.connect(str(tmp_path / "poison.duckdb")) as connection:
        connection.execute(f"CREATE TABLE poison AS SELECT 1 AS person, {2**60} AS x FROM range(40)")
    file = tmp_path / "large.toml"
    file.write_text(
        '[dataset]\nname = "large"\nunit = { id = "person", hides = "one" }\nbudget = { rho = 10, delta = 0.1 }\n'
        '[tables.t]\nsource = "poison.duckdb"\ntable = "poison"\nlimits = { rows = 1000 }\n[tables.t.columns]\n'
        f'x = {{ type = "int", min = {-(2**60)}, max = {2**60} }}\n'
    )
    world = World.opened(file)
    for sql in (
        "SELECT SUM(x) FROM t",
        "SELECT AVG(x), VAR_POP(x) FROM t",
        "SELECT x > 0, SUM(x) FROM t GROUP BY 1",
        "SELECT x > 0, AVG(x), MEDIAN(x) FROM t GROUP BY 1",
        "SELECT COUNT(*) FROM (SELECT person, SUM(x) AS s, AVG(x) AS m FROM t GROUP BY person) AS p WHERE s > m",
    ):
        assert world.noisy(sql).columns
    for sql in (
        "SELECT SUM(x * x) FROM t",
        "SELECT COUNT(s) FROM (SELECT person, SUM(x * x) AS s FROM t GROUP BY person) AS p",
    ):
        with pytest.raises(Refused):
            world.noisy(sql)


_LINES = {
    "too few cells": b"2\n",
    "too many cells": b"2,3,4,5,6,7\n",
    "a quote inside": b'2,ab"cd,4\n',
    "octets that are no text": b"2,\xff\xfe,4\n",
    "a NUL": b"2,a\x00b,4\n",
    "a long cell": b"2," + b"x" * 3_000_000 + b",4\n",
    "a return in a cell": b'2,"a\r\nb",4\n',
    "an empty line": b"\n",
    "another end of line": b"2,3,4\r\n",
    "an open quote at the end": b'2,"abc',
}


@pytest.mark.parametrize("line", _LINES)
def test_no_line_of_a_csv_file_stops_the_others(tmp_path: Path, line: str) -> None:
    """R07, R26: whatever a line holds, the file is opened and the other lines are counted."""
    (tmp_path / "poison.csv").write_bytes(b"person,t,x\n1,a,5\n1,b,6\n" + _LINES[line])
    file = tmp_path / "lines.toml"
    file.write_text(
        '[dataset]\nname = "lines"\nunit = { id = "person", hides = "one" }\nbudget = { rho = 10, delta = 0.1 }\n'
        '[tables.t]\nsource = "poison.csv"\nlimits = { rows = 5 }\n'
        'columns = { t = { type = "text" }, x = { type = "int", min = 0, max = 9 } }\n'
    )
    world = World.opened(file)
    assert world.noisy("SELECT COUNT(*), SUM(x), COUNT(DISTINCT t) FROM t").columns
    with world.engine.session(world.catalogue.description) as session:
        found = session.run("SELECT SUM(TRY_CAST(x AS INTEGER)) AS s FROM t WHERE person = '1'")
    assert found.column("s").to_pylist() == [11]
