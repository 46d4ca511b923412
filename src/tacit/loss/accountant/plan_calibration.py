"""The least noise, the largest sample or the most steps that keep a promise (ε, δ) over a whole composition."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import NoReturn, TypeAlias

from tacit.errors import Refused
from tacit.exact import Number, exact, positive, probability
from tacit.loss.accountant.account import Account, account
from tacit.loss.calibration import demand_function
from tacit.loss.families.loss import Loss

Plan: TypeAlias = Iterable[tuple[Loss, int]]

_TURNS = 80
_FARTHEST = 2.0**60
_LEAST = 1e-12


def least_parameter(
    plan: Callable[[Fraction], Plan], epsilon: Number, delta: Number, within: Number = "1e-3"
) -> Fraction:
    """The least parameter (a noise scale, a variance) for which the plan is (ε, δ)-private.

    The cost must fall as the parameter grows. The parameter returned was itself certified by the upper end of the
    bracket, and costs at least ε − `within`; with a cost that does not fall, it is larger than necessary but still
    valid.
    """
    demand_function(plan)
    promise = _Promise(lambda log: plan(_written(math.exp(log))), epsilon, delta, within)
    return _written(math.exp(promise.search(0.0, rising=False, most=math.log(_FARTHEST))))


def largest_rate(plan: Callable[[Fraction], Plan], epsilon: Number, delta: Number, within: Number = "1e-3") -> Fraction:
    """The largest sampling rate q ≤ 1 for which the plan is (ε, δ)-private, likewise; the cost must rise with q."""
    demand_function(plan)
    promise = _Promise(lambda log: plan(_written(math.exp(log))), epsilon, delta, within)
    if promise.cost(0.0) <= promise.epsilon:
        return Fraction(1)
    return _written(math.exp(promise.search(math.log(0.01), rising=True, most=0.0)))


def most_times(plan: Callable[[int], Plan], epsilon: Number, delta: Number, within: Number = "1e-3") -> int:
    """The most repetitions for which the upper end, on a grid for gaps of `within`, shows (ε, δ); 0 if not even one.

    The cost must rise with the number. It was certified for the number returned, and not for the next.
    """
    demand_function(plan)
    promise = _Promise(lambda log: plan(max(1, round(math.exp(log)))), epsilon, delta, within)
    below = promise.certified(plan(1))
    if not below <= promise.epsilon:
        return 0
    try:
        high = max(2, round(math.exp(promise.guess(math.log(100.0), rising=True, most=math.log(2.0**50)))))
    except Refused:
        high = 2  # without a guess the search is exponential
    low = 1
    above = promise.certified(plan(high))
    while above <= promise.epsilon:
        growth = (1.1 * promise.epsilon / above) ** 2 if above > 0 else 100.0
        low, below, high = high, above, max(high + 1, math.ceil(high * min(growth, 100.0)))
        if not high <= 2**50:
            raise Refused("the most repetitions", "Every number of them keeps the promise.", "a smaller ε or δ.")
        above = promise.certified(plan(high))
    for turn in range(_TURNS):
        if high - low <= 1:
            break
        share = (promise.epsilon - below) / (above - below) if turn % 3 != 2 and above < math.inf else 0.5
        middle = min(max(round(low + share * (high - low)), low + 1), high - 1)
        if turn % 3 == 1:
            middle = min(max(middle + (1 if 2 * middle < low + high else -1), low + 1), high - 1)
        cost = promise.certified(plan(middle))
        if cost <= promise.epsilon:
            low, below = middle, cost
        else:
            high, above = middle, cost
    return low


class _Promise:
    """A target (ε, δ), and what a plan costs at δ as a function of the logarithm of its parameter."""

    def __init__(self, plan: Callable[[float], Plan], epsilon: Number, delta: Number, within: Number) -> None:
        self.plan = plan
        self.epsilon = _not_above(positive(epsilon, "epsilon"))
        self.delta = probability(delta, "delta")
        self.within = min(float(positive(within, "within")), self.epsilon / 4)

    def cost(self, at: float) -> float:
        """The certified upper end of ε; infinite where it is refused."""
        return self.certified(self.plan(at))

    def certified(self, parts: Plan) -> float:
        """The certified upper end of ε for a plan; infinite where it is refused."""
        return self._asked(parts, lambda made: made.upper(self.delta, self.within / 3))

    def rough(self, at: float) -> float:
        """A quick estimate of ε, not a bound."""
        return self._asked(self.plan(at), lambda made: made.numeric.guess(float(self.delta)))

    def _asked(self, parts: Plan, question: Callable[[Account], float]) -> float:
        made = account(parts)
        try:
            return question(made)
        except Refused:
            return math.inf

    def guess(self, start: float, rising: bool, most: float) -> float:
        """The parameter at which the estimate meets the target; refused where there is none."""
        found, near = _meeting(self.rough, self.epsilon, self.epsilon / 50, start, rising, most)
        return near if found < math.inf else self._give_up()

    def search(self, start: float, rising: bool, most: float) -> float:
        """A parameter at which the certified cost lies in [ε − within, ε]."""
        start = self.guess(start, rising, most)
        aim = self.epsilon - self.within / 2
        nearby = start - 0.05 if start > 0 else start + 0.05
        here, there = self.rough(start), self.rough(min(nearby, most))
        slope = math.log(there / here) / (nearby - start) if 0 < here < math.inf and 0 < there < math.inf else None
        found, near = _meeting(self.cost, aim, self.within / 2, start, rising, most, slope)
        return near if found <= self.epsilon else self._give_up()

    def _give_up(self) -> NoReturn:
        raise Refused(
            f"ε = {self.epsilon:g} at δ = {float(self.delta):g}",
            "No parameter was found that keeps it.",
            "a larger ε or δ.",
        )


def _meeting(
    cost: Callable[[float], float],
    aim: float,
    close: float,
    start: float,
    rising: bool,
    most: float,
    slope: float | None = None,
) -> tuple[float, float]:
    """(cost, place) with the cost within `close` of the aim, or the most expensive place tried that is not above it.

    Secants on ln cost through the last two points, kept between two points with the aim between their costs once these
    are known; every fourth step bisects. `slope` is a guess of d ln cost/d place for the first secant.
    """
    embraced: dict[bool, float] = {}  # whether the cost exceeds the aim → the nearest such place
    best = (math.inf, start)
    place, before = start, (math.nan, math.nan)
    slope = slope or (1.0 if rising else -1.0)
    for turn in range(_TURNS):
        value = cost(place)
        if value <= aim + close and (best[0] == math.inf or value > best[0]):
            best = (value, place)
        if abs(value - aim) <= close:
            return value, place
        embraced[value > aim] = place
        log = math.log(max(value, 1e-300)) if value < math.inf else math.inf
        if log < math.inf:
            if before[0] != place and math.isfinite(before[1]) and log != before[1]:
                found = (log - before[1]) / (place - before[0])
                slope = found if found * slope > 0 else slope
            step = (math.log(aim) - log) / slope
        else:
            step = -2.0 if rising else 2.0
        before = (place, log)
        place = min(place + min(max(step, -3.0), 3.0), most)
        if len(embraced) == 2:
            low, high = sorted(embraced.values())
            if not high - low > 1e-12:
                break
            if turn % 4 == 3 or not low < place < high:
                place = (low + high) / 2
        elif abs(place) > 50:
            break
    return best


def _not_above(epsilon: Fraction) -> float:
    """The greatest float that, as it is written, is not above ε."""
    found = float(epsilon)
    if exact(found, "epsilon") > epsilon:
        found = math.nextafter(found, 0.0)
    if not found >= _LEAST:
        raise Refused("a promise of ε below 1e-12", "No search can come that close.", "ε ≥ 1e-12.")
    return found


def _written(value: float) -> Fraction:
    """The float as it is written, to twelve digits: shorter to read; the certificate is for this decimal."""
    return exact(f"{value:.12g}", "parameter")
