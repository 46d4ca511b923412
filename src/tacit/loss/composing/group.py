"""Groups of people, through the trade-off curve: as tight as one person's curve permits."""

from __future__ import annotations

from fractions import Fraction

from tacit.exact import Number, probability, whole
from tacit.loss.curve import float_down
from tacit.loss.loss import Loss, a_loss


def group_tradeoff(loss: Loss, people: int, alpha: Number) -> float:
    """The least miss rate of a test that seeks a group of k people with false-alarm rate α; rounded down.

    f_k = 1 − (1−f)^{∘k} (Dong–Roth–Su 2022): a test of size α against one person's world has power at most
    1−f(α) there, which is its size for the next step. Each step is rounded towards more power, and
    1−f rises with α, so the rounding never helps us. Same relation as the loss; never worse than the closed
    (kε, δ(e^{kε}−1)/(e^ε−1)).
    """
    size, power = whole(people, "people", least=1), probability(alpha, "alpha")
    a_loss(loss)
    for _ in range(size):
        if power == 1:
            break
        power = 1 - Fraction(loss.tradeoff(power))
    return float_down(1 - power)
