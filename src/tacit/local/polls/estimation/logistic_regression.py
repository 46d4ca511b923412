"""Logistic regression with randomised answers: the model is about the truth, the likelihood about the reports.

The randomised answer is the outcome, or a predictor of a known outcome. A fit has coefficients with standard errors,
found where the likelihood of the reports is largest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from tacit.errors import Refused
from tacit.exact import Number, proper
from tacit.frozen import frozen
from tacit.local.polls.estimation.rate_interval import Reals
from tacit.local.polls.estimation.yes_no_channel import YesNoChannel, read_reports
from tacit.mechanisms.mechanism import percent

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
    """The fit from a log-likelihood with its gradient; refused where it has no unique maximum."""
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
    """One row of the Hessian, by differences of the gradient."""
    step = np.zeros_like(at)
    step[place] = _STEP
    return (score(at + step)[1] - score(at - step)[1]) / (2 * _STEP)


def logistic(
    channel: YesNoChannel, reports: Sequence[Any] | ArrayLike, predictors: ArrayLike, names: Sequence[str] | None = None
) -> Fit:
    """The model P(yes | x) = 1/(1+e^(−xβ)) of the true answer, from reports through the design's channel.

    The report is yes with probability stray + (hit − stray)·P(yes | x); β is where the likelihood of the reports is
    largest. Reports are already randomised, so the fit is post-processing.
    """
    heard = read_reports(reports)
    if heard.missing:
        raise Refused("a regression with missing reports", "Their predictors say nothing.", "only rows with a report.")
    table, known = read_predictors(predictors, names, heard.people)
    said = heard.reports.astype(np.float64)
    stray, contrast = float(channel.stray), float(channel.contrast)

    def score(at: Reals) -> tuple[float, Reals]:
        truth = sigmoid(table @ at)
        rate = np.clip(stray + contrast * truth, 1e-12, 1 - 1e-12)
        height = float(np.sum(said * np.log(rate) + (1 - said) * np.log(1 - rate)))
        slope = (said - rate) / (rate * (1 - rate)) * contrast * truth * (1 - truth)
        return height, table.T @ slope

    return maximise(score, np.zeros(table.shape[1]), known, heard.people)


def sigmoid(log_odds: Reals) -> Reals:
    """1/(1+e^−t), without overflow."""
    return 0.5 * (1 + np.tanh(log_odds / 2))


def logistic_on_report(
    channel: YesNoChannel,
    reports: Sequence[Any] | ArrayLike,
    outcomes: ArrayLike,
    predictors: ArrayLike,
    names: Sequence[str] | None = None,
) -> Fit:
    """The effect of a sensitive yes (`sensitive`), with other predictors, on the odds of an outcome.

    The true answer z is unknown: it is yes with probability 1/(1+e^(−xγ)) given the other predictors, its report comes
    through the channel, and the outcome has log odds xβ + αz. Report and outcome are independent given z, so
    P(report, outcome | x) = Σ_z P(z|x)·P(report|z)·P(outcome|x, z); α, β and γ maximise its product over people.
    """
    heard = read_reports(reports)
    ends = read_reports(outcomes)
    if heard.missing or ends.missing or heard.people != ends.people:
        raise Refused(
            "a regression on these reports",
            "Reports and outcomes do not pair up.",
            "one outcome a report, none missing.",
        )
    table, known = read_predictors(predictors, names, heard.people)
    said, outcome = heard.reports, ends.reports.astype(np.float64)
    width = table.shape[1]
    channels = np.array([[1 - channel.stray, channel.stray], [1 - channel.hit, channel.hit]], np.float64)
    through = channels[:, said]

    def score(at: Reals) -> tuple[float, Reals]:
        alpha, beta, gamma = at[0], at[1 : width + 1], at[width + 1 :]
        share = sigmoid(table @ gamma)
        rates = [sigmoid(table @ beta), sigmoid(table @ beta + alpha)]
        parts = [
            weight * through[z] * np.where(outcome == 1, rates[z], 1 - rates[z])
            for z, weight in ((0, 1 - share), (1, share))
        ]
        both = np.maximum(parts[0] + parts[1], 1e-300)
        yes = parts[1] / both
        residuals = (1 - yes) * (outcome - rates[0]), yes * (outcome - rates[1])
        slope = [np.array([residuals[1].sum()]), table.T @ (residuals[0] + residuals[1]), table.T @ (yes - share)]
        return float(np.log(both).sum()), np.concatenate(slope)

    start = np.zeros(2 * width + 1)
    return maximise(score, start, ("sensitive", *known, *(f"prevalence: {name}" for name in known)), heard.people)
