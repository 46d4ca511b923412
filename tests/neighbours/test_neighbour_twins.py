"""The harness sees each line that is taken away, and holes that are put back, by questions that nobody wrote for them.

A twin is looked for in random data sets with random questions; in the one that catches it, nothing else is wrong (R46).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from tests.neighbours import twins
from tests.neighbours.comparing import compared
from tests.neighbours.routes import Route

Broken = Callable[[pytest.MonkeyPatch], None]


def catching(
    broken: Sequence[Broken], seeds: Sequence[int], search: float = 0.0, source: str = "parquet"
) -> int | None:
    """The first data set in which the twin is seen."""
    for seed in seeds:
        with pytest.MonkeyPatch.context() as patch:
            for each in broken:
                each(patch)
            if compared(seed, Route(source), 6, 1, search).wrong:
                return seed
    return None


def is_noticed(broken: Sequence[Broken], seeds: Sequence[int], search: float = 0.0, source: str = "parquet") -> bool:
    """Whether the twin is seen, and the real one in its place is not."""
    seed = catching(broken, seeds, search, source)
    return seed is not None and not compared(seed, Route(source), 6, 1, search).wrong


def test_beliefs_that_are_wrong_need_the_clamp() -> None:
    """The planner believes too little of every expression: the clamp holds them, and no clamp does not."""
    assert is_noticed([twins.wrong_bounds, twins.no_clamp], range(1, 6))
    assert catching([twins.wrong_bounds], range(1, 4)) is None


@pytest.mark.long
def test_a_cast_that_raises_needs_the_second_line() -> None:
    """A decimal of 18 digits multiplied in 64 bits raises: seen as a failure where no TRY stands behind it."""
    assert is_noticed([twins.narrow_decimals, twins.no_second_line], range(10, 13), search=1.0)


def test_names_are_compared_by_octets() -> None:
    """In a DuckDB file whose tables have rules of their own for text, two people become one in some of them."""
    assert is_noticed([twins.names_by_collation], range(5, 8), source="duckdb")


@pytest.mark.long
@pytest.mark.parametrize(("broken", "seeds"), [(twins.one_row_more, range(5, 9)), (twins.full_weights, range(9, 13))])
def test_limits_that_are_loose(broken: Broken, seeds: range) -> None:
    """One row more than was paid for; a weight that is not shared among keys."""
    assert is_noticed([broken], seeds)
