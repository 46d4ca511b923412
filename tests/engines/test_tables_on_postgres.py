"""Tables on PostgreSQL: of random dirty rows DuckDB's contrasts, to the last unit; what it cannot say is refused."""

from __future__ import annotations

from pathlib import Path
from random import Random

import duckdb
import pytest
from tests.engines.engines import EngineUnderTest
from tests.engines.postgres_server import PostgresUnderTest
from tests.engines.shared_worlds import shared_world
from tests.laws.databases import engine_session, worlds
from tests.laws.table_movement import WorldSession, drawn_keys, drawn_limit, vector
from tests.laws.test_table_neighbours import random_tables

import tacit
from tacit.curator.open_data import check_question
from tacit.errors import Refused
from tacit.loss.families.approx import Pure
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.price import price_of
from tacit.workload.grouping_sets import read_tables
from tacit.workload.residual_basis import Weighting
from tacit.workload.tables_plan import plan_tables
from tacit.workload.tables_run import TablesRun, measure_scale

_QUERIES = 4


def compared(seed: int, under_test: EngineUnderTest, folder: Path) -> int:
    """How many tables were compared in one random data set and a neighbour."""
    random, count = Random(seed), 0
    with engine_session() as laws, worlds(random, laws) as world:
        if isinstance(world.description.budget, Pure):
            return 0
        with shared_world(world, under_test, folder) as shared:
            for _ in range(_QUERIES):
                sql = random_tables(random, world.has_people)
                try:
                    asked = read_tables(sql, shared.catalogue)
                    check_question(asked.question, shared.catalogue, under_test.engine())
                    plan = plan_tables(asked, shared.catalogue, IntervalKind.BOUNDED, Weighting.TABLES)
                except Refused:
                    continue
                price = price_of(world.description.budget, world.description.promise, 1, None, bool(plan.private))
                keys = drawn_keys(plan, random, {place: [] for place in plan.private})
                strategies = plan.strategies(keys)
                limits = {part: drawn_limit(plan, part, random) for part in plan.measures}
                scales = tuple(
                    measure_scale(part, strategies[part], limits[part], plan.is_scaled) for part in plan.measures
                )
                run = TablesRun(plan, price)
                for _, schema, session in shared.pairs:
                    ours = vector(run, WorldSession(world, schema), keys, scales, strategies)
                    assert vector(run, session, keys, scales, strategies) == ours, (seed, sql)
                    count += 1
    return count


@pytest.mark.parametrize("seed", [3, *(pytest.param(seed, marks=pytest.mark.long) for seed in (2, 5, 8))])
def test_dirty_rows_have_the_same_contrasts(postgres: PostgresUnderTest, tmp_path: Path, seed: int) -> None:
    """R04, R16: texts, infinities, values out of bounds, and rows without an owner."""
    assert compared(seed, postgres, tmp_path) >= 2


DESCRIPTION = """\
[dataset]
name = "clinic"
unit = { row = true, hides = "one visit" }
budget = { epsilon = 4, delta = 1e-6 }

[tables.visits]
source = "ADDRESS"
table = "TABLE"

[tables.visits.columns]
ward = { type = "text" }
cost = { type = "int", min = 0, max = 9, nullable = false }
"""
CAST = "CAST(ward AS BIGINT) > 2"


def test_what_postgresql_has_no_words_for_is_refused_before_the_charge(
    postgres: PostgresUnderTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R24: of tables, workloads and sessions, as of queries."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "elsewhere" / "witness"))
    rows = duckdb.connect()
    rows.execute("CREATE TABLE visits AS SELECT (i % 5)::VARCHAR AS ward, i % 10 AS cost FROM range(200) AS r(i)")
    postgres.load(rows, ["visits"], tmp_path)
    text = DESCRIPTION.replace("ADDRESS", postgres.address).replace("TABLE", f"{postgres.schema(tmp_path)}.visits")
    Path("clinic.toml").write_text(text)
    with tacit.open("clinic.toml") as clinic:
        with pytest.raises(Refused, match="reading a text as BIGINT"):
            clinic.tables(
                f"SELECT cost, COUNT(*) FILTER (WHERE {CAST}) AS n FROM visits GROUP BY CUBE(cost)", epsilon=1
            )
        with pytest.raises(Refused, match="reading a text as BIGINT"):
            clinic.workload(f"SELECT cost, COUNT(*) AS n FROM visits WHERE {CAST} GROUP BY cost", epsilon=1)
        with pytest.raises(Refused, match="reading a text as BIGINT"):
            clinic.weights(f"SELECT cost, COUNT(*) FROM visits WHERE {CAST} GROUP BY cost", epsilon=1, updates=2)
        assert clinic.budget().used == 0
        assert clinic.tables("SELECT cost, COUNT(*) AS n FROM visits GROUP BY CUBE(cost)", epsilon=1)
