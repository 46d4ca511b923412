"""Bins of an amount: their edges, and the SQL that finds them (R05, R26)."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import Refused
from tacit.query.bounding.amount_histogram import Bins

MOSTS = (1, 2, 3, 4, 7, 8, 9, 60, 12_000, 10**6, 2**31, 10**15 + 7, 2**62)


def poison(bins: Bins) -> list[int | None]:
    """Every edge and its neighbours, the limits of the integer types, nothing at all."""
    near = {int(edge) + step for edge in bins.edges() for step in (-1, 0, 1)}
    return [*sorted(near | {0, -1, bins.most, bins.most + 1, 2**63 - 1, -(2**63)}), None]


def plain_index(bins: Bins, amount: int | None) -> int:
    """The oracle: count the edges, one by one."""
    return max(sum(int(edge) <= (amount or 0) for edge in bins.edges()) - 1, 0)


def sql_indices(sql: str, amounts: list[int | None], kind: str) -> list[int]:
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE held (place INTEGER, amount {kind})")
        rows = ", ".join(f"({place}, {'NULL' if amount is None else amount})" for place, amount in enumerate(amounts))
        connection.execute(f"INSERT INTO held VALUES {rows}")
        return [row[0] for row in connection.execute(f"SELECT {sql} FROM held ORDER BY place").fetchall()]


@pytest.mark.parametrize("most", MOSTS)
def test_edges_are_whole_ascending_and_within_a_quarter(most: int) -> None:
    """R05: a bin's last amount is at most a quarter above its first, up to 2^62 without overflow."""
    bins = Bins(most)
    edges, tops = bins.edges().tolist(), bins.tops().tolist()
    assert edges[:2] == [0, 1]
    assert tops[-1] == most
    assert all(low <= high < following for low, high, following in zip(edges, tops, [*edges[1:], 2**63], strict=True))
    assert all(4 * high <= 5 * low for low, high in zip(edges[1:], tops[1:], strict=True))
    assert len(bins) <= 4 + 4 * most.bit_length()


@pytest.mark.parametrize("most", MOSTS)
@pytest.mark.parametrize("kind", ["BIGINT", "HUGEINT"])
def test_sql_finds_the_bin_of_every_edge_and_of_poison(most: int, kind: str) -> None:
    """R26: exact at every edge ±1, beyond the last, below 0, at the limits of the type, and for NULL."""
    bins = Bins(most)
    amounts = [amount for amount in poison(bins) if amount is None or kind == "HUGEINT" or -(2**63) <= amount < 2**63]
    amounts += [2**127 - 1, -(2**127)] if kind == "HUGEINT" else []
    expected = [plain_index(bins, amount) for amount in amounts]
    assert sql_indices(bins.index_sql("amount"), amounts, kind) == expected
    assert all(0 <= index < len(bins) for index in expected)


def test_a_strict_comparison_is_caught() -> None:
    """R46: the broken twin, > for ≥, differs at the edges."""
    bins = Bins(12_000)
    amounts = poison(bins)
    broken = bins.index_sql("amount").replace(">=", ">")
    assert sql_indices(broken, amounts, "BIGINT") != [plain_index(bins, amount) for amount in amounts]


@given(st.integers(1, 2**62), st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=20))
def test_index_agrees_with_counting_edges(most: int, amounts: list[int]) -> None:
    """R05: the NumPy index is the oracle's for any amounts."""
    bins = Bins(most)
    assert bins.index(np.array(amounts)).tolist() == [plain_index(bins, amount) for amount in amounts]


def test_edges_cannot_be_changed() -> None:
    """R17: the bins are shared by all who ask, so nobody may write to them."""
    with pytest.raises(ValueError, match="read-only"):
        Bins(60).edges()[0] = 5


@pytest.mark.parametrize("most", [0, -1, True, 1.5, float("nan"), "60", 2**62 + 1])
def test_other_bins_are_refused(most: Any) -> None:
    """R08: a number that is no public bound is refused."""
    with pytest.raises(Refused):
        Bins(most)
