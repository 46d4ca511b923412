"""R33, R34, R49: a failure is an answer too; it is given once, for its charge, whether or not noise was drawn."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.attack.small_clinic import open_clinic

from tacit.errors import Failed
from tacit.noise.bits import Bits
from tacit.query.execution.run import PlanRun

_FILE = """
[dataset]
name = "t"
unit = { id = "pid", hides = "one person" }
budget = { epsilon = 4, delta = 1e-7 }
floor = 0
breaker = "off"
ledger = "ledger.sqlite"
[tables.t]
source = "t.parquet"
limits = { rows = 2 }
"""
_ROWS = "SELECT i AS pid FROM range(100) r(i)"
_COUNT = "SELECT COUNT(*) FROM t"


@pytest.mark.parametrize("is_drawn", [True, False])
def test_a_failure_is_final(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_drawn: bool) -> None:
    """For any number of repeats, at that price or below, there is one failure and one run."""
    real, runs = PlanRun._count, []

    def broken(run: PlanRun, session: object, bits: Bits, _: object) -> None:
        runs.append(run)
        if is_drawn:
            bits.octets(8)
        raise ValueError("a text that must not be seen")

    with open_clinic(tmp_path, _FILE, t=_ROWS) as clinic:
        monkeypatch.setattr(PlanRun, "_count", broken)
        for epsilon in (1, 1, "0.5", 1):
            with pytest.raises(Failed) as failure:
                clinic.query(_COUNT, epsilon=epsilon)
            assert "must not" not in str(failure.value)
        assert len(runs) == 1
        monkeypatch.setattr(PlanRun, "_count", real)
        with pytest.raises(Failed):
            clinic.query(_COUNT, epsilon=1)
        assert [(entry.stored, entry.failed) for entry in clinic.budget().entries] == [(False, True)]
        assert not clinic.query(_COUNT, epsilon=1, fresh=True).price.free
        assert len(clinic.budget().entries) == 2
        assert clinic.query(_COUNT, epsilon=1).price.free


@pytest.mark.parametrize("sql", ["SELECT AVG(5) FROM t", "SELECT SUM(0), VAR_POP(7) FROM t"])
def test_a_constant_is_no_failure(tmp_path: Path, sql: str) -> None:
    """A constant has no amount to find a limit for; it is charged, so it is answered."""
    with open_clinic(tmp_path, _FILE.replace("limits = { rows = 2 }\n", ""), t=_ROWS) as clinic:
        assert clinic.query(sql, epsilon=1).table.num_rows == 1
