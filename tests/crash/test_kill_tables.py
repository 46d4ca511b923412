"""kill −9 during a release of tables with private keys and limits to be found: nothing is drawn again (R33)."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.crash.killing import run_until
from tests.crash.staged_release import BUDGET, Say, release_saying
from tests.ledger.books import FILE_ONLY, NAME, bodies, opened
from tests.ledger.kept import Kept

from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.execution.noisy_table import read_key
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.price import price_of
from tacit.schema.catalogue import Catalogue
from tacit.schema.reader import read_description
from tacit.workload.grouping_sets import read_tables
from tacit.workload.noisy_contrasts import NoisyTables
from tacit.workload.residual_basis import Weighting
from tacit.workload.tables_plan import plan_tables
from tacit.workload.tables_run import TablesRun

STAGES = "SELECT bytes FROM payloads JOIN entries ON entry = number WHERE kind = 'stage' ORDER BY number"
CLINIC = """\
[dataset]
name = "clinic"
unit = { id = "pid", hides = "one patient, all visits" }
budget = { epsilon = 40, delta = 1e-6 }

[tables.visits]
source = "visits.parquet"

[tables.visits.hierarchies]
place = { levels = ["region", "ward"], members = { north = ["n1"], south = ["s1", "s2"] } }

[tables.visits.columns]
region = { type = "text", keys = ["north", "south"] }
ward = { type = "text", keys = ["n1", "s1", "s2"] }
town = { type = "text" }
"""
ASKED = "SELECT region, ward, town, COUNT(*) FROM visits GROUP BY GROUPING SETS ((region, ward), (region, town), ())"
PLACES = [("north", "n1"), ("south", "s1"), ("south", "s2")]


def write_rows(place: Path) -> None:
    """Six visits of each of 500 people; by Arrow, which may be used before a fork."""
    visits = [(number % 500, *PLACES[number % 3], f"town {number % 3}") for number in range(3000)]
    columns = zip(*visits, strict=True)
    names = ("pid", "region", "ward", "town")
    pq.write_table(pa.table({name: list(column) for name, column in zip(names, columns, strict=True)}), place)


def tables_door(folder: Path, say: Say) -> None:
    """The stages of tables behind the curator's own door; each says that it has drawn."""
    description = read_description(folder / "clinic.toml")
    catalogue, engine = Catalogue(description), DuckDBEngine(threads=1)
    plan = plan_tables(read_tables(ASKED, catalogue), catalogue, IntervalKind.USUAL, Weighting.TABLES)
    price = price_of(description.budget, description.promise, 20, None, True)

    release_saying(folder, say, TablesRun(plan, price).stages, price, lambda: engine.session(description))


@FILE_ONLY
@pytest.mark.long
def test_killed_between_the_stages_of_tables(tmp_path: Path, kept_in: Kept) -> None:
    """R33: each stage draws once, and the one answer is made of the keys and limits that were stored."""
    resumed = 0
    for step in range(12, 48, 2):
        here = tmp_path / str(step)
        kept_in.place(here)
        here.mkdir(exist_ok=True)
        write_rows(here / "visits.parquet")
        (here / "clinic.toml").write_text(CLINIC, encoding="utf-8")
        with opened(here) as ledger:
            ledger.account(NAME, BUDGET)
        killed, left = run_until(step, tables_door, here)
        before = [said for said in left if said.startswith(b"drew")]
        for _ in range(2):
            left += run_until(0, tables_door, here)[1]
        drawn = [said.split() for said in left if said.startswith(b"drew")]
        assert len(drawn) == len({place for _, place, _ in drawn})
        (answer,) = {said for said in left if not said.startswith(b"drew")}
        stages = [bytes(payload) for (payload,) in kept_in.found(here, STAGES)]
        if answer != b"failed":
            payload = bytes.fromhex(answer.removeprefix(b"answer ").decode())
            assert [said[2].decode() for said in drawn] == [sha256(each).hexdigest() for each in (*stages, payload)]
            found = NoisyTables.from_bytes(payload.partition(b"\n")[2] if payload.startswith(b"{") else payload)
            chosen = json.loads(stages[0])[0]
            assert found.domains[2] == (*map(read_key, chosen), None)
            resumed += 0 < len(before) < 3
        assert [len(bodies(here, kind)) for kind in ("charge", "open")] == [1, 1]
        assert len(bodies(here, "store")) + len(bodies(here, "fail")) == 1
        if not killed:
            break
    assert resumed >= 2
