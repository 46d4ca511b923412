"""Data in PostgreSQL can be prepared too: the form is a local file, and its sums are the server's."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engines.postgres_server import PostgresUnderTest

from tacit.curator.open_data import open_data
from tacit.curator.planner import Planner
from tacit.query.engines.protocol import Lending
from tacit.query.engines.spark.engine import SparkSessionOfData
from tacit.query.execution.program import program
from tacit.query.materialized.statements import STATEMENTS
from tacit.query.plans.limit import IntervalKind

_SETUP = """
CREATE SCHEMA care; GRANT USAGE ON SCHEMA care TO reader;
CREATE TABLE care.visits (patient uuid, ward text, cost numeric(10,2), at date);
INSERT INTO care.visits SELECT md5((i % 90)::text)::uuid, CASE WHEN i % 7 > 0 THEN 'w' || i % 5 END,
    CASE WHEN i % 11 > 0 THEN (i * 37) % 500 - 20 END, date '2024-01-01' + i % 400 FROM generate_series(1, 3000) AS i;
INSERT INTO care.visits VALUES (NULL, 'w1', 5, NULL), (md5('0')::uuid, 'é', 'NaN', 'infinity');
GRANT SELECT ON care.visits TO reader;
"""
_QUERIES = (
    "SELECT COUNT(*), SUM(cost), AVG(cost) FROM visits",
    "SELECT ward, COUNT(*), AVG(cost) FROM visits GROUP BY ward",
    "SELECT ward, COUNT(DISTINCT patient) FROM visits GROUP BY ward",
    "SELECT MEDIAN(cost) FROM visits",
    "SELECT COUNT(*), SUM(cost) FROM visits WHERE at > DATE '2024-06-01'",
)


@pytest.fixture(scope="module")
def care(postgres: PostgresUnderTest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    with postgres.connect() as server:
        server.execute(_SETUP)
    file = tmp_path_factory.mktemp("care") / "care.toml"
    file.write_text(
        '[dataset]\nname = "care"\nunit = { id = "patient", hides = "one" }\nbudget = { rho = 100, delta = 1e-5 }\n'
        'floor = 0\nbreaker = "off"\n'
        f'ledger = "ledger.sqlite"\n[tables.visits]\nsource = "{postgres.address}"\ntable = "care.visits"\n'
        'limits = { rows = 9 }\n[tables.visits.columns]\nward = { type = "text" }\n'
        'cost = { type = "money", min = 0, max = 400 }\nat = { type = "date" }\n'
    )
    return file


def test_the_form_of_a_server_s_table_has_the_server_s_sums(care: Path) -> None:
    """The same integers, batch by batch copied, whatever the type of the person's name."""
    with open_data(care) as opened:
        planner, preparation = Planner.of(opened), opened.preparation
        preparation.make(lambda *_: None)
        for sql in _QUERIES:
            question = planner.question(sql)
            price = planner.price(question, 1, None)
            plan = planner.plan(question, price, IntervalKind.BOUNDED)
            sent = preparation.statements_for(plan)
            assert sent is not STATEMENTS
            blocks = program(plan, price)
            found = []
            for statements in (sent, STATEMENTS):
                with preparation.session(statements, plan) as session:
                    texts = [statements.tally(blocks.tally)] if blocks.tally is not None else []
                    texts += map(statements.ranks, blocks.ranks)
                    found.append([sorted(map(repr, session.run(text).to_pylist())) for text in texts])
            assert found[0] == found[1], sql


def test_rows_on_a_cluster_are_not_copied() -> None:
    """What is on a cluster is there because it is too large for one machine: its sessions lend nothing."""
    assert not issubclass(SparkSessionOfData, Lending)
