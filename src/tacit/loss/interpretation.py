"""What a loss means for a person, in plain words and percentages."""

from __future__ import annotations

import math
from fractions import Fraction

from tacit.errors import Refused
from tacit.exact import Number, nonnegative, probability, whole
from tacit.frozen import frozen
from tacit.loss.families.approx import Approx
from tacit.loss.families.curve import float_up
from tacit.loss.families.loss import Loss, a_loss
from tacit.loss.families.precision import sharp
from tacit.noise.ball import Ball, ball, down, up
from tacit.words import percent_up, shown


def cost(loss: Loss, delta: Number = 1e-6) -> str:
    """A loss as text: an (ε, δ) as stated; any other loss as its pure ε, or as ε at a stated δ."""
    if isinstance(loss, Approx):
        return str(loss)
    pure = a_loss(loss).epsilon(0)
    if pure < math.inf:
        return f"ε = {pure:.4g}"
    return f"ε = {loss.epsilon(delta):.4g} at δ = {shown(probability(delta, 'delta'))}"


def guess_probability(loss: Loss) -> float:
    """How often the best guess whether a person is in the data can be right, where a coin would be right half the time.

    (1+δ(0))/2, rounded up: the guess gains (1 − P_FA − P_MD)/2, and δ(0) is the most that 1 − P_FA − P_MD can be.
    For an (ε, δ) this is (e^ε+δ)/(1+e^ε).
    """
    return min(1.0, float_up((1 + Fraction(a_loss(loss).delta(0))) / 2))


@frozen
class UtilityChange:
    """By how much a person's expected utility can change: at most a factor e^±ε and a δ share of the most there is.

    For 0 ≤ u ≤ ‖u‖∞: E′[u] ≤ e^ε E[u] + δ‖u‖∞, integrating P(u > t) ≤ e^ε Q(u > t) + δ over t; and turned round.
    """

    epsilon: float
    delta: Fraction

    def bounds(self, expected: Number, most: Number) -> tuple[float, float]:
        """(lowest, highest) expected utility in the other world, from `expected` in this one; u lies in [0, most]."""
        here, top = nonnegative(expected, "expected"), nonnegative(most, "most")
        if not here <= top:
            raise Refused("an expected utility above the most there is", "It cannot be.", "expected ≤ most.")
        if not self.epsilon < math.inf:
            return 0.0, float_up(top)
        lost, factor = self.delta * top, Fraction(self.epsilon)
        lowest = down(sharp(lambda: (-ball(factor)).exp() * ball(here - lost)))
        highest = up(sharp(lambda: ball(factor).exp() * ball(here) + ball(lost)))
        return max(0.0, lowest), min(float_up(top), highest)


def utility_change(loss: Loss, delta: Number = 0) -> UtilityChange:
    """What the release can do to a person's expected utility, read at the given δ."""
    level = probability(delta, "delta")
    return UtilityChange(a_loss(loss).epsilon(level), level)


def posterior(loss: Loss, prior: Number) -> tuple[float, float]:
    """(least, most) that someone with this prior can believe, after any answer, of one world against its neighbour.

    Under add/remove: that a person is in the data. By Bayes the odds change by the likelihood ratio of the
    answer, which lies within e^±ε. With δ > 0 some answers may prove everything, so this is for pure ε only.
    """
    believed, epsilon = probability(prior, "prior"), a_loss(loss).epsilon(0)
    if not epsilon < math.inf:
        raise Refused(
            f"what an answer at ({loss}) can make one believe",
            "Only a pure ε bounds what every single answer can prove.",
            "`guess_probability(loss)`, which bounds how often a guess is right.",
        )
    if believed in (0, 1):
        return float(believed), float(believed)

    def moved(exponent: Fraction) -> Ball:
        return 1 / (1 + ball((1 - believed) / believed) * (-ball(exponent)).exp())

    factor = Fraction(epsilon)
    return max(0.0, down(sharp(lambda: moved(-factor)))), min(1.0, up(sharp(lambda: moved(factor))))


def describe(loss: Loss, people: int = 1) -> str:
    """Sentences that say what a loss means for one person, or for this many who stand or fall together."""
    size = whole(people, "people", least=1)
    whom = "one person is" if size == 1 else f"a certain group of {size:,} people is"
    whole_cost = a_loss(loss) if size == 1 else a_loss(loss).group(size)
    guess = guess_probability(whole_cost)
    sentences = [
        f"The cost: {cost(whole_cost)}.",
        f"Somebody who knows everything but whether {whom} in the data, and would guess by coin flip, "
        f"guesses right at most {percent_up(guess)} of the time.",
    ]
    epsilon = whole_cost.epsilon(0)
    if epsilon < math.inf:
        low, high = posterior(whole_cost, Fraction(1, 100))
        sentences.append(
            f"Whatever the answer, who was 1% sure before that {whom} in the data is at least "
            f"{_percent_down(low)} and at most {percent_up(high)} sure of it afterwards."
        )
    return " ".join(sentences)


def _percent_down(share: float) -> str:
    return _percent(math.floor(Fraction(share) * 1000))


def _percent(thousandths: int) -> str:
    return f"{shown(Fraction(thousandths, 10))}%"
