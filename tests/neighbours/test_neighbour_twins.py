"""The harness detects each removed line of defence, and reinserted faults, by random questions.

A twin is looked for in random data sets with random questions; in the one that catches it, nothing else is wrong (R46).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import pytest
from tests.neighbours import twins
from tests.neighbours.comparing import compared
from tests.neighbours.population import populate
from tests.neighbours.questions import Questions
from tests.neighbours.routes import Route

Broken = Callable[[pytest.MonkeyPatch], None]
Asked = tuple[int, float]
"""How many questions, and what part of them searches for an expression beyond its bounds."""
_FILES = Route()
_SEEDS = range(120)  # where the first that catches a twin is looked for
_SEEN = {twins.one_row_more: 11, twins.full_weights: 16, twins.loose_totals: 2, twins.no_clamp: 4}
"""Where each twin was last seen. It is looked for there first, then from the start."""


def catching(
    broken: Sequence[Broken], seeds: Sequence[int], route: Route = _FILES, asked: Asked = (6, 0.0)
) -> int | None:
    """The first data set in which the twin is seen."""
    for seed in seeds:
        with pytest.MonkeyPatch.context() as patch:
            for each in broken:
                each(patch)
            if _is_wrong(seed, route, asked):
                return seed
    return None


def is_noticed(broken: Sequence[Broken], seeds: Sequence[int], route: Route = _FILES, asked: Asked = (6, 0.0)) -> bool:
    """Whether the twin is seen, and the real one in its place is not."""
    seed = catching(broken, seeds, route, asked)
    return seed is not None and not _is_wrong(seed, route, asked)


def _is_wrong(seed: int, route: Route, asked: Asked) -> bool:
    queries, search = asked
    return bool(compared(seed, route, queries, 1, search).wrong)


def test_beliefs_that_are_wrong_need_the_clamp() -> None:
    """The planner's bounds are too narrow: the clamp enforces them; without the clamp the harness finds it."""
    assert is_noticed([twins.wrong_bounds, twins.no_clamp], [_SEEN[twins.no_clamp], *range(12)])
    assert catching([twins.wrong_bounds], range(3)) is None


@pytest.mark.long
def test_a_cast_that_raises_needs_the_second_line() -> None:
    """A decimal of 18 digits multiplied in 64 bits raises: seen as a failure where no TRY stands behind it."""
    assert is_noticed([twins.narrow_decimals, twins.no_second_line], _SEEDS, asked=(6, 1.0))


@pytest.mark.long
def test_names_are_compared_by_octets() -> None:
    """In a DuckDB file whose tables have rules of their own for text, two people become one in some of them."""
    named = [seed for seed in _SEEDS if populate(Random(seed)).types["visits"].get("pid") == "VARCHAR"]
    assert is_noticed([twins.names_by_collation], named, Route("duckdb"))


@pytest.mark.long
@pytest.mark.parametrize("broken", [twins.one_row_more, twins.full_weights, twins.loose_totals])
def test_limits_that_are_loose(broken: Broken) -> None:
    """One row more than was paid for; a weight that is not shared among keys; a total that is not cut."""
    assert is_noticed([broken], [_SEEN[broken], *_SEEDS])


_MONTHS = (
    "SELECT SUM(date_diff('second', TIMESTAMP '2024-11-30', CASE WHEN p THEN TIMESTAMP '2024-12-30 23:59:59' "
    "WHEN q THEN TIMESTAMP '2024-12-30' ELSE TIMESTAMP '2024-12-31' END - INTERVAL 1 MONTH)) FROM {each}"
)
_DECIMALS = (
    "SELECT SUM(GREATEST(CAST(CASE WHEN p THEN 1e17 ELSE 0e0 END AS DECIMAL(28, 9)) - 100000000000000000, 0)) "
    "FROM {each}"
)
_EACH = (
    "(SELECT pid, MAX(CASE WHEN p THEN 1 ELSE 0 END) = 1 AS p, MAX(CASE WHEN q THEN 1 ELSE 0 END) = 1 AS q "
    "FROM visits GROUP BY pid) AS s"
)


@pytest.mark.parametrize(
    ("sql", "hole"),
    [(_MONTHS, twins.months_in_order), (_DECIMALS, twins.decimals_of_floats)],
    ids=["months", "decimals"],
)
def test_either_line_holds_a_hole_that_was_there(sql: str, hole: Broken, monkeypatch: pytest.MonkeyPatch) -> None:
    """Detected where both the bound and the clamp are removed; either of them is enough."""
    monkeypatch.setattr(Questions, "ask", lambda asking: sql.format(each=_EACH))
    seeds = [seed for seed in range(12) if not populate(Random(seed)).by_row][:4]
    assert catching([hole], seeds, asked=(1, 0.0)) is None
    assert catching([twins.no_clamp], seeds, asked=(1, 0.0)) is None
    assert is_noticed([hole, twins.no_clamp], seeds, asked=(1, 0.0))
