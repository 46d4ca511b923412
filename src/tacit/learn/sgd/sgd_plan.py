"""A plan of private gradient descent: people sampled, steps, clip and noise, fixed before the first row is read."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from math import ceil
from typing import Final

from tacit.errors import Refused
from tacit.exact import Number, positive, probability, whole
from tacit.frozen import frozen
from tacit.learn.sgd.error_bound import ErrorBound
from tacit.learn.sgd.places import CountedPlaces
from tacit.loss.accountant.concentrated import zcdp_of
from tacit.loss.accountant.plan_calibration import least_parameter
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Loss, Relation
from tacit.loss.families.zcdp import Zcdp
from tacit.loss.sampling.subsampled import poisson
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.plans.price import Price, gaussian_strength, release_delta

MOST_STEPS: Final = 100_000
_COUNT_SHARE: Final = Fraction(1, 100)  # of the μ² that the whole price would buy without samples
Parts = list[tuple[Loss, int]]


@frozen(eq=False)
class SgdPlan:
    """`steps` noisy sums of clipped gradients, each over a fresh Poisson sample of people of rate `rate`.

    Claim: the noisy number of people and all steps together, whatever each makes of those before, are at most what
    `parts` says, composed, but for an event of probability `overflow` in each world. Proof: the count is a Gaussian
    mechanism (`CountedPlaces`). Given it, and unless there are fewer places than people, each step is a mixture of
    pairs of Gaussians on samples of rate q (`SampledPlaces`) whose means differ by the sensitivity of `bound`
    (`ErrorBound`) in whole numbers; rounded Gaussian noise on whole numbers is post-processing of the real one, of
    variance at least `multiplier`²·sensitivity². Everything else is computed from these sums and public things.
    """

    bound: ErrorBound
    rate: Fraction
    steps: int
    overflow: Fraction

    def __post_init__(self) -> None:
        if not 0 < probability(self.rate, "rate") <= 1:
            raise Refused("a sample of nobody", "There is nothing to learn from it.", "a rate above 0, up to 1.")
        if not whole(self.steps, "steps", least=1) <= MOST_STEPS:
            raise Refused(f"{self.steps:,} steps", "All are paid for together.", f"1 to {MOST_STEPS:,} steps.")

    def parts(self, multiplier: Fraction, count: Fraction) -> Parts:
        """The count of people with noise of variance `count`, and the steps: what is composed."""
        step = Gdp(1 / multiplier**2, relation=Relation.ADD_REMOVE)
        sampled: Loss = step if self.rate == 1 else poisson(step, self.rate)
        return [(sampled, self.steps), (Gdp(1 / count, relation=Relation.ADD_REMOVE), 1)]

    def noise(self, multiplier: Fraction) -> RoundedGaussian:
        """On the whole numbers of a step."""
        return RoundedGaussian(Fraction(ceil((multiplier * self.bound.sensitivity) ** 2)))

    @property
    def digest(self) -> str:
        clip = [str(self.bound.clip), self.bound.people, self.bound.dimension, [*map(str, self.bound.sizes)]]
        return hashlib.sha256(json.dumps([clip, str(self.rate), self.steps, str(self.overflow)]).encode()).hexdigest()


@frozen(eq=False)
class PricedPlan:
    """A plan with the noise that its price buys."""

    plan: SgdPlan
    multiplier: Fraction  # standard deviation of a step's noise, in sensitivities
    count: CountedPlaces
    price: Price

    @classmethod
    def for_epsilon(
        cls,
        bound: ErrorBound,
        rate: Number,
        steps: int,
        budget: Loss,
        promise: Loss,
        epsilon: Number,
        delta: Number | None,
    ) -> PricedPlan:
        """The least noise at which training alone is (ε, δ)-private; δ is one hundredth of the budget's by default.

        Claim: the release alone is (ε, δ), and `charge` is the same in the account's currency. Proof. Let δ′ = δ² bound
        the probability that places are too few, which the released count shows: outside these counts the laws are those
        of a run that always has places, so P(A) ≤ e^ε·Q(A) + δ″ + δ′ with δ″ = δ − δ′ of the plan. In zCDP, let P₀, Q₀
        be what is left of such a run outside an event of probability δ/2 (`zcdp_of`), with D_α ≤ ρα; restricted to
        counts with places, they lose 2δ′ of their mass, and D_α grows by α/(α−1)·3δ′ at most. From α = 1+δ on that is
        α·4δ at most, and below, D_α is at most what it is at 1+δ. So ρ(1+δ) + 5δ bounds D_α/α at all orders.
        """
        if isinstance(budget, Pure):
            raise Refused("training in a pure account", "Its noise is Gaussian.", "a budget with a δ.")
        if isinstance(budget, Zcdp) and not budget.exact_delta > 0:
            raise Refused(
                "steps on samples of people in an account of ρ alone",
                "No ρ below that of all people is known for them without a δ.",
                "a budget { rho = …, delta = … }, or { epsilon = …, delta = … }.",
            )
        level = positive(epsilon, "epsilon")
        whole_delta = release_delta(budget, promise) if delta is None else probability(delta, "delta")
        if not 0 < whole_delta <= Fraction(1, 100):
            raise Refused(f"δ = {float(whole_delta):g}", "Training needs one.", "0 < δ ≤ 0.01.")
        plan = SgdPlan(bound, probability(rate, "rate"), steps, whole_delta**2)
        variance = Fraction(ceil(1 / (_COUNT_SHARE * gaussian_strength(level, whole_delta))))
        inner = whole_delta - plan.overflow
        multiplier = least_parameter(lambda noise: plan.parts(noise, variance), level, inner)
        charge: Loss = Approx(level, whole_delta)
        if isinstance(budget, Zcdp):
            found = _concentrated(plan, multiplier, variance, whole_delta / 2)
            rho = found.rho * (1 + whole_delta) + 5 * whole_delta
            charge = Zcdp(rho, found.exact_delta + 2 * plan.overflow, relation=Relation.ADD_REMOVE)
        price = Price(1 / multiplier**2, False, Approx(level, whole_delta), charge)
        return cls(plan, multiplier, CountedPlaces(variance, plan.overflow), price)

    @property
    def law(self) -> RoundedGaussian:
        return self.plan.noise(self.multiplier)


def _concentrated(plan: SgdPlan, multiplier: Fraction, count: Fraction, delta: Fraction) -> Zcdp:
    """The least ρ known at this δ; where losses are too large for the accountant, that of steps that see everybody.

    It holds for samples too: a sample may be drawn after the noise, which is post-processing.
    """
    try:
        return zcdp_of(plan.parts(multiplier, count), delta)
    except Refused:
        return zcdp_of(SgdPlan(plan.bound, Fraction(1), plan.steps, plan.overflow).parts(multiplier, count), delta)
