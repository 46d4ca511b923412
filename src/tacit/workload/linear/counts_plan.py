"""A plan of counting questions: the measurements, how much of one unit counts, and the price. It has no data.

One person with several rows has one factor. Where u are the person's rows by cell, ‖A u‖₂ ≤ Σ_c |u_c|·‖a_c‖₂ ≤ ‖u‖₁·
max ‖a_c‖₂, and a good strategy's columns are all about as long as the longest. So what is limited is ‖u‖₁, the person's
rows (or the sum of their values), as for one total of all rows: `base` is the plan of that total, with its limit.
"""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from functools import cached_property
from math import ceil

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.loss.families.loss import Relation
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.aggregates.aggregate import Measure
from tacit.query.bounding.limit_choice import make_plan
from tacit.query.lowering.tally import TallyBlock
from tacit.query.plans.limit import IntervalKind, Origin, Scaling, scaling
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import NoiseShare, Price
from tacit.schema.catalogue import Catalogue
from tacit.workload.factorisation.optimal_strategy import OptimalStrategy, optimal_strategy
from tacit.workload.linear.asked_counts import AskedCounts

RADIUS = 2**16  # units that one person with several rows counts for
_KEPT_BITS = 17  # of what one person counts for; the noise on it is far larger than what is left of that


@frozen(eq=False)
class CountsPlan:
    """Counting questions over the plan of their total."""

    asked: AskedCounts
    base: Plan

    @property
    def measure(self) -> Measure:
        return self.asked.measure

    @property
    def relation(self) -> Relation:
        return self.base.relation

    @property
    def is_scaled(self) -> bool:
        """Whether people are scaled: elsewhere each is one row, within bounds that hold by construction."""
        return self.base.limits[self.measure].origin is not Origin.CONSTRUCTION

    def most_words(self, norm: Fraction) -> str:
        """How much of one person counts, in the unit of what is added up."""
        kind, _, column = (self.measure.subject or "").partition(" ")
        unit = " rows" if kind == "rows" else f" of {column}" if column else ""
        return f"One person counts for at most {float(norm * self.measure.step):,.4g}{unit} in all cells"

    @cached_property
    def best(self) -> OptimalStrategy:
        """The strategy for its questions. It takes seconds for a thousand cells."""
        return optimal_strategy(self.asked.matrix)

    def strength(self, price: Price) -> Fraction:
        """The strength of the noise at a price: more is better."""
        return price.strength * self.base.share("tally")

    @property
    def radius(self) -> int:
        """Units that one person counts for at most, over all cells."""
        return RADIUS if self.is_scaled else max(1, self.measure.size)

    @property
    def shift(self) -> int:
        """How many low bits of noisy measurements are rounded off, so that large values fit a word."""
        return max(0, self.radius.bit_length() - _KEPT_BITS)

    def variance(self, price: Price) -> Fraction:
        """The variance of what is stored: the noise in units of 2^shift, and the rounding."""
        return self.law(price).variance / Fraction(4) ** self.shift + (Fraction(1, 12) if self.shift else 0)

    def scaling(self, norm: Fraction) -> Scaling:
        """Steps in units, where one person counts for at most `norm` of them."""
        return scaling(norm, self.radius)

    def law(self, price: Price) -> RoundedGaussian:
        """The noise on each number that is measured.

        Claim: it costs the tally's share of the price. Proof: the emitted SQL keeps one person's units over all cells
        within ‖u‖₁ ≤ `radius`, integers (`TallyBlock`), so that ‖A u‖² ≤ radius²·`squared_norm`, the exact largest
        squared norm of a column of the rounded strategy. Under replace two people move: twice the norm. μ² is that over
        the variance.
        """
        worlds = 2 if self.relation is Relation.REPLACE else 1
        squared = (worlds * self.radius) ** 2 * self.best.strategy.squared_norm
        return RoundedGaussian(Fraction(ceil(squared / self.strength(price))))

    def tally(self, norm: Fraction) -> TallyBlock:
        """The sums by cell in units, one factor a person.

        A tally keeps the ℓ₁ norm of people within the radius where its noise is of Laplace: that is said here for the
        norm alone. Nothing is drawn of this law.
        """
        bounded = NoiseShare(DiscreteLaplace(Fraction(1)), self.radius)
        keys, scalings = self.asked.domain.keys, (self.scaling(norm),)
        return TallyBlock(self.base.question.rows, keys, (self.measure,), scalings, bounded, None, bool(keys))

    @cached_property
    def digest(self) -> str:
        """What the plan counts: rows, unit, measure with its limit, cells, questions and weights."""
        base = self.base
        rows = [base.unit, str(base.relation), base.question.rows.sql, base.question.rows.ownership.value]
        text = json.dumps([rows, base.identity(self.measure), self.asked.digest], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def plan_counts(asked: AskedCounts, catalogue: Catalogue, interval: IntervalKind) -> CountsPlan:
    """The plan of questions, before any factorisation.

    Sums of values of both signs are refused where people have several rows: a limit of a person's total would not be
    one of what the person adds to cells.
    """
    plan = CountsPlan(asked, make_plan(asked.question, catalogue, True, interval))
    if plan.is_scaled and plan.measure.value.low < 0:
        raise Refused(
            "sums of values below 0 in a workload",
            "People have several rows, which may cancel in the total and not in its parts.",
            "COUNT(*), or SUM of a column with min = 0.",
        )
    return plan
