"""The strategy for a set of questions, rounded, with both ends of its distance from the best certified."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

from tacit.frozen import frozen
from tacit.noise.ball import ball, up
from tacit.workload.factorisation.dual_bound import optimum_down
from tacit.workload.factorisation.fixed_point import CLOSE, best_point
from tacit.workload.factorisation.integer_strategy import IntegerStrategy, rounded_strategy
from tacit.workload.factorisation.question_matrix import QuestionMatrix

BITS = 22  # of a column's norm: rounding then adds less than a part in ten thousand to the error


@frozen(eq=False)
class OptimalStrategy:
    """A strategy of whole numbers and a certified lower end of opt(W)."""

    strategy: IntegerStrategy
    optimum_down: Fraction

    @cached_property
    def ratio_up(self) -> float:
        """How many times the least weighted error of any Gaussian noise at this price this strategy's is, at most."""
        if not self.optimum_down > 0:
            return float("inf")
        return up(ball(self.strategy.error_up / self.optimum_down))


def optimal_strategy(questions: QuestionMatrix, bits: int = BITS, close: float = CLOSE) -> OptimalStrategy:
    """The best strategy for the weighted sum of variances; as near as `close`, where the search comes that near."""
    primal, dual = best_point(questions.weighted, close)
    return OptimalStrategy(rounded_strategy(questions, primal, bits), optimum_down(questions, dual))
