"""The protection of a design, and the adversary it holds against: an ε, or the reason why there is none."""

from __future__ import annotations

import math

from tacit.frozen import frozen
from tacit.loss.families.loss import Loss
from tacit.loss.interpretation import guess_probability


@frozen
class Protection:
    """The loss of one report against anyone.

    Where that is infinite, the reason, and the ε against less informed adversaries.
    """

    loss: Loss | None
    because: str = ""
    unknowing: Loss | None = None
    """The loss against an adversary who does not know the answer to the innocuous question."""

    @property
    def epsilon(self) -> float:
        """ε against anyone: rounded up, `inf` where a report can give its sender away."""
        return math.inf if self.loss is None else self.loss.epsilon(0)

    def __str__(self) -> str:
        if self.loss is not None:
            return f"ε = {named(self.epsilon)}"
        if self.unknowing is None:
            return f"ε infinite, because {self.because}"
        return (
            f"ε infinite, because {self.because}; against all others ε = {named(self.unknowing.epsilon(0))} "
            "(if the two answers of a person are unrelated)"
        )

    def plainly(self, answers: str = "both answers", seen: str = "it") -> str:
        """The protection in words for a respondent: odds first, ε last; "" where no odds hold against everyone."""
        if self.loss is None:
            return ""
        sure = math.ceil(round(1000 * guess_probability(self.loss), 6)) / 10  # 0.8 in floats is more, not 80.1%
        return (
            f"Whoever sees {seen}, and thought {answers} equally likely before, then has odds of at most "
            f"{odds_words(self.epsilon)} on one of them, and is right at most {sure:g}% of the time: {self}."
        )


def odds_words(epsilon: float) -> str:
    """The odds e^ε : 1 in words, rounded up: “3 to 1”."""
    odds = math.exp(min(epsilon, 700.0))
    if abs(odds - round(odds)) < 1e-9 * odds:
        return f"{round(odds)} to 1"
    return f"{math.ceil(odds * 10) / 10:,} to 1" if odds < 100 else f"{math.ceil(odds):,} to 1"


def named(epsilon: float) -> str:
    """An ε as text: ln of a whole number where it is one, else to four digits."""
    odds = math.exp(min(epsilon, 30))
    if odds > 1.5 and abs(odds - round(odds)) < 1e-9 * odds:
        return f"ln {round(odds)} ({epsilon:.4g})"
    return f"{epsilon:.4g}"
