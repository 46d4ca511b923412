"""A fitted model: coefficients with standard errors, found where the likelihood of the reports is largest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from tacit.errors import Refused
from tacit.exact import Number, proper
from tacit.frozen import frozen
from tacit.local.polls.intervals.exact import Reals
from tacit.mechanisms.answer import percent

_STEP: Final = 1e-5
_FLAT: Final = 1e-6

Score = Callable[[Reals], tuple[float, Reals]]


@frozen(eq=False)
class Fit:
    """Coefficients on the scale of log odds, by name, with their covariance from the observed information."""

    names: tuple[str, ...]
    coefficients: Reals
    covariance: Reals
    people: int
    log_likelihood: float

    @property
    def standard_errors(self) -> Reals:
        return np.sqrt(np.diag(self.covariance))

    def interval(self, name: str, confidence: Number = "0.95") -> tuple[float, float]:
        """The asymptotic interval of one coefficient."""
        if name not in self.names:
            raise Refused(f"a coefficient named {name[:40]}", "There is none.", f"one of {', '.join(self.names)}.")
        place = self.names.index(name)
        deviate = NormalDist().inv_cdf(1 - float(1 - proper(confidence, "confidence")) / 2)
        reach = deviate * float(self.standard_errors[place])
        return float(self.coefficients[place]) - reach, float(self.coefficients[place]) + reach

    def describe(self, confidence: Number = "0.95") -> str:
        """A line for each coefficient: log odds, their interval, and the odds ratio."""
        lines = [f"{self.people:,} people, log odds with {percent(confidence)} intervals"]
        width = max(map(len, self.names))
        for name, value in zip(self.names, self.coefficients, strict=True):
            low, high = self.interval(name, confidence)
            lines.append(f"  {name:{width}}  {value:+.3f}  ({low:+.3f} to {high:+.3f}; odds ratio {np.exp(value):.3g})")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.describe()


def read_predictors(rows: ArrayLike, names: Sequence[str] | None, people: int) -> tuple[Reals, tuple[str, ...]]:
    """The design matrix with a leading column of ones, and a name for each column."""
    found = np.asarray(rows, np.float64)
    table = found[:, None] if found.ndim == 1 else found
    if not (table.ndim == 2 and table.shape[0] == people and np.all(np.isfinite(table))):
        raise Refused("predictors", "They do not fit the reports, or one is not finite.", "a finite row a report.")
    given = tuple(names) if names is not None else tuple(f"x{place + 1}" for place in range(table.shape[1]))
    if len(given) != table.shape[1] or len({*given, "intercept"}) != len(given) + 1:
        raise Refused("names of predictors", "They do not fit the columns, or one is there twice.", "a name a column.")
    return np.column_stack([np.ones(people), table]), ("intercept", *given)


def maximise(score: Score, start: Reals, names: Sequence[str], people: int) -> Fit:
    """The fit from a log-likelihood with its gradient; refused where it has no single peak."""
    from scipy.optimize import minimize

    def downhill(at: Any) -> tuple[float, Reals]:
        height, slope = score(at)
        return -height / people, -slope / people

    found = minimize(downhill, start, jac=True, method="BFGS", options={"gtol": _FLAT / 10, "maxiter": 1000})
    best = np.asarray(found.x, np.float64)
    hessian = np.array([_bend(score, best, place) for place in range(best.size)])
    information = -(hessian + hessian.T) / 2
    flat = np.max(np.abs(score(best)[1])) <= _FLAT * 10 * people
    if not (flat and np.all(np.isfinite(information)) and np.linalg.eigvalsh(information)[0] > _FLAT):
        raise Refused(
            "a regression on these reports",
            "The likelihood has no single peak: too few reports, or predictors that say the same.",
            "more reports, fewer predictors, or a larger ε.",
        )
    return Fit(tuple(names), best, np.linalg.inv(information), people, score(best)[0])


def _bend(score: Score, at: Reals, place: int) -> Reals:
    """The gradient's change along one coefficient."""
    step = np.zeros_like(at)
    step[place] = _STEP
    return (score(at + step)[1] - score(at - step)[1]) / (2 * _STEP)
