"""A plan of private tuning: candidates, how many of them are run, and what each run may cost. Data-free."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from tacit.exact import Number
from tacit.frozen import frozen
from tacit.learn.model_kind import ModelFit
from tacit.learn.tuning.candidates import named
from tacit.learn.tuning.held_out_score import HeldOutScore
from tacit.loss.composition.best_of_runs import BestOfRuns
from tacit.loss.families.approx import Approx
from tacit.loss.families.loss import Loss
from tacit.noise.capped_geometric import CappedGeometric
from tacit.query.plans.price import Price, price_of

SCORE_SHARE: Final = Fraction(1, 5)  # of a run's price
_MEAN: Final = 2  # runs for each candidate but one, without the cap
_CAP: Final = 4  # the same of the cap


@frozen(eq=False)
class TuningPlan:
    """Candidates that are fit and scored, and one that is released: which, is chosen by noisy scores.

    Claim: the release costs `price`. A run fits one candidate at 4/5 of `run_strength` and scores it at 1/5; it is
    Gaussian differentially private with μ² = `run_strength`, since both are (`ModelFit`, `HeldOutScore`), the score
    sees the rows and the fit, and squares add up. Without `runs`, each candidate is run once, k of them at 1/k of the
    price's strength: squares add up again, and a choice among what was paid for is free. With `runs`, each run is of a
    candidate that is drawn anew, uniformly: one mechanism, with that μ², run K times; and `BestOfRuns` prices the one
    that leaves, the best by (score, output). It holds at one (ε, δ), and so is used where the account adds up these.
    """

    fits: tuple[ModelFit, ...]
    settings: tuple[Mapping[str, Any], ...]
    score: HeldOutScore
    runs: CappedGeometric | None
    run_strength: Fraction
    price: Price

    @classmethod
    def priced(
        cls,
        fits: tuple[ModelFit, ...],
        settings: tuple[Mapping[str, Any], ...],
        score: HeldOutScore,
        budget: Loss,
        promise: Loss,
        epsilon: Number,
        delta: Number | None,
    ) -> TuningPlan:
        """The plan that leaves each run the least noise, by public numbers alone, where the release is (ε, δ)-private.

        An account in ρ is charged for all candidates. A random number of runs has no useful ρ: its divergences of small
        order are not known to be below those of all K runs together, and with a single (ε, δ) for a ρ each of up to 32
        runs would have more noise, not less.
        """
        price = price_of(budget, promise, epsilon, delta, False)
        each = price.strength / len(fits)
        if isinstance(budget, Approx):
            runs = runs_among(len(fits))
            strength = BestOfRuns(runs).strength(price.alone.exact_epsilon, price.alone.exact_delta)
            if strength > each:
                return cls(fits, settings, score, runs, strength, replace(price, strength=strength))
        return cls(fits, settings, score, None, each, price)

    @property
    def fit_price(self) -> Price:
        """What the stages of one fit cost together."""
        return replace(self.price, strength=self.run_strength * (1 - SCORE_SHARE))

    @property
    def score_strength(self) -> Fraction:
        return self.run_strength * SCORE_SHARE

    @property
    def way(self) -> str:
        """How many candidates are run, in words."""
        many = len(self.fits)
        if self.runs is None:
            return f"All {many} candidates were fit and scored, each at 1/{many} of the price; the best is shown."
        tried = float(1 - self.runs.missed(Fraction(1, many)))
        return (
            f"The best of a random number of runs ({float(self.runs.mean):.1f} expected) of {many} candidates: each is "
            f"tried with probability {tried:.2f}, and how many were is not told."
        )

    @property
    def claims(self) -> tuple[str, ...]:
        scored = "what a person adds to a score is cut to lie between all wrong and all right, in the query itself"
        if self.runs is None:
            return "each candidate costs its part of the price, and the choice among noisy scores is free", scored
        return f"the best of K runs, P(K = k) ∝ (1 − {self.runs.stop})^k up to {self.runs.most}, K not released", scored

    @property
    def digest(self) -> str:
        law = None if self.runs is None else [str(self.runs.stop), self.runs.most]
        said = [[fit.digest for fit in self.fits], [named(each) for each in self.settings], self.score.digest, law]
        return hashlib.sha256(json.dumps(["tuning", *said]).encode()).hexdigest()


def runs_among(candidates: int) -> CappedGeometric:
    """The number of runs among so many candidates: about twice as many, so that each is tried in three of five cases.

    The cap bounds the work, all of which is done whatever K is.
    """
    return CappedGeometric(Fraction(1, _MEAN * (candidates - 1)), _CAP * (candidates - 1))
