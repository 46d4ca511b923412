"""Extremal reports: exactly private, worth as much as the dual permits, and the known ones where those are best."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import log

import numpy as np
import pytest
from tests.local.randomizers.laws import is_private, totals

from tacit.errors import Refused
from tacit.local.randomizers.extremal import Utility, divergence, extremal, mutual_information
from tacit.local.randomizers.randomizer import odds_within
from tacit.local.randomizers.subset_selection import KaryResponse

FIRST = ["0.1", "0.2", "0.3", "0.4"]
SECOND = ["0.4", "0.35", "0.05", "0.2"]


def kullback(share: float) -> float:
    return share * log(share)


def variation(share: float) -> float:
    return abs(share - 1) / 2


USES: dict[str, Utility] = {
    "bits": mutual_information(FIRST),
    "uniform bits": mutual_information(["1/4"] * 4),
    "kullback": divergence(FIRST, SECOND, kullback),
    "variation": divergence(FIRST, SECOND, variation),
}


def worth(rows: Sequence[Sequence[float]], utility: Utility) -> float:
    return sum(utility(column) for column in zip(*rows, strict=True))


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("epsilon", ["0.05", "1", "3", "8"])
def test_the_best_is_private_and_meets_its_limit(use: str, epsilon: str) -> None:
    found = extremal(epsilon, 4, USES[use])
    assert is_private(found.table, Fraction(epsilon))
    assert totals(found.table) == [1] * 4
    rows = [[float(found.table.probability(a, y)) for y in found.table.alphabet()] for a in range(4)]
    assert worth(rows, USES[use]) == pytest.approx(found.value, rel=1e-9)
    assert found.value <= found.limit * (1 + 1e-12)
    assert found.limit == pytest.approx(found.value, rel=1e-6)
    assert len(rows[0]) <= 4


@pytest.mark.parametrize("use", USES)
def test_no_private_report_is_worth_more(use: str) -> None:
    """400 private reports drawn at random, of 2 to 12 values."""
    draws, odds = np.random.default_rng(8), float(odds_within(1))
    found = extremal(1, 4, USES[use])
    best = 0.0
    for _ in range(400):
        columns = draws.uniform(1, odds, (4, int(draws.integers(2, 13)))) if draws.random() < 0.3 else None
        if columns is None:
            columns = np.where(draws.random((4, int(draws.integers(2, 13)))) < 0.5, 1.0, odds)
        columns = columns * draws.random(columns.shape[1])
        totals_ = columns.sum(axis=1)
        spread = totals_.max() - totals_  # one more report makes up what each row lacks, where that is private
        rest = spread + max(0.0, (spread.max() - odds * spread.min()) / (odds - 1))
        table = np.column_stack([columns, rest]) / (totals_ + rest)[:, None]
        if rest.min() > 0:
            assert table.sum(axis=1) == pytest.approx(1)
            best = max(best, worth(table.tolist(), USES[use]))
    assert 0 < best <= found.limit * (1 + 1e-9)


def test_little_privacy_wants_the_kary_response() -> None:
    response = KaryResponse.within(8, 4)
    rows = [[float(response.probability(a, y)) for y in range(4)] for a in range(4)]
    for use in ("bits", "uniform bits", "kullback"):
        assert extremal(8, 4, USES[use]).value == pytest.approx(worth(rows, USES[use]), rel=1e-9)


@pytest.mark.parametrize("epsilon", ["0.01", "1"])
def test_much_privacy_wants_the_binary_response(epsilon: str) -> None:
    """Two reports: whether the answer is one of those likelier under the first law. For total variation at every ε."""
    odds = float(odds_within(epsilon))
    high, low = odds / (1 + odds), 1 / (1 + odds)
    rows = [[high, low] if Fraction(p) >= Fraction(q) else [low, high] for p, q in zip(FIRST, SECOND, strict=True)]
    for use in ("variation", "kullback") if epsilon == "0.01" else ("variation",):
        assert extremal(epsilon, 4, USES[use]).value == pytest.approx(worth(rows, USES[use]), rel=1e-9)


def test_misuse_is_refused() -> None:
    for epsilon, answers in ((0, 4), (1, 1), (1, 13)):
        with pytest.raises(Refused):
            extremal(epsilon, answers, USES["bits"])
    with pytest.raises(Refused, match="utility"):
        extremal(1, 2, lambda column: float("nan"))
    with pytest.raises(Refused, match="prior"):
        mutual_information(["1/2", "1/3"])
