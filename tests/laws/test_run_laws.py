"""Further laws of a run: a draw for every number, nothing from the data before the charge, no state between queries.

R04, R13, R15, R19, R24, R29, R30.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pytest
from tests.query.running.all_stages import run

from tacit.curator.dataset import open_dataset
from tacit.errors import Failed, Refused
from tacit.noise.bits import Bits, Seeded
from tacit.noise.slabs import slabs
from tacit.query.bounding.histogram_sql import BINS
from tacit.query.bounding.limit_choice import make_plan
from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.execution import run as running
from tacit.query.execution.noisy_table import NoisyTable
from tacit.query.plans import group_keys as key_rule
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price, price_of
from tacit.query.plans.question import read_question
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Description
from tacit.schema.reader import read_description

_FILE = """
[dataset]
name = "clinic"
unit = {{ id = "pid", hides = "one person" }}
budget = {{ rho = 10000, delta = 0.5 }}
floor = 0
breaker = "off"
ledger = "ledger.sqlite"
[tables.visits]
source = "visits.parquet"
{limits}
[tables.visits.columns]
age = {{ type = "int", min = 0, max = 99 }}
cost = {{ type = "money", min = 0, max = 500 }}
stay = {{ type = "float", min = 0, max = 9 }}
region = {{ type = "text", keys = ["north", "south", "east", "west"] }}
ward = {{ type = "text" }}
"""
QUERIES = (
    "SELECT COUNT(*) FROM visits",
    "SELECT region, COUNT(*), SUM(cost), AVG(stay) FROM visits GROUP BY region",
    "SELECT region, MEDIAN(cost), QUANTILE_CONT(cost, 0.9), COUNT(DISTINCT ward) FROM visits GROUP BY region",
    "SELECT ward, COUNT(*), VAR_POP(age) FROM visits GROUP BY ward",
    "SELECT ward, COUNT(DISTINCT pid), MAX(age) FROM visits GROUP BY ward",
    "SELECT AVG(n) FROM (SELECT pid, LEAST(COUNT(*), 9) AS n FROM visits GROUP BY pid) AS s",
)


def clinic(folder: Path, where: str = "TRUE", order: str = "pid", limits: str = "") -> Path:
    """A small clinic as a description beside its Parquet file."""
    folder.mkdir(parents=True, exist_ok=True)
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE v AS SELECT i % 300 AS pid, (i * 7919) % 120 AS age, (i * 31) % 600 / 1.0 AS cost, "
            "(i % 97) / 9.0 AS stay, ['north', 'south', 'east', 'far', NULL][1 + i % 5] AS region, "
            "'w' || (i % 3) AS ward, i AS i FROM range(2000) AS r(i)"
        )
        select = f"SELECT * EXCLUDE (i) FROM v WHERE {where} ORDER BY {order}"
        connection.execute(f"COPY ({select}) TO '{folder / 'visits.parquet'}' (ROW_GROUP_SIZE 2048)")
    file = folder / "clinic.toml"
    file.write_text(_FILE.format(limits=limits))
    return file


@dataclass(frozen=True)
class Clinic:
    """A data set that is planned against and run without its ledger."""

    description: Description
    engine: DuckDBEngine

    @classmethod
    def opened(cls, file: Path, threads: int = 1) -> Clinic:
        return cls(read_description(file), DuckDBEngine(threads=threads))

    def planned(self, sql: str) -> tuple[Plan, Price]:
        source = self.description.tables["visits"].source
        catalogue = Catalogue(self.description, {"visits": dict(self.engine.header(source))})
        question = read_question(sql, catalogue)
        budget = self.description.budget
        price = price_of(budget, self.description.promise, 5, None, question.has_private_keys)
        return make_plan(question, catalogue, is_gaussian=True), price

    def run(self, sql: str, seed: int = 1) -> NoisyTable:
        plan, price = self.planned(sql)
        with self.engine.session(self.description) as session:
            return run(plan, price, session, Seeded(seed))


@dataclass
class Counting:
    """Counts the draws asked of every law."""

    drawn: list[int] = field(default_factory=list)

    def slabs(self, law: Any) -> Any:
        counting = self

        class Counted:
            def draw(self, size: int, bits: Bits) -> Any:
                counting.drawn.append(size)
                return slabs(law).draw(size, bits)

        return Counted()


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> Counting:
    found = Counting()
    monkeypatch.setattr(running, "slabs", found.slabs)
    monkeypatch.setattr(key_rule, "slabs", found.slabs)
    return found


@pytest.mark.parametrize("limits", ["", "limits = { rows = 4, keys = 2 }"])
@pytest.mark.parametrize("sql", QUERIES)
def test_every_number_has_its_own_draw(tmp_path: Path, counting: Counting, sql: str, limits: str) -> None:
    """R13, R19: as many draws as numbers are released, in one batch for each priced block, and one for each key."""
    world = Clinic.opened(clinic(tmp_path, limits=limits))
    plan, _ = world.planned(sql)
    table = world.run(sql)
    released = sum(column.values.size for column in table.columns.values())
    found = len(plan.unknown) * len(BINS)
    keys = 3 if plan.is_selecting else 0  # w0, w1 and w2, all of them weighed
    assert sum(counting.drawn) == released + found + keys
    assert len(table.columns) == len(plan.question.parts)
    blocks = len(plan.question.parts) + bool(plan.unknown) + plan.is_selecting
    assert len(counting.drawn) == blocks


def test_no_draw_is_shared_between_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R13: noise differs from group to group; the broken twin, one draw for all of them, is noticed."""
    world = Clinic.opened(clinic(tmp_path, where="FALSE", limits="limits = { rows = 4 }"))
    sql = "SELECT age, COUNT(*) FROM visits GROUP BY age"
    (column,) = world.run(sql).columns.values()
    assert len(set(column.values.tolist())) == column.values.size > 90
    real = running.with_noise
    monkeypatch.setattr(running, "with_noise", lambda values, noise, bits: values + real(values[:1] * 0, noise, bits))
    (column,) = world.run(sql).columns.values()
    assert len(set(column.values.tolist())) == 1


def test_a_release_reads_the_same_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R13, R43: the same request gives the same bytes, and what was read can be read again."""
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "witness"))
    with open_dataset(clinic(tmp_path / "a")) as dataset:
        for sql in QUERIES:
            first = dataset.query(sql, epsilon=3)
            text, table = first.to_json(), first.table
            assert (first.to_json(), first.table) == (text, table)
            again = dataset.query(sql, epsilon=3)
            assert again.table == table
            assert again.certificate == first.certificate


class Nothing:
    """A session without rows."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError("data was asked for")


class Blind(DuckDBEngine):
    """An engine that gives headers and no data."""

    @contextmanager
    def session(self, description: Description, physical: Any = None) -> Iterator[Any]:
        yield Nothing()


def test_plans_and_prices_need_no_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R15: everything before the charge runs against an engine that has no rows; a missing bound is refused there."""
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "witness"))
    with open_dataset(clinic(tmp_path / "a"), engine=Blind()) as dataset:
        for sql in QUERIES:
            assert str(dataset.explain(sql, epsilon=1))
        for sql in ("SELECT SUM(CAST(ward AS BIGINT)) FROM visits", "SELECT COUNT(*) FROM visits GROUP BY stay"):
            with pytest.raises(Refused):
                dataset.explain(sql, epsilon=1)
        assert dataset.budget().entries == ()
        with pytest.raises(Failed):  # the door itself does ask
            dataset.query(QUERIES[0], epsilon=1)
        assert len(dataset.budget().entries) == 1


@pytest.mark.parametrize("sql", QUERIES)
def test_no_order_of_rows_shows(tmp_path: Path, sql: str) -> None:
    """R04, R24: shuffled rows and more threads give the same bytes under frozen entropy, keys in their own order."""
    worlds = [
        Clinic.opened(clinic(tmp_path / "a")),
        Clinic.opened(clinic(tmp_path / "b", order="hash(i)"), threads=4),
        Clinic.opened(clinic(tmp_path / "c", order="ward DESC, cost, i DESC"), threads=2),
    ]
    tables = [world.run(sql) for world in worlds]
    assert len({table.to_bytes() for table in tables}) == 1
    keys = tables[0].keys
    assert keys is None or list(keys) == sorted(keys, key=str)


def test_neighbours_are_refused_and_priced_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R29: the same refusals, explanations and prices without one person, and with no rows at all."""
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "witness"))
    asked = (*QUERIES, "SELECT COUNT(*) FROM nobody", "SELECT SUM(age / stay) FROM visits", "SELECT ward FROM visits")
    heard = []
    for place, where in enumerate(("TRUE", "pid <> 7", "FALSE")):
        with open_dataset(clinic(tmp_path / str(place), where)) as dataset:
            said = []
            for sql in asked:
                try:
                    said.append(str(dataset.explain(sql, epsilon=1)))
                    dataset.query(sql, epsilon=1)
                except Refused as refused:
                    said.append(str(refused))
            heard.append((said, dataset.budget().used))
    assert heard[0] == heard[1] == heard[2]


def test_no_query_leaves_a_trace_for_the_next(tmp_path: Path) -> None:
    """R30: a query after others, in the same engine, gives what it gives alone."""
    file = clinic(tmp_path)
    alone = {sql: Clinic.opened(file).run(sql).to_bytes() for sql in QUERIES}
    together = Clinic.opened(file)
    for sql in (*QUERIES, *reversed(QUERIES)):
        assert together.run(sql).to_bytes() == alone[sql]
