"""Sums of losses: within one family, exactly; and bounds for cores of several families.

For cores, ε's add over any split of δ, Rényi divergences add at each order, and μ² add.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from tacit.errors import Refused
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.curve import float_up
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Loss, demand_one_relation
from tacit.loss.families.precision import sharp
from tacit.loss.families.rdp import Rdp, delta_at, epsilon_at, order_for_delta, order_for_epsilon
from tacit.loss.families.zcdp import Zcdp
from tacit.noise.ball import Ball, ball, up


def add_basic(parts: Sequence[Approx]) -> Approx:
    """Σε and Σδ."""
    epsilon, relation = sum((part.exact_epsilon for part in parts), Fraction(0)), demand_one_relation(parts)
    if all(isinstance(part, Pure) for part in parts):
        return Pure(epsilon, relation=relation)
    slack = min(Fraction(1), sum((part.exact_delta for part in parts), Fraction(0)))
    return Approx(epsilon, slack, relation=relation)


def add_concentrated(parts: Sequence[Zcdp]) -> Zcdp:
    """Σρ and Σδ."""
    rho = sum((part.rho for part in parts), Fraction(0))
    slack = sum((part.exact_delta for part in parts), Fraction(0))
    return Zcdp(rho, min(Fraction(1), slack), relation=demand_one_relation(parts))


def add_gaussian(parts: Sequence[Gdp]) -> Gdp:
    """Σμ²."""
    return Gdp(sum((part.mu_squared for part in parts), Fraction(0)), relation=demand_one_relation(parts))


def add_renyi(parts: Sequence[Rdp]) -> Rdp:
    """The sum at every listed order up to which all parts are known: the sum of the straight lines, exactly."""
    last = min(part.orders[-1] for part in parts)
    orders = sorted({order for part in parts for order in part.orders if order <= last})
    total = [(order, sum((part.bound(order) or Fraction(0) for part in parts), Fraction(0))) for order in orders]
    return Rdp(total, relation=demand_one_relation(parts))


_FARTHEST = 14.0  # ln of the highest order tried: about a million
_HALVINGS = 30


def renyi_delta(cores: tuple[Loss, ...], epsilon: Fraction) -> float:
    """δ at ε by the sum of the Rényi divergences at the best order, rounded up."""
    order = order_for_delta(_divergence(cores), epsilon, _FARTHEST)
    return _certified(cores, order, lambda total: delta_at(order, total, epsilon))


def renyi_epsilon(cores: tuple[Loss, ...], delta: Fraction) -> float:
    """ε at δ by the sum of the Rényi divergences at the best order, rounded up."""
    if delta == 0:
        return math.inf
    order = order_for_epsilon(_divergence(cores), delta, _FARTHEST)
    return max(0.0, _certified(cores, order, lambda total: epsilon_at(order, total, delta)))


def basic_delta(cores: tuple[Loss, ...], epsilon: Fraction, known: float) -> float:
    """The least δ ≤ `known` whose basic ε is within the target: bisection over the exponent of δ."""
    if basic_epsilon(cores, Fraction(0)) <= epsilon:
        return 0.0
    if known == 0 or not basic_epsilon(cores, Fraction(known)) <= epsilon:
        return known
    low, high = -1074.0, math.log2(known)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        trial = math.exp2(middle)
        if basic_epsilon(cores, Fraction(trial)) <= epsilon:
            high, known = middle, min(known, trial)
        else:
            low = middle
    return known


def basic_epsilon(cores: tuple[Loss, ...], delta: Fraction) -> float:
    """The better of two splits: δ shared by all parts, or only by those that have no pure ε."""
    pure = [core.epsilon(0) for core in cores]
    needy = sum(1 for bound in pure if not bound < math.inf)
    if needy == 0 and delta == 0:
        return sum_up(pure)
    by_need = sum_up(
        bound if bound < math.inf else core.epsilon(delta / needy) for core, bound in zip(cores, pure, strict=True)
    )
    return min(by_need, sum_up(core.epsilon(delta / len(cores)) for core in cores))


def gaussian_of(cores: tuple[Loss, ...]) -> Gdp | None:
    """√Σμ², where every core lies within some μ; else None."""
    try:
        return add_gaussian([core.gdp() for core in cores])
    except Refused:
        return None


def _divergence(cores: tuple[Loss, ...]) -> Callable[[float], float]:
    return lambda excess: math.fsum(core.rdp(1 + Fraction(excess)) for core in cores)


def _certified(cores: tuple[Loss, ...], order: Fraction, convert: Callable[[Ball], Ball]) -> float:
    total = sum_up(core.rdp(order) for core in cores)
    return up(sharp(lambda: convert(ball(total)))) if total < math.inf else math.inf


def sum_up(bounds: Iterable[float]) -> float:
    """The sum, rounded up once."""
    values = list(bounds)
    return float_up(sum((Fraction(v) for v in values), Fraction(0))) if all(v < math.inf for v in values) else math.inf
