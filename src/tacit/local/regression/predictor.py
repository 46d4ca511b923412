"""Logistic regression of a known outcome on a predictor that was asked by a randomised design."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tacit.errors import Refused
from tacit.local.polls.channel import Channel
from tacit.local.polls.intervals.exact import Reals
from tacit.local.polls.reading import read_reports
from tacit.local.regression.fit import Fit, maximise, read_predictors
from tacit.local.regression.outcome import sigmoid


def logistic_on_report(
    channel: Channel,
    reports: Sequence[Any] | ArrayLike,
    outcomes: ArrayLike,
    predictors: ArrayLike,
    names: Sequence[str] | None = None,
) -> Fit:
    """How a sensitive yes (`sensitive`), beside other predictors, changes the odds of an outcome.

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
