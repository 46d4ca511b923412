"""What many releases cost together, as a bracket.

A composition with a closed form has a bracket a few floats wide.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property

from tacit.errors import Refused
from tacit.exact import Number, nonnegative, positive, probability, whole
from tacit.frozen import frozen
from tacit.loss.accountant.numeric import Numeric
from tacit.loss.accountant.pilot import most_epsilon
from tacit.loss.distributions.conversion import step_of
from tacit.loss.distributions.mixture import PoissonStep
from tacit.loss.distributions.step import Step
from tacit.loss.families.approx import Approx
from tacit.loss.families.curve import float_down, float_up
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Loss, demand_one_relation, in_pairs
from tacit.loss.families.precision import Bracket
from tacit.loss.pairs.repeated_approx import RepeatedApprox

_SMALLEST_DELTA = Fraction(1, 10**250)
_SMALLEST_GAP = Fraction(1, 10**15)
_MOST_TIMES = 10**100


@frozen
class Account:
    """Releases about the same people whose losses are fixed in advance, each repeated so many times.

    Claim: every bracket contains the ε (or δ) of the product of the parts' dominating pairs, which bounds the
    composition even if each release is chosen after seeing earlier answers (Zhu–Dong–Wang 2022), and is attained
    where the parts are what their pairs say. All parts are under one neighbour relation, and each part's P is its law
    in the same one of the two worlds; both orders of the worlds are composed, each for itself, and the worse counts.
    It prices a plan; it is no filter: where a later *loss* is chosen after seeing earlier answers, it proves nothing.
    """

    parts: tuple[tuple[Loss, int], ...]

    def epsilon(self, delta: Number, gap: Number | None = None) -> Bracket:
        """The least ε at δ, between ends at most `gap` apart; refused if that cannot be certified.

        Without a gap the ends are brought within 1e-3 of each other, or as near as about a second of work brings them.
        """
        allowed, width = _delta(delta), _gap("1e-3" if gap is None else gap)
        if allowed == 1 or not self.numeric.steps:
            return Bracket(0.0, 0.0)
        form = closed_form(self.parts)
        if form:
            return closed_epsilon(form, allowed)
        most = most_epsilon(self.parts)
        return _read_back(self.numeric.epsilon(float_down(allowed), width, most, gap is not None))

    def delta(self, epsilon: Number, gap: Number | None = None) -> Bracket:
        """The least δ at ε, between ends whose ratio is at most 1 + `gap`; refused if that cannot be certified.

        Without a gap it is 1e-2, or as near as about a second of work brings it.
        """
        at, width = nonnegative(epsilon, "epsilon"), _gap("1e-2" if gap is None else gap)
        if not self.numeric.steps:
            return Bracket(0.0, 0.0)
        form = closed_form(self.parts)
        return closed_delta(form, at) if form else _read_back(self.numeric.delta(float(at), width, gap is not None))

    def upper(self, delta: Number, gap: Number = "1e-3") -> float:
        """Only the upper end of ε at δ, for about half the work, on a grid for this gap."""
        allowed, width = _delta(delta), _gap(gap)
        if allowed == 1 or not self.numeric.steps:
            return 0.0
        form = closed_form(self.parts)
        if form:
            return form.epsilon(allowed)
        return _up(self.numeric.epsilon_above(float_down(allowed), width, most_epsilon(self.parts)))

    @cached_property
    def steps(self) -> tuple[Step | None, ...]:
        """The parts as steps; None for what costs nothing."""
        return tuple(step_of(loss) for loss, _ in self.parts)

    @cached_property
    def numeric(self) -> Numeric:
        """The steps that cost something, with their repetitions."""
        pairs = zip(self.steps, self.parts, strict=True)
        return Numeric(tuple((step, times) for step, (_, times) in pairs if step is not None))


def account(parts: Iterable[tuple[Loss, int]], same_world: bool = False) -> Account:
    """The account of (loss, times) parts; compositions are split into parts, equal and Gaussian parts are merged.

    An asymmetric table (such as a forced response) is refused together with other parts: one part may have its P in the
    first world and another in the second, and that mixture can cost more than either order. `same_world` states that
    all parts have their P in the same world.
    """
    gathered: Counter[Loss] = Counter()
    squared, gaussian = Fraction(0), None
    for loss, times in in_pairs(parts, "(Loss, times) pairs."):
        count = whole(times, "times", least=0)
        if not count <= _MOST_TIMES:
            raise Refused("a release made more than 1e100 times", "Nobody makes so many.", "times ≤ 1e100.")
        for part, inner in _taken_apart(loss):
            if isinstance(part, Gdp):
                squared, gaussian = squared + part.mu_squared * count * inner, demand_one_relation([part], gaussian)
            elif count:
                gathered[part] += count * inner
    if squared or gaussian:
        gathered[Gdp(squared, relation=gaussian)] += 1
    demand_one_relation(gathered)
    found = Account(tuple(gathered.items()))
    found.numeric  # noqa: B018  (refuse here, not at the first question, what cannot be composed)
    for (part, times), step in zip(found.parts, found.steps, strict=True):
        if not same_world and (times > 1 or len(found.parts) > 1 or isinstance(step, PoissonStep)):
            _demand_both_ways_alike(part, step)
    return found


def _taken_apart(loss: Loss) -> list[tuple[Loss, int]]:
    if not isinstance(loss, Loss):
        raise Refused(f"a part of type {type(loss).__name__}", "It is not a loss.", "(Loss, times) pairs.")
    return list(loss.composed())


def _demand_both_ways_alike(part: Loss, step: Step | None) -> None:
    own = step.base if isinstance(step, PoissonStep) else step
    if own is not None and not own.symmetric:
        raise Refused(
            f"({part}) in a composition",
            "Its two laws are not mirror images, and other parts may meet them in the other order.",
            "`account(parts, same_world=True)` where every part has its P in the same world; or its `closed` (ε, δ).",
        )


def _read_back(found: Bracket) -> Bracket:
    """The ends as floats that stay bounds when they are read as the decimals they are written as."""
    lower = found.lower if math.isinf(found.lower) else max(0.0, float_down(Fraction(found.lower)))
    return Bracket(lower, _up(found.upper))


def _up(value: float) -> float:
    return value if math.isinf(value) else float_up(Fraction(value))


def _gap(gap: Number) -> float:
    width = positive(gap, "gap")
    if not width >= _SMALLEST_GAP:
        raise Refused(
            "a gap below 1e-15", "Floats cannot tell such ends apart.", "a gap of 1e-15 or more; 1e-3 is usual."
        )
    return float(width)


def _delta(delta: Number) -> Fraction:
    allowed = probability(delta, "delta")
    if not allowed >= _SMALLEST_DELTA:
        raise Refused(
            "ε at δ = 0" if not allowed else "ε at a δ below 1e-250",
            "Without a δ the worst losses simply add up, and no accountant is needed.",
            "δ ≥ 1e-250; at δ = 0 the sum of the parts' pure ε.",
        )
    return allowed


_MOST_COINS = 2000  # beyond this the exact sum is slower than the numeric bracket
_WIDENINGS = tuple(10.0**-k for k in range(14, 2, -1))


def closed_form(parts: tuple[tuple[Loss, int], ...]) -> Loss | None:
    """One loss that equals the whole composition, if there is one: Gaussian, a single release, or equal (ε, δ)."""
    if len(parts) != 1:
        return None
    (loss, times), *_ = parts
    if isinstance(loss, Gdp):
        return Gdp(loss.mu_squared * times)
    if isinstance(loss, Approx) and times <= _MOST_COINS:
        return RepeatedApprox(loss.exact_epsilon, loss.exact_delta, times)
    if times == 1:
        return loss
    return None


def closed_delta(loss: Loss, epsilon: Fraction) -> Bracket:
    """The bracket of δ(ε) of an exact form."""
    low, up = loss.delta_between(epsilon)
    return Bracket(low, up)


def closed_epsilon(loss: Loss, delta: Fraction) -> Bracket:
    """ε(δ) of an exact form: its certified upper end, and the nearest float below at which δ(ε) > δ is certified."""
    upper = loss.epsilon(delta)
    if not upper < math.inf:
        return Bracket(math.inf if loss.core()[0] > delta else 0.0, math.inf)
    for widening in _WIDENINGS:
        lower = upper * (1 - widening)
        if lower > 0 and loss.delta_between(Fraction(lower))[0] > delta:
            return Bracket(lower, upper)
    return Bracket(0.0, upper)
