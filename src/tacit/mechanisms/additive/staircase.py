"""The staircase mechanism: the least noise that makes one number ε-private."""

from __future__ import annotations

from dataclasses import field
from fractions import Fraction
from functools import cached_property

from tacit.errors import Refused
from tacit.exact import Number, positive, whole
from tacit.frozen import frozen
from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Relation
from tacit.mechanisms.additive.additive_mechanism import HeldInSteps
from tacit.mechanisms.inputs import in_steps
from tacit.noise import staircase_law as noise
from tacit.noise.bits import Bits
from tacit.noise.grid import Grid, whole_steps_down
from tacit.noise.staircase_law import Aim


@frozen
class Staircase(HeldInSteps[float]):
    """Adds staircase noise, in steps, to one number.

    Claim: if neighbours' numbers differ by at most `sensitivity`, the release is ε-private with δ = 0. Proof: the
    mass falls with |x| and by exactly e^−ε over a period, which is the sensitivity in whole steps (rounding to the
    grid counted in); so two points at most a period apart differ by a factor e^ε at most. With the
    best stair width its expected magnitude (or square) is the least of all ε-private noise (Geng and Viswanath 2014).
    Values beyond `farthest` count as the end of the range, and an answer near that end says so.

    It is for one number only. In a vector each coordinate could cross the edge of a stair, however little it moved, and
    pay ε of its own: the ℓ₁ sensitivity does not bound the cost.
    """

    epsilon: Fraction = field(kw_only=True)
    width: int = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "width", whole(self.width, "width", 1))
        noise.StaircaseLaw(self.epsilon, self.period, self.width)  # refuses parameters that do not fit

    @classmethod
    def for_epsilon(
        cls,
        epsilon: Number,
        sensitivity: Number,
        relation: Relation,
        *,
        grid: Grid | None = None,
        aim: Aim = "magnitude",
    ) -> Staircase:
        """The best staircase that is ε-private: least E|noise|, or least E[noise²]."""
        budget, bound = positive(epsilon, "epsilon"), positive(sensitivity, "sensitivity")
        trial = cls(bound, relation, grid, epsilon=budget, width=1)
        return cls(
            bound, relation, grid, epsilon=budget, width=noise.StaircaseLaw.best(budget, trial.period, aim).width
        )

    @property
    def period(self) -> int:
        """The sensitivity in whole steps."""
        if self.grid is not None:
            return self.grid.l1_steps_up(self.sensitivity, 1)
        return whole_steps_down(self.sensitivity)

    @cached_property
    def law(self) -> noise.StaircaseLaw:
        """The law of the noise, in steps."""
        return noise.StaircaseLaw(self.epsilon, self.period, self.width)

    @property
    def loss(self) -> Pure:
        return Pure(self.epsilon)

    def error(self, confidence: Number = "0.95") -> float:
        """The exact quantile of the noise; rounding to the grid adds at most half a step."""
        steps = self.law.spread(confidence)
        return steps if self.grid is None else float((steps + Fraction(1, 2)) * self.step)

    def privatize(self, value: float, bits: Bits) -> float:
        steps = in_steps(value, self.grid)
        if not steps.ndim == 0:
            raise Refused(f"a value with {steps.ndim} dimensions", "Staircase noise is for one number.", "one number.")
        noisy = int(self.law.add(steps.reshape(1), bits)[0])
        return noisy if self.grid is None else self.grid.place_one(noisy)
