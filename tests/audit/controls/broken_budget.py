"""Broken budgets: spent twice, given back, or counted by a rule that does not hold for adaptive questions.

The output is the whole transcript; the claim is the budget.
"""

from __future__ import annotations

from math import exp

import numpy as np
from tests.audit.controls.broken_control import Control, broken, floats, one_of_many

from tacit.audit.subject import Data, Outputs
from tacit.loss.families.approx import Approx
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Bits
from tacit.noise.discrete_laplace import DiscreteLaplace

_LAW = DiscreteLaplace(1)
_PAIRS = (([1, 1], [1]),)


def _double_spend(data: Data, count: int, bits: Bits) -> Outputs:
    """Both of two requests read the balance before either writes it."""
    balance, answers = 1.0, list[Outputs]()
    seen = [balance, balance]
    for known in seen:
        if known >= 1:
            answers.append(len(data) + _LAW.draw(count, bits))
    return np.stack(answers, axis=1)


def _refunded(data: Data, count: int, bits: Bits) -> Outputs:
    """Each answer leaves, then the request fails while it is written down, and its price is given back."""
    balance, answers = 1.0, list[Outputs]()
    while balance >= 1 and len(answers) < 4:
        balance -= 1
        answers.append(len(data) + _LAW.draw(count, bits))
        balance += 1
    return np.stack(answers, axis=1)


def _rounded_prices(data: Data, count: int, bits: Bits) -> Outputs:
    """Prices are kept as whole numbers: 0.4 is 0, and any number of such questions fits."""
    balance, price, answers = 0.5, 0.4, list[Outputs]()
    while balance - round(price) >= 0 and len(answers) < 6:
        balance -= round(price)
        answers.append(len(data) + DiscreteLaplace("2.5").draw(count, bits))
    return np.stack(answers, axis=1)


_ODDS, _FREE = exp(1) / (1 + exp(1)), 0.1


def _filtered_by_curve(data: Data, count: int, bits: Bits) -> Outputs:
    """A coin of ε = 1, then what its outcome makes worthwhile: each fits the curve at (1, 0.1) had it been fixed.

    After the truth: a coin whose δ(0) is 0.1/0.731, and whose δ(2) is 0. After the lie: everything, with chance 0.1.
    Fixed in advance, the first costs 0.731·δ(0) + 0.269·δ(2) = 0.1 and the second 0.1; chosen by the outcome, both add
    up: 0.1 + 0.269·0.1.
    """
    generator = floats(bits)
    coin = np.where(generator.random(count) < _ODDS, data, 1 - data)
    lean = (1 + _FREE / _ODDS) / 2  # a coin of ε = 2·artanh(0.1/0.731) = 0.28
    second = np.where(generator.random(count) < lean, data, 1 - data)
    bare = np.where(generator.random(count) < _FREE, 3 + data, 2)
    return np.stack([coin, np.where(coin == 1, second, bare)], axis=1)


SPENDING: tuple[Control, ...] = (
    broken(
        "double spend",
        "Two requests spend one balance (R32).",
        "black box",
        1,
        one_of_many(_double_spend),
        _PAIRS,
        many=_double_spend,
    ),
    broken(
        "refund on error",
        "A failed request is free, its answer was not (R34).",
        "black box",
        1,
        one_of_many(_refunded),
        _PAIRS,
        many=_refunded,
    ),
    broken(
        "rounded prices",
        "Small prices vanish (R35): six questions at 0.4 for 0.5.",
        "black box",
        "0.5",
        one_of_many(_rounded_prices),
        _PAIRS,
        many=_rounded_prices,
    ),
    broken(
        "curve as a filter",
        "A privacy-loss distribution admits adaptive questions (R36).",
        "black box",
        Approx(1, "0.1"),
        one_of_many(_filtered_by_curve),
        ((1, 0),),
        relation=Relation.REPLACE,
        many=_filtered_by_curve,
    ),
)
