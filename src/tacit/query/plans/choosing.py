"""Limits from noisy histograms: for each part, the limit that serves its error best."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, isqrt, sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.query.aggregates.noisy_parts import noise_deviation
from tacit.query.aggregates.parts import Distinct, Measure, Part, Ranks
from tacit.query.aggregates.quantile import Quantile
from tacit.query.limits.choice import choose_limit
from tacit.query.limits.many_keys import ManyKeys
from tacit.query.limits.objective import Objective
from tacit.query.limits.rank_error import RankError
from tacit.query.limits.total_error import TotalError
from tacit.query.lowering.finding import BINS, NORM_STEPS, FindingBlock
from tacit.query.plans.noise_share import NoiseShare, noise_share
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price

_FEW = Fraction(2, 5)  # of the people stay within the limit where groups are many and small
_FEW_ROWS = 4  # of one person, where nothing is known
_ROOT_STEPS = 1024  # how finely the root of a number of keys is kept


def chosen(plan: Plan, price: Price, block: FindingBlock, noisy: NDArray[np.int64]) -> Mapping[Part, Fraction]:
    """The limits of the parts that a finding block counted people for."""
    people = dict(zip(block.parts, noisy / block.unit, strict=True))
    deviation = noise_deviation(block.noise.law) / block.unit
    rows = [part for part in people if isinstance(part, Measure) and part.subject == "rows"]
    found: dict[Part, Fraction] = {part: choose(plan, price, part, people[part], deviation, None) for part in rows}
    most = max(found.values(), default=None)
    return {part: found.get(part) or choose(plan, price, part, people[part], deviation, most) for part in people}


def choose(
    plan: Plan, price: Price, part: Part, people: NDArray[np.float64], deviation: float, rows: Fraction | None
) -> Fraction:
    """The limit of one part, as a norm in its steps, from noisy numbers of people in each bin of its amount."""
    aim, least = objective(plan, price, part), unseen(plan, price, part, rows)
    amount = choose_limit(BINS, people, deviation, aim, laplace=price.is_pure, unseen=least)
    return as_norm(plan, part, amount, is_gaussian=not price.is_pure)


def unseen(plan: Plan, price: Price, part: Part, rows: Fraction | None) -> int:
    """The amount that counts where nobody can be seen above the noise: that of `rows` rows, each at its largest."""
    if isinstance(part, Ranks) and part.edges and not price.is_pure:
        return ceil(_FEW_ROWS * NORM_STEPS * row_norm(part, is_gaussian=True))
    if not isinstance(part, Measure) or part.once or part.subject == "rows":
        return _FEW_ROWS
    steps = NORM_STEPS if plan.question.keys and not price.is_pure else 1
    return min(max(1, ceil(part.size * (rows or _FEW_ROWS) * steps)), BINS.most)  # a constant has no size


def as_norm(plan: Plan, part: Part, amount: int, is_gaussian: bool) -> Fraction:
    """The norm that an amount stands for: over groups, under Gaussian noise, that of n keys held once is √n."""
    if isinstance(part, Ranks):
        by_norm = is_gaussian and part.edges
        return Fraction(amount, NORM_STEPS) if by_norm else amount * row_norm(part, is_gaussian)
    if not (isinstance(part, Measure) and plan.question.keys and is_gaussian):
        return Fraction(amount)
    return root_up(amount) if part.once else max(Fraction(1), Fraction(amount, NORM_STEPS))


def row_norm(part: Ranks, is_gaussian: bool) -> Fraction:
    """The norm of one row over all levels of a tree: the root of their number, or their number for Laplace noise."""
    return root_up(part.levels) if is_gaussian else Fraction(part.levels)


def root_up(number: int) -> Fraction:
    """√n, rounded up a little."""
    return Fraction(ceil(isqrt(number * _ROOT_STEPS**2 - 1) + 1), _ROOT_STEPS) if number > 1 else Fraction(1)


def objective(plan: Plan, price: Price, part: Part) -> Objective:
    """What the limit of a part is to be good for."""
    if plan.is_selecting or isinstance(part, Distinct):
        return ManyKeys(_FEW)
    if isinstance(part, Ranks):
        noise = noise_share(price, plan.share(part), plan.relation)
        return _rank_error(plan, part, noise)
    noise = noise_share(price, plan.share("tally"), plan.relation)
    return TotalError(_per_limit(noise, len(plan.measures)), len(plan.groups or ()) or 1)


def _rank_error(plan: Plan, part: Ranks, noise: NoiseShare) -> RankError:
    """The error of all quantiles that are read from one tree, for a limit in steps of the norm, or else in rows."""
    by_rows = not (noise.is_gaussian and part.edges)
    quantiles = (each for each in plan.question.aggregates.values() if isinstance(each, Quantile))
    shares = tuple(dict.fromkeys(each.share for each in quantiles if each.ranks == part))
    one = row_norm(part, noise.is_gaussian) if by_rows else Fraction(1, NORM_STEPS)
    deviation = noise_deviation(noise.law) / noise.radius * float(one) * sqrt(part.counts_in_a_rank)
    return RankError(deviation, shares, len(plan.groups or ()) or 1, part.levels, None if by_rows else NORM_STEPS)


def _per_limit(noise: NoiseShare, ways: int) -> float:
    """The noise's standard deviation, in steps, for a limit of one step."""
    return noise_deviation(noise.law) / noise.split(ways)
