"""Broken twins of the prepared form, each caught by the check that the real one passes (R16, R18, R46)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from tests.laws.databases import engine_session
from tests.query.prepared.hard_worlds import FAR, Case, Row, hard_worlds, moves_too_far

from tacit.query.engines.duckdb.engine import DuckDBSession
from tacit.query.materialized import kept_sums, statements
from tacit.query.materialized import kept_sums as totals
from tacit.query.sql.clamp import Cut

Patch = pytest.MonkeyPatch
_COUNT = "SELECT area, COUNT(*) FROM t GROUP BY area"
_PRIVATE = "SELECT ward, COUNT(*) FROM t GROUP BY ward"
_MEAN = "SELECT area, AVG(x) FROM t GROUP BY area"
_FAR = "SELECT area, AVG(far) FROM t GROUP BY area"


@pytest.fixture(scope="module")
def session() -> Iterator[DuckDBSession]:
    with engine_session() as opened:
        yield opened


def is_caught(session: DuckDBSession, monkeypatch: Patch, rows: list[Row], case: Case) -> bool:
    """Whether the twin moves too far for this person, and the real form does not."""
    with hard_worlds(session, rows, case.is_pure) as kept:
        is_wrong = moves_too_far(kept, case)
        monkeypatch.undo()
        return is_wrong and not moves_too_far(kept, case)


def rewritten(function: Callable[..., str], old: str, new: str) -> Callable[..., str]:
    """The same SQL with a piece of it replaced, which must be there."""

    def changed(*args: Any) -> str:
        text = function(*args)
        assert old in text
        return text.replace(old, new)

    return changed


def test_forgotten_keys_under_laplace_noise(session: DuckDBSession, monkeypatch: Patch) -> None:
    """The ℓ₂ norm is taken for the ℓ₁ norm: whoever holds several keys seems lighter than they are."""
    monkeypatch.setattr(kept_sums, "_light", rewritten(kept_sums._light, " * held", ""))
    assert is_caught(session, monkeypatch, [(key, 1) for key in range(8)], Case(_COUNT, True, 3))


def test_norms_of_single_keys(session: DuckDBSession, monkeypatch: Patch) -> None:
    """Each key of a person is judged by itself, so that all of them seem light."""

    def alone(*args: Any) -> totals.KeptTotals | None:
        found = totals.kept_totals(*args)
        return found and replace(found, squares=tuple(f"CAST({total} AS DOUBLE) ** 2" for total in found.totals))

    monkeypatch.setattr(statements, "kept_totals", alone)
    assert is_caught(session, monkeypatch, [(key, 1) for key in range(9)] * 2, Case(_COUNT, False, 3))


def test_weights_by_the_keys_of_a_row(session: DuckDBSession, monkeypatch: Patch) -> None:
    """The weight of a key is that of somebody who holds no other."""
    twin = rewritten(kept_sums.kept_tally_sql, "sqrt(held)", "sqrt(1)")
    monkeypatch.setattr(statements, "kept_tally_sql", twin)
    assert is_caught(session, monkeypatch, [(key, 1) for key in range(9)], Case(_PRIVATE, False, 50))


def test_weights_of_those_who_are_left(session: DuckDBSession, monkeypatch: Patch) -> None:
    """Single keys are light: the rest of a person holds fewer keys than the person, and weighs too much."""

    def some(*args: Any) -> str:
        return f"({tally_light(*args)}) AND key < 'k8'"

    tally_light = kept_sums._light
    monkeypatch.setattr(kept_sums, "_light", some)
    assert is_caught(session, monkeypatch, [(key, 1) for key in range(9)], Case(_PRIVATE, False, 50))


def test_a_centre_of_the_wrong_sign(session: DuckDBSession, monkeypatch: Patch) -> None:
    """Norms are those of x + centre: people far on the other side seem light."""
    real = totals._squares
    monkeypatch.setattr(totals, "_squares", lambda *args: real(*args).replace(" - ", " + "))
    case = Case(_MEAN, False, 50, 100, {("t", "x"): 100})
    assert is_caught(session, monkeypatch, [(key, -100) for key in range(4)], case)


@pytest.mark.parametrize("is_pure", [False, True])
def test_a_centre_without_slack(session: DuckDBSession, monkeypatch: Patch, is_pure: bool) -> None:
    """(2^49 + d)² loses d² in double precision, so that whoever is d away from a far centre seems to be on it."""
    monkeypatch.setattr(totals, "_SLACK", 0.0)
    case = Case(_FAR, is_pure, 2**19, 100, {("t", "far"): FAR})
    assert is_caught(session, monkeypatch, [(key, 2**22 - 1) for key in range(4)], case)


def test_everybody_light(session: DuckDBSession, monkeypatch: Patch) -> None:
    """Nobody is looked at closely."""
    monkeypatch.setattr(kept_sums, "_light", lambda *_: "TRUE")
    assert is_caught(session, monkeypatch, [(key, 5) for key in range(9)] * 2, Case(_COUNT, False, 3))


def test_everybody_light_and_nobody_cut(session: DuckDBSession, monkeypatch: Patch) -> None:
    """In one group the cut of a light total would do by itself; without it too, a person counts in full."""
    monkeypatch.setattr(kept_sums, "_light", lambda *_: "TRUE")
    case = Case("SELECT COUNT(*), SUM(x) FROM t", False, 3)
    assert not is_caught(session, monkeypatch, [(0, 5)] * 40, case)
    monkeypatch.setattr(kept_sums, "_light", lambda *_: "TRUE")
    monkeypatch.setattr(kept_sums, "cut", lambda total, low, high: Cut(total, low, high))
    assert is_caught(session, monkeypatch, [(0, 5)] * 40, case)


def test_ranks_of_any_weight(session: DuckDBSession, monkeypatch: Patch) -> None:
    """Every row weighs fully, whatever its person's norm."""
    twin = rewritten(statements.kept_ranks_sql, "> 9 THEN", "> 1000000000 THEN")
    monkeypatch.setattr(statements, "kept_ranks_sql", twin)
    assert is_caught(session, monkeypatch, [(0, 5)] * 40, Case("SELECT MEDIAN(x) FROM t", False, 3))
