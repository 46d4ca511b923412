"""Logistic regression with a randomised outcome."""

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


def logistic(
    channel: Channel, reports: Sequence[Any] | ArrayLike, predictors: ArrayLike, names: Sequence[str] | None = None
) -> Fit:
    """What makes a true yes likelier: P(yes | x) = 1/(1+e^(−xβ)), from reports through the design's channel.

    The report is yes with probability stray + (hit − stray)·P(yes | x); β is where the likelihood of the reports is
    largest. It treats respondents' privacy as done: reports are randomised already, so the fit costs nothing more.
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
