"""Two attacks that read a patient's diagnosis from a wrong bound of the planner, run through the door.

The wrong rules are fixed; here the planner gets the wrong bounds again, so that only the cut in the lowered SQL
protects the patient.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlglot import exp
from tests.attack.small_clinic import open_clinic

from tacit.query.aggregates import aggregate_calls as reading
from tacit.query.execution import run
from tacit.query.plans.price import NoiseShare
from tacit.query.sql.expressions.rule_registry import type_expression
from tacit.query.sql.values.typed import Typed

Recorded = list[tuple[np.ndarray, NoiseShare]]

_W = "SELECT pid, MAX(CASE WHEN ward = 'hiv' AND age = 33 THEN 1 ELSE 0 END) AS w FROM v GROUP BY pid"
_MONTHS = (
    "date_diff('second', TIMESTAMP '2024-11-30', CASE WHEN w = 1 THEN TIMESTAMP '2024-12-30 23:59:59' "
    "WHEN w = 2 THEN TIMESTAMP '2024-12-30' ELSE TIMESTAMP '2024-12-31' END - INTERVAL 1 MONTH)"
)
_DECIMAL = "GREATEST(CAST(CASE WHEN w = 1 THEN 1e17 ELSE 0e0 END AS DECIMAL(28, 9)) - 100000000000000000, 0)"
_ROWS = "SELECT i % 20 AS pid, 40 AS age, 10::DECIMAL(10, 2) AS cost, 'w' || i % 3 AS ward FROM range(60) t(i)"
_PATIENT = "SELECT 21, 33, 10::DECIMAL(10, 2), 'hiv'"


def believing_zero(node: exp.Expression, scope: Any) -> Typed:
    """The planner takes the attack's expression to be 0 and never NULL, as it once did."""
    typed = type_expression(node, scope)
    is_attack = typed.kind.is_number and not isinstance(node, exp.Column)
    return replace(typed, low=Fraction(0), high=Fraction(0), nullable=False) if is_attack else typed


def recorded(real: Callable[..., Any], seen: Recorded) -> Callable[..., Any]:
    """Adds noise as usual, and records the integers that it is added to."""

    def noisy(values: np.ndarray, noise: NoiseShare, bits: Any) -> Any:
        seen.append((values.copy(), noise))
        return real(values, noise, bits)

    return noisy


@pytest.mark.parametrize("aggregate", ["SUM", "AVG", "MEDIAN", "STDDEV_POP"])
@pytest.mark.parametrize("attack", [_MONTHS, _DECIMAL])
def test_a_wrong_belief_does_not_show_the_patient(
    attack: str, aggregate: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R16: with and without the patient no statement fails, and every vector moves by at most its radius."""
    monkeypatch.setattr(reading, "type_expression", believing_zero)
    real = run.with_noise
    worlds: list[Recorded] = []
    for name, rows in {"without": _ROWS, "with": f"{_ROWS} UNION ALL {_PATIENT}"}.items():
        worlds.append([])
        monkeypatch.setattr(run, "with_noise", recorded(real, worlds[-1]))
        (tmp_path / name).mkdir()
        with open_clinic(tmp_path / name, v=rows) as clinic:
            assert clinic.query(f"SELECT {aggregate}({attack}) FROM ({_W}) AS q", epsilon="0.1").table.num_rows == 1
    one, two = worlds
    assert len(one) == len(two) > 0
    moves: dict[NoiseShare, int] = {}
    for (base, noise), (other, _) in zip(one, two, strict=True):  # a tally's columns share one vector
        moved = [abs(int(a) - int(b)) for a, b in zip(base, other, strict=True)]
        moves[noise] = moves.get(noise, 0) + sum(move * move for move in moved)
    assert all(moved <= noise.radius**2 for noise, moved in moves.items())
