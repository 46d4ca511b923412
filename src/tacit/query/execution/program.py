"""A plan at a price: its blocks, each with its noise and the norm it enforces."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.loss.families.approx import Approx
from tacit.query.aggregates.aggregate import Distinct, Part, Ranks
from tacit.query.bounding.histogram_sql import BINS, WIDE_BINS, FindingBlock
from tacit.query.lowering.distinct import DistinctBlock
from tacit.query.lowering.ranks import RanksBlock
from tacit.query.lowering.tally import TallyBlock
from tacit.query.plans.group_keys import GeometricRule, KeyRule
from tacit.query.plans.limit import IntervalKind, scaling
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price, noise_share

_FEW_KEYS = 4  # the most keys of one person: the geometric rule splits ε evenly among them
_WEAK = Fraction(1, 50)  # for a smaller ε the rule's table of probabilities would be long and few keys shown


@frozen
class Program:
    """The program of a plan: a tally (where there are sums, or keys to choose), ranks and distinct counts.

    Claim: run after `finding`, with the limits it found, all blocks together cost the price: their shares add up to 1,
    μ² of Gaussian noise adds up, adaptively too since the shares are fixed in advance, and so does a pure ε.
    """

    tally: TallyBlock | None
    ranks: tuple[RanksBlock, ...]
    distincts: tuple[DistinctBlock, ...]


def finding(plan: Plan, price: Price) -> FindingBlock | None:
    """The block that finds missing limits, and for usual intervals the clipping bias."""
    if not plan.binned:
        return None
    noise = noise_share(price, plan.share("finding"), plan.relation)
    bins = WIDE_BINS if plan.interval is IntervalKind.USUAL else BINS
    return FindingBlock(plan.question.rows, plan.question.keys, plan.binned, noise, bins)


def program(plan: Plan, price: Price) -> Program:
    """The blocks of a plan whose limits are all known."""
    return Program(
        _tally(plan, price),
        tuple(_ranks(plan, price, part) for part in plan.ranks),
        tuple(_distinct(plan, price, part) for part in plan.distincts),
    )


def norm_of(plan: Plan, part: Part) -> Fraction:
    """A part's limit, which must be known by now."""
    norm = plan.limits[part].norm
    if norm is None:
        raise Refused("a program of this plan", "A limit is still to be found.", "the limits, found first.")
    return norm


def key_rule(plan: Plan, price: Price) -> KeyRule | GeometricRule:
    """The rule that shows private keys: the one of two that needs fewer people.

    The truncated-geometric rule takes an (ε, δ) of its own. Beside aggregates, or in an account of ρ, that costs
    more than a share of the Gaussian noise; it is offered where an account of (ε, δ) is asked for keys alone, and a
    person holds few of them.
    """
    gaussian = KeyRule(noise_share(price, plan.share("keys"), plan.relation), price.keys_delta, plan.most_keys)
    is_affordable = isinstance(price.charge, Approx) and plan.most_keys <= _FEW_KEYS
    if plan.question.parts or not is_affordable or price.alone.exact_epsilon < _WEAK:
        return gaussian
    geometric = GeometricRule(price.alone, plan.relation, plan.most_keys)
    return geometric if geometric.people() < gaussian.people() else gaussian


def _tally(plan: Plan, price: Price) -> TallyBlock | None:
    measures = plan.measures
    rule = key_rule(plan, price) if plan.is_selecting else None
    if not measures and rule is None:
        return None
    noise = noise_share(price, plan.share("tally") if measures else plan.share("keys"), plan.relation)
    room = noise.split(max(1, len(measures)))
    scalings = tuple(scaling(norm_of(plan, measure), room) for measure in measures)
    return TallyBlock(
        plan.question.rows, plan.question.keys, measures, scalings, noise, rule, plan.is_joint, plan.apart
    )


def _ranks(plan: Plan, price: Price, part: Ranks) -> RanksBlock:
    noise = noise_share(price, plan.share(part), plan.relation)
    least = part.row_norm(noise.is_gaussian)
    limit = min(max(least, norm_of(plan, part)), Fraction(noise.radius))  # each row counts at least one unit
    return RanksBlock(plan.question.rows, plan.question.keys, part, limit, noise)


def _distinct(plan: Plan, price: Price, part: Distinct) -> DistinctBlock:
    noise = noise_share(price, plan.share(part), plan.relation)
    limit = min(max(1, ceil(norm_of(plan, part))), noise.radius)  # each value counts at least one unit
    return DistinctBlock(plan.question.rows, plan.question.keys, part, limit, noise)
