"""Running totals of data that arrive: the claim by exact enumeration, adaptively too, and the error by its law."""

from __future__ import annotations

import copy
import pickle
from itertools import product
from math import exp

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.divergence import violations

from tacit.errors import Refused
from tacit.loss.families.approx import Approx
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Relation
from tacit.mechanisms.continual import continual_sum
from tacit.mechanisms.continual.continual_sum import ContinualSession, ContinualSum
from tacit.noise.ball import precision
from tacit.noise.bits import Seeded
from tacit.workload.factorisation.optimal_strategy import optimal_strategy
from tacit.workload.factorisation.question_matrix import QuestionMatrix

Law = dict[tuple[int, ...], float]


@pytest.fixture
def coarse(monkeypatch: pytest.MonkeyPatch) -> None:
    """A factor of small whole numbers, so that output laws can be written down."""
    monkeypatch.setattr(continual_sum, "_SCALE", 4)


def stream_law(mechanism: ContinualSum, stream: object, reach: int) -> Law:
    """The law of all measurements; `stream` says each number from the measurements so far."""
    assert callable(stream)
    with precision(128):
        masses = {value: float(mechanism.law.mass(value)) for value in range(-3 * reach, 3 * reach + 1)}
    law: Law = {(): 1.0}
    numbers: dict[tuple[int, ...], list[int]] = {(): []}
    for _ in range(mechanism.horizon):
        longer: Law = {}
        for seen, chance in law.items():
            given = [*numbers[seen], stream(seen)]
            exact = sum(a * b for a, b in zip(mechanism.factor, reversed(given), strict=False))
            for measured in range(-reach, reach + 1):
                after = (*seen, measured)
                longer[after] = chance * masses[measured - exact]
                numbers[after] = given
        law = longer
    return law


def test_the_factor_is_the_square_root_of_prefixes() -> None:
    """Its self-convolution is all ones, up to rounding."""
    mechanism = ContinualSum(1, Relation.ADD_REMOVE, 200, 1)
    root = np.array(mechanism.factor) / mechanism.factor[0]
    assert np.allclose(np.convolve(root, root)[:200], 1, atol=1e-4)
    assert np.allclose(mechanism.readings * mechanism.factor[0], root, atol=1e-4)


@pytest.mark.parametrize("moved", [(1, 0), (0, 1)])
@pytest.mark.usefixtures("coarse")
def test_the_loss_holds_for_every_step_that_differs(moved: tuple[int, int]) -> None:
    """Two steps, all measurements enumerated: Σ f̂² = 4² + 2², and half the deviation is caught."""
    mechanism = ContinualSum(1, Relation.ADD_REMOVE, 2, 30)
    assert mechanism.loss == Gdp("20/30")
    base = stream_law(mechanism, lambda seen: 0, 45)
    other = stream_law(mechanism, lambda seen: moved[len(seen)], 45)
    assert violations(mechanism.loss, [(base, other)]) == []
    if moved == (1, 0):
        assert violations(Gdp("10/30"), [(base, other)])


@pytest.mark.usefixtures("coarse")
def test_the_loss_holds_where_streams_look_at_totals() -> None:
    """What comes, and when the neighbour differs, depends on what was measured before."""
    mechanism = ContinualSum(1, Relation.ADD_REMOVE, 2, 30)

    def first(seen: tuple[int, ...]) -> int:
        return 0 if not seen else int(seen[0] > 2)

    for late in (False, True):

        def second(seen: tuple[int, ...], late: bool = late) -> int:
            differs = bool(seen and seen[0] > 0) if late else not seen
            return first(seen) + differs

        laws = stream_law(mechanism, first, 45), stream_law(mechanism, second, 45)
        assert violations(mechanism.loss, [laws]) == []


def test_the_price_counts_the_sum_over_all_steps() -> None:
    """Whoever differs by 3 in all, in whatever steps, moves ‖C u‖ ≤ 3·‖f̂‖: brute force over all such u."""
    mechanism = ContinualSum(3, Relation.ADD_REMOVE, 4, 1)
    matrix = np.array([[mechanism.factor[i - j] if i >= j else 0 for j in range(4)] for i in range(4)], np.int64)
    moves = [np.array(u) for u in product(range(-3, 4), repeat=4) if sum(map(abs, u)) <= 3]
    assert max(int(((matrix @ u) ** 2).sum()) for u in moves) == mechanism.loss.mu_squared


def test_totals_are_near_the_truth_and_errors_hold() -> None:
    """1,500 last totals: 95% intervals miss 5% of them, give or take 5 deviations (false alarm 6e-7)."""
    mechanism = ContinualSum.for_loss(Approx(1, "1e-6"), 12, Relation.ADD_REMOVE)
    stream, bits = [3, 0, 7, 1, 0, 0, 5, 2, 8, 0, 1, 4], Seeded(4)
    totals = np.array([mechanism.totals(mechanism.privatize(stream, bits)) for _ in range(1500)])
    off = totals - np.cumsum(stream)
    assert np.allclose(off.std(axis=0), mechanism.deviations(), rtol=0.1)
    missed = (np.abs(off[:, -1]) > mechanism.error("0.95")).mean()
    assert abs(missed - 0.05) <= 5 * (0.05 * 0.95 / 1500) ** 0.5


def test_a_session_says_what_a_release_says_and_never_redraws() -> None:
    """One number at a time: the measurements of earlier steps stay as they are."""
    mechanism = ContinualSum.for_loss(Approx(1, "1e-6"), 6, Relation.ADD_REMOVE)
    session, told = ContinualSession(mechanism, Seeded(9)), []
    for number in (5, 0, 2, 9):
        before = session.measured
        told.append(session.add(number))
        assert session.measured[: len(before)] == before
    whole = mechanism.rehearse([5, 0, 2, 9], Seeded(9))
    assert np.allclose([each.value for each in told], whole.value)
    assert told[-1].error() == whole.error()[-1] > told[0].error()


def test_a_session_closes_and_cannot_be_copied() -> None:
    session = ContinualSum.for_loss(Gdp(1), 1, Relation.ADD_REMOVE).start()
    session.add(1)
    with pytest.raises(Refused):
        session.add(1)
    for twice in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(Refused):
            twice(session)


def test_ctrl_c_between_a_number_and_its_noise_closes_the_session() -> None:
    """Else each later measurement would be of another step than its total is read from."""

    class Pressed(Seeded):
        def octets(self, count: int) -> NDArray[np.uint8]:
            raise KeyboardInterrupt

    mechanism = ContinualSum.for_loss(Gdp(1), 4, Relation.ADD_REMOVE)
    session = ContinualSession(mechanism, Pressed(1))
    with pytest.raises(KeyboardInterrupt):
        session.add(1)
    with pytest.raises(Refused):
        session.add(1)


def test_it_is_within_an_eighth_of_the_certified_optimum() -> None:
    """Total variance over 128 running totals, beside the best factorisation of them."""
    mechanism = ContinualSum.for_loss(Gdp(1), 128, Relation.ADD_REMOVE)
    best = optimal_strategy(QuestionMatrix.of(np.tril(np.ones((128, 128), np.int64))))
    ratio = float((mechanism.deviations() ** 2).sum()) / float(best.optimum_down)
    assert 1.10 <= ratio <= 1.13


@pytest.mark.parametrize(("sensitivity", "horizon"), [("1/2", 4), (1, 0), (1, 2**14 + 1)])
def test_what_has_no_claim_is_refused(sensitivity: object, horizon: int) -> None:
    with pytest.raises(Refused):
        ContinualSum(sensitivity, Relation.ADD_REMOVE, horizon, 1)


def test_more_numbers_than_steps_are_refused() -> None:
    with pytest.raises(Refused):
        ContinualSum(1, Relation.ADD_REMOVE, 2, exp(3)).release([1, 2, 3])
