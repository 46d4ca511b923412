"""Quantiles in many groups: refused while nothing is spent, where their trees of counts would not fit."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.attack.small_clinic import open_clinic

from tacit.errors import Refused
from tacit.query.bounding import limit_choice as planning

_FILE = """
[dataset]
name = "stays"
unit = { id = "pid", hides = "one person" }
budget = { epsilon = 4, delta = 1e-7 }
[tables.t]
source = "t.parquet"
limits = { rows = 2 }
columns.age = { type = "int", min = 0, max = 110 }
columns.stay_days = { type = "int", min = 0, max = 90 }
columns.cost = { type = "money", min = 0, max = 20000 }
"""
_ROWS = "SELECT i AS pid, i % 90 AS age, i % 80 AS stay_days, i::DECIMAL(10, 2) AS cost FROM range(100) r(i)"


def test_trees_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    """R24: 10,304 groups of 69,904 counts were charged and then failed for want of memory."""
    with open_clinic(tmp_path, _FILE, t=_ROWS) as stays:
        with pytest.raises(Refused) as refusal:
            stays.query("SELECT age, stay_days, MEDIAN(cost) FROM t GROUP BY age, stay_days", epsilon=1)
        assert "10,304 groups" in str(refusal.value)
        assert "at most 480 groups" in str(refusal.value)
        assert not stays.budget().entries
        assert stays.query("SELECT age, stay_days, AVG(cost) FROM t GROUP BY age, stay_days", epsilon=1).table.num_rows
        few = "SELECT age // 20, stay_days // 50, MEDIAN(cost), MEDIAN(age) FROM t GROUP BY 1, 2"
        assert stays.query(few, epsilon=1).table.num_rows


def test_all_trees_of_a_plan_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two quantiles of one value share a tree, those of two values do not."""
    monkeypatch.setattr(planning, "MOST_NODES", 40_000)
    with open_clinic(tmp_path, _FILE, t=_ROWS) as stays:
        assert stays.query("SELECT age, MEDIAN(stay_days), MAX(stay_days) FROM t GROUP BY age", epsilon=1).table
        with pytest.raises(Refused, match="112 groups"):
            stays.query("SELECT age, MEDIAN(stay_days), MEDIAN(stay_days * 2) FROM t GROUP BY age", epsilon=1)
