"""Equal steps whose large losses are rare: the bracket against enumeration, and twins that leave something out."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from tacit.loss import Gdp, Loss, Pure, account, fixed_size, poisson
from tacit.loss.accountant import rare
from tacit.loss.accountant.rare import RareLosses, are_rare
from tacit.loss.distributions.conversion import step_of
from tacit.loss.distributions.step import Step

RATE, EPSILON = 1e-3, 8.0
EPSILONS = (0.05, 0.3, 0.9, 1.2, 1.3, 1.5, 2.0, 2.5, 3.0)
HEADS = 1 / (1 + math.exp(-EPSILON))
ON_POISSON = [((1 - RATE) * (1 - told) + RATE * told, 1 - told) for told in (HEADS, 1 - HEADS)]
ABOVE = ON_POISSON[0]
OF_FIXED_SIZE = [ABOVE, (1 - sum(ABOVE),) * 2, ABOVE[::-1]]
CASES = [
    (poisson(Pure(8), str(RATE)), ON_POISSON),
    (fixed_size(Pure(8), str(RATE)), OF_FIXED_SIZE),
]


def truth(one: list[tuple[float, float]], times: int, epsilon: float) -> float:
    """δ(ε) with every outcome of so many steps written out, in the worse direction."""
    laws = [[math.prod(part[side] for part in path) for path in product(one, repeat=times)] for side in (0, 1)]
    first, second = np.array(laws)
    grown = math.exp(epsilon)
    return float(max(np.maximum(p - grown * q, 0).sum() for p, q in ((first, second), (second, first))))


def step(loss: Loss) -> Step:
    found = step_of(loss)
    assert found is not None
    return found


@pytest.mark.parametrize("times", [2, 3, 6])
@pytest.mark.parametrize(("loss", "one"), CASES, ids=["Poisson", "fixed size"])
def test_the_bracket_holds_what_is_written_out(loss: Loss, one: list[tuple[float, float]], times: int) -> None:
    made = RareLosses.of(step(loss), times, 1e-30)
    for epsilon in EPSILONS:
        exactly, found = truth(one, times, epsilon), made.delta(epsilon)
        assert found.lower <= exactly * (1 + 1e-12)
        assert exactly * (1 - 1e-12) <= found.upper
    for delta in (1e-3, 1e-5, 1e-6):
        ends = made.epsilon(delta)
        assert ends.upper == math.inf or truth(one, times, ends.upper) <= delta * (1 + 1e-12)
        assert ends.lower == 0 or truth(one, times, ends.lower) > delta


@pytest.mark.parametrize("name", ["several", "one"])
def test_a_twin_that_leaves_something_out_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two or more large losses; a tenth of what one of them adds."""
    honest = rare._Split.above

    def twin(self: rare._Split, epsilon: float) -> float:
        return honest(self, epsilon) - self.several if name == "several" else 0.9 * honest(self, epsilon)

    monkeypatch.setattr(rare._Split, "above", twin)
    loss, one = CASES[0]
    made = RareLosses.of(step(loss), 3, 1e-30)
    assert any(made.delta(epsilon).upper < truth(one, 3, epsilon) for epsilon in EPSILONS)


def test_a_twin_that_forgets_the_others_is_caught() -> None:
    """n·δ₁ is neither end: the others' losses may help, and they may be large too."""
    loss, one = CASES[0]
    assert any(3 * loss.delta(epsilon) < truth(one, 3, epsilon) for epsilon in EPSILONS)
    assert any(3 * loss.delta_between(epsilon)[0] > truth(one, 3, epsilon) for epsilon in EPSILONS)


@pytest.mark.parametrize(("sigma", "rate", "times"), [(0.5, "1e-5", 1000), (0.4, "1e-7", 1000), (0.5, "1e-4", 30)])
def test_it_agrees_with_the_transform_where_both_answer(sigma: float, rate: str, times: int) -> None:
    loss = poisson(Gdp(str(sigma**-2)), rate)
    made = RareLosses.of(step(loss), times, 1e-30)
    whole = account([(loss, times)])
    for epsilon in (0.5, 2.0, 5.0):
        found, other = made.delta(epsilon), whole.delta(epsilon)
        assert max(found.lower, other.lower) <= min(found.upper, other.upper)
        assert found.upper <= 1.05 * found.lower


def test_usual_training_is_not_called_rare() -> None:
    """It would cost time and bring nothing."""
    assert not are_rare(step(poisson(Gdp(1), "0.01")), 1000, 1.8)
    assert are_rare(step(poisson(Gdp(4), "1e-5")), 1000, 1.5)


def test_a_step_whose_rarest_losses_leave_the_floats_is_still_priced_on_a_grid() -> None:
    """The rare losses are looked for farther out than a grid goes; beyond 600 they were a refusal of all."""
    plan = account([(poisson(Gdp("663.43"), "1.0936e-12"), 5)])
    found = plan.epsilon("2.371e-21")
    assert 461 < found.lower <= found.upper < 461.5
