"""A tuning is the same on DuckDB and PostgreSQL: several candidates in one session, each fit and scored."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from tests.engines.clinic_rows import create_clinic, opened_clinic
from tests.engines.engines import DuckDBUnderTest, EngineUnderTest
from tests.engines.postgres_server import PostgresUnderTest

from tacit.curator.model_kinds import model_kind, read_fields
from tacit.learn.tuning.candidates import settings_in
from tacit.learn.tuning.held_out_score import held_out_score
from tacit.learn.tuning.tuning_plan import TuningPlan
from tacit.learn.tuning.tuning_run import TuningRun
from tacit.loss.families.approx import Approx
from tacit.loss.families.zcdp import Zcdp
from tacit.noise.bits import Seeded
from tacit.schema.catalogue import Catalogue

ASKED = (
    ("SELECT urgent, region, age, days FROM visits", "urgent"),
    ("SELECT days, region, age, urgent FROM visits WHERE age > 20 OR age IS NULL", "days"),
)


def released(under_test: EngineUnderTest, folder: Path, sql: str, target: str, *, is_random: bool) -> list[bytes]:
    """What all stages give from seeded bits."""
    rows = duckdb.connect()
    create_clinic(rows)
    engine, description, headers = opened_clinic(under_test, rows, folder / f"{under_test.name} {is_random}")
    catalogue, promise = Catalogue(description, headers), Approx(100, "1e-6")
    settings = settings_in({"bins": [2, 4]}, {"steps": 1})
    kind = model_kind("additive")
    fits = tuple(kind.fit(sql, target, catalogue, description.unit, each) for each in settings)
    score = held_out_score(sql, sql, catalogue, description.unit.relation)
    budget = promise if is_random else Zcdp(100, "1e-7")
    plan = TuningPlan.priced(fits, settings, score, budget, promise, 50, None)
    found: list[bytes] = []
    with engine.session(description, headers) as session:
        for number, stage in enumerate(TuningRun(plan, read_fields).stages):
            found.append(stage(session, Seeded(number), found))
    return found


@pytest.mark.parametrize(("sql", "target"), ASKED)
@pytest.mark.parametrize("is_random", [True, False])
def test_postgresql_tunes_as_duckdb_does(
    postgres: PostgresUnderTest, tmp_path: Path, sql: str, target: str, is_random: bool
) -> None:
    one = released(DuckDBUnderTest(), tmp_path, sql, target, is_random=is_random)
    other = released(postgres, tmp_path, sql, target, is_random=is_random)
    assert len(one) == len(other) == (1 if is_random else 6)
    chosen = [json.loads(found[-1]) for found in (one, other)]
    assert chosen[0]["candidate"] == chosen[1]["candidate"]
    for place in () if is_random else (0, 3):
        assert one[place] == other[place]  # rows by level
    for place in () if is_random else (2,):
        scores = [int.from_bytes(found[place], "little", signed=True) for found in (one, other)]
        assert abs(scores[0] - scores[1]) <= 2_048  # models differ by last bits of an exponential, and so may two rows
