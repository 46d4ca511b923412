"""What a release cost, in words and in shares of the budget."""

from __future__ import annotations

from fractions import Fraction
from math import floor

from tacit.frozen import frozen


@frozen
class Price:
    """The price of one release: what it is on its own, its share of the budget, and what is left after it."""

    loss_words: str  # this release alone, for instance "ε = 0.5, δ = 1e-9"
    share: Fraction
    left: Fraction
    free: bool
    currency_words: str = ""  # the share in the account's currency, for instance "ρ 0.0042 of 0.266"

    def __str__(self) -> str:
        if self.free:
            return f"Answered from an earlier release: free. {left(self.left)} of the budget left."
        currency = f" ({self.currency_words})" if self.currency_words else ""
        alone = f"This release alone: {self.loss_words}. "
        return f"{alone}Used {share(self.share)} of the budget{currency}; {left(self.left)} left."


def share(part: Fraction) -> str:
    """A share that was used, to a tenth of a percent, or to two digits where it is smaller."""
    hundredths = 100 * part
    return f"{float(hundredths):.1f}%" if hundredths >= Fraction(1, 10) or not part else f"{float(hundredths):.2g}%"


def left(part: Fraction) -> str:
    """A share that is left, rounded down, so that no more is promised than there is."""
    hundredths = 100 * part
    if hundredths >= Fraction(1, 10) or not part > 0:
        tenths = floor(10 * hundredths)
        return f"{tenths // 10}.{tenths % 10}%" if tenths > 0 else "0%"
    return "less than 0.1%"
