"""R33, R34: a failure is an answer too; once noise was drawn, it is never drawn again under the same charge."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.attack.small_clinic import open_clinic

from tacit.curator import door
from tacit.errors import Failed
from tacit.noise.bits import Bits

_FILE = """
[dataset]
name = "t"
unit = { id = "pid", hides = "one person" }
budget = { epsilon = 4, delta = 1e-7 }
[tables.t]
source = "t.parquet"
limits = { rows = 2 }
"""
_ROWS = "SELECT i AS pid FROM range(100) r(i)"
_COUNT = "SELECT COUNT(*) FROM t"


@pytest.mark.parametrize("is_drawn", [True, False])
def test_a_failure_after_noise_is_final(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_drawn: bool) -> None:
    """Where nothing was drawn a retry runs under the same charge, and answers."""
    real = door.run

    def broken(plan: object, price: object, session: object, bits: Bits, *_: object) -> None:
        if is_drawn:
            bits.octets(8)
        raise ValueError("a text that must not be seen")

    with open_clinic(tmp_path, _FILE, t=_ROWS) as clinic:
        monkeypatch.setattr(door, "run", broken)
        with pytest.raises(Failed) as failure:
            clinic.query(_COUNT, epsilon=1)
        assert "must not" not in str(failure.value)
        monkeypatch.setattr(door, "run", real)
        if is_drawn:
            with pytest.raises(Failed):
                clinic.query(_COUNT, epsilon=1)
            assert not clinic.query(_COUNT, epsilon=1, fresh=True).price.free
            assert len(clinic.budget().entries) == 2
        else:
            assert clinic.query(_COUNT, epsilon=1).table.num_rows == 1
            assert len(clinic.budget().entries) == 1


@pytest.mark.parametrize("sql", ["SELECT AVG(5) FROM t", "SELECT SUM(0), VAR_POP(7) FROM t"])
def test_a_constant_is_no_failure(tmp_path: Path, sql: str) -> None:
    """What everybody has alike has no size to find a limit for; yet it is charged, and so answered."""
    with open_clinic(tmp_path, _FILE.replace("limits = { rows = 2 }\n", ""), t=_ROWS) as clinic:
        assert clinic.query(sql, epsilon=1).table.num_rows == 1
