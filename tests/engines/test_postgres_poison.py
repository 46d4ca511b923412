"""No value of any PostgreSQL type makes a release fail, or changes its shape (R07, R26)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engines.poisoned_world import WAYS, World, of_both
from tests.engines.postgres_server import PostgresUnderTest
from tests.engines.test_poison import shape_of

from tacit.curator.dataset import open_dataset
from tacit.errors import Refused
from tacit.query.engines.postgres.engine import PostgresEngine
from tacit.schema.catalogue import can_be_read
from tacit.schema.kind import Kind

TYPES: dict[str, tuple[str, list[str]]] = {
    "small": ("smallint", ["-32768", "32767", "50"]),
    "whole": ("integer", ["-2147483648", "2147483647", "50"]),
    "big": ("bigint", ["-9223372036854775808", "9223372036854775807", "50"]),
    "single": ("real", ["'NaN'", "'Infinity'", "'-Infinity'", "3.4e38", "-0.0", "1e-45", "0.5"]),
    "twice": ("float8", ["'NaN'", "'Infinity'", "'-Infinity'", "1.797e308", "-1.797e308", "5e-324", "-0.0", "0.1"]),
    "short_numeric": ("numeric(4,1)", ["-999.9", "999.9", "0.1", "'NaN'"]),
    "long_numeric": ("numeric(38,10)", ["9999999999999999999999999999.9999999999", "'NaN'", "0.00005"]),
    "free_numeric": ("numeric", ["'NaN'", "'Infinity'", "'-Infinity'", "1e130000", "1e-16000", "12.345"]),
    "wide_numeric": ("numeric(60,30)", ["1e29", "-1e29", "0.000000000000000000000000000001", "'NaN'"]),
    "negative_scale": ("numeric(3,-2)", ["99900", "'NaN'", "-100"]),
    "truth": ("boolean", ["TRUE", "FALSE"]),
    "words": ("text", ["''", "'NaN'", "'1e309'", "'  7'", "'true'", "'Ä ẞ'", "repeat('x', 100000)"]),
    "padded": ("char(5)", ["''", "'1'", "'x    '", "'true'"]),
    "short": ("varchar(7)", ["''", "'1'", "'x'", "'é'"]),
    "octet": ('"char"', ["'x'", "''"]),
    "choice": ("mood", ["'1'", "'x'", "''"]),
    "named": ("positive", ["1", "50", "9223372036854775807"]),
    "day": ("date", ["'infinity'", "'-infinity'", "'4713-01-01 BC'", "'5874897-12-31'", "'2023-02-28'"]),
    "moment": ("timestamp", ["'infinity'", "'-infinity'", "'4713-01-01 BC'", "'294276-12-31 23:59:59.999999'"]),
    "coarse": ("timestamp(0)", ["'infinity'", "'2023-02-28 12:00:00'"]),
    "zoned": ("timestamptz", ["'infinity'", "'-infinity'", "'4713-01-01 BC'", "'294276-12-31 23:59:59+00'"]),
    "hour": ("time", ["'00:00'", "'24:00'", "'23:59:59.999999'"]),
    "universal": ("uuid", ["'00000000-0000-0000-0000-000000000000'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"]),
    "octets": ("bytea", ["'\\x00ff'", "''"]),
    "zoned_hour": ("timetz", ["'00:00+15:59'"]),
    "span": ("interval", ["'178000000 years'", "'-1 day'"]),
    "tree": ("jsonb", ["'{}'", "'null'"]),
    "several": ("integer[]", ["'{}'", "'{NULL}'"]),
    "cash": ("money", ["'-92233720368547758.08'"]),
    "bits": ("bit(3)", ["'101'"]),
    "net": ("inet", ["'::1'"]),
}
"""By the name of a column: its type, and its values besides NULL."""

_ROWS = 24
_NEVER = ("octets", "zoned_hour", "span", "tree", "several", "cash", "bits", "net", "octet")
"""Columns that nothing is asked of: a value of them has no equal elsewhere. They may still tell people apart."""


def _create(postgres: PostgresUnderTest, schema: str, without: int | None) -> None:
    columns = ", ".join(f"{column} {kind}" for column, (kind, _) in TYPES.items())
    rows = [
        f"({place % 5 if place % 7 else 'NULL'}, {', '.join(_cell(column, place) for column in TYPES)})"
        for place in range(_ROWS)
        if place % 5 != without
    ]
    with postgres.connect() as server:
        server.execute(f"CREATE SCHEMA {schema}")
        server.execute(f"SET search_path = {schema}")
        server.execute("CREATE TYPE mood AS ENUM ('1', 'x', '')")
        server.execute("CREATE DOMAIN positive AS bigint CHECK (VALUE > 0)")
        server.execute(f"CREATE TABLE poison (person bigint, {columns})")
        server.execute(f"INSERT INTO poison VALUES {', '.join(rows)}")
        server.execute(f"GRANT USAGE ON SCHEMA {schema} TO reader; GRANT SELECT ON poison TO reader")


def _cell(column: str, place: int) -> str:
    kind, values = TYPES[column]
    chosen = (*values, "NULL")[place % (len(values) + 1)]
    return "NULL" if chosen == "NULL" else f"CAST({chosen} AS {kind})"


def _described(postgres: PostgresUnderTest, schema: str, folder: Path, unit: str = "person") -> Path:
    """A description of the table, once for each way to read it."""
    folder.mkdir()
    source = f'source = "{postgres.address}"\ntable = "{schema}.poison"'
    head = (
        f'[dataset]\nname = "poison"\nunit = {{ id = "{unit}", hides = "one" }}\n'
        'budget = { rho = 1000000, delta = 0.5 }\nfloor = 0\nbreaker = "off"\nledger = "ledger.sqlite"\n'
    )
    file = folder / "first.toml"
    file.write_text(f"{head}[tables.t]\n{source}\n")
    header = dict(
        PostgresEngine().header(World.opened(file, PostgresEngine()).catalogue.description.tables["t"].source)
    )
    parts = [head]
    for way, reading in WAYS.items():
        columns = [
            f"{column} = {{ {reading.declared} }}"
            for column, kind in header.items()
            if column in TYPES and column not in (*_NEVER, unit) and _is_read(kind, reading.kind)
        ]
        listed = "\n".join(columns)
        parts.append(f"[tables.{way}]\n{source}\nlimits = {{ rows = 3 }}\n[tables.{way}.columns]\n{listed}")
    file = folder / "poison.toml"
    file.write_text("\n".join(parts))
    return file


def _is_read(kind: str, wanted: Kind) -> bool:
    """Texts are read as texts and truth values alone."""
    return can_be_read(kind, wanted) and not (kind == "VARCHAR" and wanted not in (Kind.TEXT, Kind.BOOLEAN))


@pytest.fixture(scope="module")
def neighbours(postgres: PostgresUnderTest, tmp_path_factory: pytest.TempPathFactory) -> list[World]:
    folder, found = tmp_path_factory.mktemp("postgres-poison"), []
    for schema, without in (("poison_all", None), ("poison_less", 3)):
        _create(postgres, schema, without)
        found.append(World.opened(_described(postgres, schema, folder / schema), PostgresEngine()))
    return found


def _asked(world: World, way: str, every: int) -> list[str]:
    return list(world.catalogue.description.tables[way].columns)[list(WAYS).index(way) % every :: every]


_SOME = pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.long)])


@_SOME
@pytest.mark.parametrize("way", WAYS)
def test_every_aggregate_of_postgres_poison_has_an_answer(neighbours: list[World], way: str, every: int) -> None:
    """R07, R26: no aggregate over any type fails, and its shape is the same without one of the people."""
    for name in _asked(neighbours[0], way, every):
        sql = f"SELECT {WAYS[way].aggregates.format(name)} FROM {way}"
        one, other = of_both(neighbours, way, name, sql)
        assert shape_of(one) == shape_of(other)


@_SOME
@pytest.mark.parametrize("way", [way for way, reading in WAYS.items() if reading.group])
def test_every_postgres_poison_can_be_grouped_by(neighbours: list[World], way: str, every: int) -> None:
    """R07, R24, R26: keys of any type are read, sorted and stored."""
    group = WAYS[way].group
    assert group is not None
    for name in _asked(neighbours[0], way, every):
        sql = f"SELECT {group.format(name)}, COUNT(*), COUNT(DISTINCT person) FROM {way} GROUP BY 1"
        one, other = of_both(neighbours, way, name, sql)
        assert one.keys is not None or shape_of(one) == shape_of(other)


@pytest.mark.parametrize("person", sorted(set(TYPES) - {*_NEVER, "words"}))
def test_people_may_be_called_anything_in_postgres(
    neighbours: list[World], postgres: PostgresUnderTest, tmp_path: Path, person: str
) -> None:
    """R20, R26: an identifier of any type makes people, poison among its values."""
    world = World.opened(_described(postgres, "poison_all", tmp_path / "named", person), PostgresEngine())
    other = "whole" if person != "whole" else "small"
    assert world.alone("int", other).noisy(f"SELECT COUNT(DISTINCT {person}), SUM({other}) FROM int").columns


@pytest.mark.parametrize("column", [*_NEVER, "words"])
def test_what_has_no_equal_form_is_refused_by_name(
    neighbours: list[World], postgres: PostgresUnderTest, tmp_path: Path, column: str
) -> None:
    """R26: a column that cannot be read alike everywhere is refused when the data set is opened, with a cure."""
    file = tmp_path / "never.toml"
    kind = "text" if column != "words" else "int"
    file.write_text(
        '[dataset]\nname = "never"\nunit = { id = "person", hides = "one" }\nbudget = { rho = 1, delta = 0.1 }\n'
        'floor = 0\nbreaker = "off"\n'
        f'[tables.t]\nsource = "{postgres.address}"\ntable = "poison_all.poison"\n'
        f'columns = {{ {column} = {{ type = "{kind}" }} }}\n'
    )
    with open_dataset(file, ledger=tmp_path / "ledger.sqlite") as data, pytest.raises(Refused, match=f"t.{column}"):
        data.explain("SELECT COUNT(*) FROM t", epsilon=1)
