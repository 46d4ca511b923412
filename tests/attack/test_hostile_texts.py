"""No text of a query passes the planner and then fails after the charge (R26, R40)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.attack.small_clinic import open_clinic

from tacit.errors import Refused

_INNER = "(SELECT pid, age AS k0, age AS x FROM v) AS __key"


def _doubled(levels: int) -> str:
    """A name that is joined to itself, and so on: twice as many tables at every level."""
    names = ["a0 AS (SELECT pid, age FROM v)"]
    for level in range(1, levels):
        before = f"a{level - 1}"
        names.append(f"a{level} AS (SELECT x.pid, x.age FROM {before} x JOIN {before} y ON x.pid = y.pid)")
    return f"WITH {', '.join(names)} SELECT COUNT(*) FROM a{levels - 1}"


_TEXTS = {
    "a long sum above the noise": f"SELECT {'+'.join(['COUNT(*)'] * 3000)} FROM v",
    "a long sum below the noise": f"SELECT SUM({'+'.join(['age'] * 3000)}) FROM v",
    "a long condition": f"SELECT COUNT(*) FROM v WHERE {' OR '.join(['age = 1'] * 3000)}",
    "brackets": f"SELECT COUNT(*) FROM v WHERE {'(' * 3000}age = 1{')' * 3000}",
    "many columns": f"SELECT {', '.join(f'SUM(age + {i})' for i in range(101))} FROM v",
    "a very long text": f"SELECT COUNT(*) FROM v WHERE ward = '{'x' * 300_000}'",
    "half a letter": "SELECT COUNT(*) FROM v WHERE ward = '\udc80'",
    "half a letter in a name": 'SELECT COUNT(*) AS "\udc80" FROM v',
    "half a letter in a comment": "SELECT COUNT(*) FROM v -- \udc80",
    "a NUL": "SELECT COUNT(*) FROM v WHERE ward = 'a\0b'",
    "our own names": f"SELECT AVG(c) FROM (SELECT pid, x + 1 AS z, COUNT(*) AS c FROM {_INNER} GROUP BY pid, x + 1) q",
    "a name joined to itself, many times": _doubled(20),
}


@pytest.mark.parametrize("text", _TEXTS)
def test_a_hostile_text_is_refused_and_leaves_no_trace(tmp_path: Path, text: str) -> None:
    """R40: refused before any charge, whether for its nesting, an unreadable letter or its size."""
    with open_clinic(tmp_path) as clinic:
        with pytest.raises(Refused):
            clinic.query(_TEXTS[text], epsilon=1)
        assert clinic.budget().entries == ()


@pytest.mark.parametrize(
    "name", ["k0", "y0", "v0", "w", "value", "factor", "held", "norm", "cell", "many", "part", "bin"]
)
def test_columns_may_be_called_like_ours(tmp_path: Path, name: str) -> None:
    """R17: a column, an alias or a table that has a name which the emitted SQL uses too is told apart from it."""
    with open_clinic(tmp_path) as clinic:
        rows = f"(SELECT pid, age AS {name}, cost AS other, ward FROM v) AS {name}"
        sql = (
            f"SELECT {name} // 30 AS place, COUNT(*), SUM({name}), AVG(other), MEDIAN({name}), COUNT(DISTINCT {name}) "
            f"FROM {rows} GROUP BY place"
        )
        assert clinic.query(sql, epsilon=10).table.num_rows == 5  # 0 to 3, and NULL
