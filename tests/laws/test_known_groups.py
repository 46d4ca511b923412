"""Groups that are known from a query and from public tables: every group of the rows is among them.

R23: they are listed instead of selected privately, so that a group which is left out would be missing, for any data.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from tests.laws.databases import Worlds, engine_session, worlds

from tacit.errors import Refused
from tacit.query.engines.duckdb.engine import DuckDBSession
from tacit.query.plans.question import read_question
from tacit.query.sql.values import restricted

_LITERALS = {
    "age": ("0", "18", "49.5", "110", "7"),
    "dose": ("-5", "-2", "0", "1.5", "3", "7", "1", "-1"),
    "region": ("'north'", "'east'", "'west'"),
    "ward": ("'a'", "'b'", "'1'", "''"),
    "day": ("'2023-01-15'", "DATE '2023-02-01'", "TIMESTAMP '2023-03-01 12:00:00'"),
    "code": ("0", "5", "-3"),
    "area": ("'old'", "'new'"),
    "floor": ("0", "1", "2.5", "3"),
    "month(day)": ("1", "2"),
    "age // 20": ("0", "2", "5"),
}
_TEXTS = ("region", "ward", "area")
_WARDS = ("area", "floor", "w.ward")
_KEYS = (
    *("age // 10", "dose", "region", "month(day)", "date_trunc('month', day)", "day", "age // 20", "dose + age // 50"),
    *("CASE WHEN dose > 0 THEN region END", "dose > 1", "smoker", "region IS NULL", "quarter(day)", "v.ward", "code"),
    "COALESCE(dose, 1)",
)


class _Conditions:
    """Random conditions of columns and literals."""

    def __init__(self, random: Random, has_wards: bool, keys: list[str]) -> None:
        self.random = random
        columns = [name for name in _LITERALS if has_wards or name not in _WARDS]
        of_keys = [name for name in columns if any(name in key for key in keys)]
        self.columns = of_keys if of_keys and random.random() < 0.7 else columns

    def any(self, depth: int = 1) -> str:
        chance = self.random.random()
        if depth and chance < 0.5:
            return f"({self.any(depth - 1)} {self.random.choice(('AND', 'OR'))} {self.any(depth - 1)})"
        if chance < 0.6:
            return f"NOT {self.random.choice(('smoker', '(region IS NULL)', '(dose IS NULL)'))}"
        return self._one()

    def _one(self) -> str:
        name = self.random.choice(self.columns)
        one, other = (self.random.choice(_LITERALS[name]) for _ in range(2))
        written = "v.ward" if name == "ward" else name
        forms = [
            f"{written} {self.random.choice(('=', '<>', '<', '<=', '>', '>='))} {one}",
            f"{one} {self.random.choice(('=', '<', '>='))} {written}",
            f"{written} {self.random.choice(('', 'NOT '))}IN ({one}, {other})",
            f"{written} BETWEEN {one} AND {other}",
            f"{written} IS NOT NULL",
            "smoker",
        ]
        if name in _TEXTS:
            forms += [f"{written} LIKE '{self.random.choice(('%o%', 'n_rth', 'a%', '%', '_'))}'"]
        return self.random.choice(forms)


@pytest.fixture(scope="module")
def session() -> Iterator[DuckDBSession]:
    with engine_session() as opened:
        yield opened


def _asked(random: Random) -> str:
    form = random.choice(("v", "v", "JOIN", "LEFT JOIN", ","))
    has_wards = form != "v"
    pool = [*_KEYS, *_WARDS * 3] if has_wards else _KEYS
    keys = random.sample(pool, random.choice((1, 1, 2)))
    where = [_Conditions(random, has_wards, keys).any()] if random.random() < 0.85 else []
    if form == ",":
        origin, where = "wards AS w, visits AS v", [*where, "v.ward = w.ward"]
    else:
        origin = f"visits AS v {form} wards AS w ON v.ward = w.ward" if has_wards else "visits AS v"
    test = f" WHERE {' AND '.join(where)}" if where else ""
    if random.random() < 0.25:
        named = ", ".join(f"{key} AS k{place}" for place, key in enumerate(keys))
        origin, test, keys = (
            f"(SELECT {named} FROM {origin}{test}) AS s",
            "",
            [f"k{place}" for place in range(len(keys))],
        )
    return f"SELECT COUNT(*) FROM {origin}{test} GROUP BY {', '.join(keys)}"


def _missing(world: Worlds, sql: str) -> tuple[int, list[str]]:
    """The number of keys that are public, and those with a value that is not listed."""
    question = read_question(sql, world.catalogue)
    public, wrong = 0, []
    for key in question.keys:
        if key.domain is not None:
            public += 1
            listed = f'SELECT DISTINCT {key.sql} AS k FROM ({question.rows.sql}) AS "__rows"'
            found = {row["k"] for row in world.answer(world.base, listed)[1]}
            if not found <= {*key.domain}:
                wrong.append(f"{key.name}: {found - {*key.domain}} in {sql}")
    return public, wrong


def _compared(seeds: range, session: DuckDBSession, queries: int) -> tuple[int, list[str]]:
    public, wrong = 0, []
    for seed in seeds:
        random = Random(seed)
        with worlds(random, session) as world:
            for _ in range(queries):
                try:
                    more, found = _missing(world, _asked(random))
                except Refused:
                    continue
                public, wrong = public + more, wrong + found
    return public, wrong


def test_every_group_is_listed(session: DuckDBSession) -> None:
    public, wrong = _compared(range(3), session, 40)
    assert wrong == []
    assert public > 60


@pytest.mark.long
def test_every_group_of_many_queries_is_listed(session: DuckDBSession) -> None:
    assert _compared(range(100, 125), session, 40)[1] == []


def test_a_bound_that_is_too_tight_would_be_seen(session: DuckDBSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """Broken twin: ≤ is read as <."""
    monkeypatch.setattr(restricted, "floor", lambda limit: int(limit) - 1)
    assert _compared(range(3), session, 40)[1]
