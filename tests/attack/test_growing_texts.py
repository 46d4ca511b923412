"""Texts that grow on one person's row: answered or refused before the charge, equally on neighbours (R26, R40)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.attack.small_clinic import open_clinic

from tacit.curator.dataset import Dataset, open_dataset
from tacit.errors import Failed, Refused

_WITHOUT = "SELECT i AS pid, i % 90 AS age, 1.0::DECIMAL(10, 2) AS cost, 'w' || i % 7 AS ward FROM range(1, 60) t(i)"
_WITH = f"{_WITHOUT} UNION ALL SELECT 0, i, 2, 'rare' FROM range(45) t(i)"
_BASE = "CASE WHEN ward = 'rare' THEN '{}' ELSE 'b' END".format("x" * 2_000)


def _nested(levels: int, pieces: int, base: str = _BASE) -> str:
    """A text that each level of sub-queries makes so many times as long."""
    inner = f"SELECT pid, {base} AS x FROM v"
    for level in range(levels):
        inner = f"SELECT pid, CONCAT({', '.join(['x'] * pieces)}) AS x FROM ({inner}) AS s{level}"
    return inner


_AGED = f"(SELECT pid, age, CAST(age AS VARCHAR) AS n, {_BASE} AS x FROM v)"
_LENGTHS = ", ".join(f"SUM(LENGTH(CONCAT(x, n, '{i}')))" for i in range(20))
_LARGEST = f"SELECT pid, MAX(x) AS x FROM ({_nested(5, 64)}) AS y GROUP BY pid"
_PAIRS = f"{_AGED} AS a JOIN {_AGED} AS b ON a.pid = b.pid"
_WIDE = "CASE WHEN ward = 'rare' THEN '{}' ELSE 'b' END".format("\U0001f600" * 2_000)
_PAIRED = (
    "SELECT a.pid, a.n || '-' || b.n || a.x AS t FROM (SELECT pid, age, CAST(age AS VARCHAR) AS n, "
    f"{_WIDE} AS x FROM v) AS a JOIN (SELECT pid, CAST(age AS VARCHAR) AS n FROM v) AS b ON a.pid = b.pid"
)
_PARTS = [f"RIGHT(t, {2_048 - place})" for place in range(60)]
_NAMED = ", ".join(f"{part} AS m{place}" for place, part in enumerate(_PARTS))
_ADDED = ", ".join(f"SUM({' + '.join(f'LENGTH(m{place})' for place in range(start, 60, 3))})" for start in range(3))
_BOMBS = {
    "nested": f"SELECT COUNT(*) FROM ({_nested(6, 60)}) AS z WHERE x <> 'a'",
    "nested and kept": f"SELECT COUNT(DISTINCT x) FROM ({_nested(6, 60)}) AS z",
    "nested and grouped": f"SELECT COUNT(*) FROM ({_LARGEST}) AS z WHERE x > 'a'",
    "many pieces": f"SELECT COUNT(*) FROM v WHERE CONCAT({', '.join([_BASE] * 40)}) <> 'a'",
    "101 arguments": f"SELECT COUNT(*) FROM v WHERE CONCAT({', '.join(['ward'] * 101)}) <> 'a'",
    "pipes": f"SELECT COUNT(*) FROM ({_nested(2, 64)}) AS z WHERE x || x || x || x <> 'a'",
    "pairs of rows": f"SELECT COUNT(DISTINCT CONCAT(a.n, b.n, a.x, b.x)) FROM {_PAIRS}",
    "as a key": f"SELECT x, COUNT(*) FROM ({_nested(3, 64)}) AS z GROUP BY x",
    "many wide columns": f"SELECT {_LENGTHS} FROM {_AGED} AS z",
    "many wide keys": f"SELECT COUNT(*) FROM ({_PAIRED}) AS z GROUP BY {', '.join(_PARTS)}",
    "one key many times": f"SELECT COUNT(*) FROM ({_PAIRED}) AS z GROUP BY {', '.join(['t'] * 60)}",
    "many wide columns handed on": f"SELECT {_ADDED} FROM (SELECT pid, {_NAMED} FROM ({_PAIRED}) AS y) AS z",
    "many wide extremes": (
        f"SELECT {_ADDED} FROM (SELECT pid, {_NAMED.replace('RIGHT(', 'MAX(RIGHT(').replace(') AS', ')) AS')} "
        f"FROM ({_PAIRED}) AS y GROUP BY pid, t) AS z"
    ),
    "many distinct texts of a person": (
        f"SELECT SUM(n) FROM (SELECT pid, LEAST(9, {' + '.join(f'COUNT(DISTINCT {part})' for part in _PARTS)}) AS n "
        f"FROM ({_PAIRED}) AS y GROUP BY pid) AS z"
    ),
}


def _ends(folder: Path, select: str, query: str) -> tuple[str, str]:
    """The outcome of the query, and of a plain one after it."""
    folder.mkdir()
    with open_clinic(folder, v=select):
        pass
    with open_dataset(folder / "clinic.toml", memory="512MB") as clinic:
        return _end(clinic, query), _end(clinic, "SELECT COUNT(*) FROM v")


def _end(clinic: Dataset, query: str) -> str:
    try:
        clinic.query(query, epsilon=1)
    except Refused as refused:
        assert clinic.budget().entries == ()
        return str(refused)
    except Failed:
        return "failed"
    return "answered"


@pytest.mark.parametrize("bomb", _BOMBS)
def test_a_text_that_grows_says_nothing_of_anybody(tmp_path: Path, bomb: str) -> None:
    """Once, half a gigabyte on one person's row failed after the charge, and the next question with it."""
    one, other = (_ends(tmp_path / name, select, _BOMBS[bomb]) for name, select in (("in", _WITH), ("out", _WITHOUT)))
    assert one == other
    assert one[0] != "failed"
    assert one[1] == "answered"


def _named_thrice(levels: int, grouped: bool) -> str:
    """A number that each level of sub-queries names three times."""
    inner = "SELECT pid, age AS x FROM v"
    for level in range(levels):
        value, group = ("MAX(x)", " GROUP BY pid") if grouped else ("x", "")
        case = f"CASE WHEN {value} > {level} THEN {value} - 1 ELSE {value} END"
        inner = f"SELECT pid, {case} AS x FROM ({inner}) AS s{level}{group}"
    return f"SELECT COUNT(*) FROM ({inner}) AS z WHERE x > 3"


def test_what_sub_queries_compute_is_weighed(tmp_path: Path) -> None:
    """An engine's planner substitutes a column at each use: 3²⁰ times here, except where it is grouped."""
    with open_clinic(tmp_path, v=_WITH) as clinic:
        for query in (_named_thrice(20, grouped=False), _BOMBS["nested"]):
            with pytest.raises(Refused, match="sub-queries"):
                clinic.explain(query)
        clinic.explain(_named_thrice(6, grouped=False))
        clinic.explain(_named_thrice(12, grouped=True))


def test_it_is_said_that_a_chain_of_joins_is_cut(tmp_path: Path) -> None:
    joins = "v AS a JOIN v AS b ON a.pid = b.pid JOIN v AS c ON c.pid = a.pid"
    with open_clinic(tmp_path, v=_WITH) as clinic:
        assert "a person keeps 4,096 joined rows" in str(clinic.explain(f"SELECT SUM(c.age) FROM {joins}"))
        two = "SELECT SUM(a.age) FROM v AS a JOIN v AS b ON a.pid = b.pid"
        assert "joined rows" not in str(clinic.explain(two))
        assert "two joined tables multiply to more than 1,048,576" in str(clinic.explain(two))
        assert "joined tables" not in str(clinic.explain("SELECT SUM(age) FROM v"))
