"""How a yes among the reports comes about: all that an estimate must know of a yes-or-no design."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil

from tacit.errors import Refused
from tacit.exact import Number, probability, proper
from tacit.frozen import frozen
from tacit.local.polls.intervals.approximate import two_sided
from tacit.local.polls.intervals.method import Method
from tacit.local.polls.intervals.one_rate import rate_interval


@frozen
class Channel:
    """A report counts with probability `hit` if the answer is yes, and with `stray` if it is no."""

    hit: Fraction
    stray: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "hit", probability(self.hit, "hit"))
        object.__setattr__(self, "stray", probability(self.stray, "stray"))
        if self.hit == self.stray:
            raise Refused(
                f"a report that is yes with probability {self.hit} whatever the answer",
                "It tells nothing.",
                "a design in which the truth makes a difference.",
            )

    @property
    def contrast(self) -> Fraction:
        return self.hit - self.stray

    def rate(self, share: float) -> float:
        """λ: the rate of yes among the reports of a population with this share."""
        return float(self.stray) + float(self.contrast) * share

    def share(self, rate: float) -> float:
        """The share that would make this rate; beyond [0, 1] where no share does."""
        return (rate - float(self.stray)) / float(self.contrast)

    def variance(self, share: Number, people: int) -> float:
        """Of the estimate, for people drawn from a population with this share: λ(1−λ)/(n·(hit − stray)²)."""
        rate = self.rate(float(probability(share, "share")))
        return rate * (1 - rate) / (people * float(self.contrast) ** 2)

    def interval(self, count: float, people: float, confidence: Number, method: Method) -> tuple[float, float]:
        """The interval of the rate, read back as a share and cut to [0, 1].

        Claim: it holds the true share whenever the rate's interval holds the true rate. Proof: the share is a monotone
        function of the rate, and lies in [0, 1].
        """
        miss = float(1 - proper(confidence, "confidence"))
        ends = sorted(self.share(end) for end in rate_interval(count, people, miss, method))
        return min(1.0, max(0.0, ends[0])), max(0.0, min(1.0, ends[1]))

    def people_for(
        self, width: Number, confidence: Number = "0.95", share: Number | None = None, method: Method = Method.EXACT
    ) -> int:
        """How many people to ask so that the interval is no wider, at this share or at the one that needs most."""
        wanted, sure = float(proper(width, "width")), proper(confidence, "confidence")
        low, high = sorted((float(self.hit), float(self.stray)))
        rate = min(max(0.5, low), high) if share is None else self.rate(float(probability(share, "share")))
        reach = two_sided(float(1 - sure)) / (wanted * float(self.contrast))
        start = max(1, int(4 * rate * (1 - rate) * reach**2) // 2)

        def narrow(people: int) -> bool:
            low, high = rate_interval(round(people * rate), people, float(1 - sure), method)
            return high - low <= wanted * abs(float(self.contrast))

        return _first(narrow, start)

    def careless(self, share: Number, says: Number) -> Channel:
        """The channel of a population in which a share ignores the design and says yes with this probability."""
        astray, answer = probability(share, "share"), probability(says, "says")
        if not astray < 1:
            raise Refused("nobody who follows the design", "Nothing could be estimated.", "share < 1.")
        return Channel((1 - astray) * self.hit + astray * answer, (1 - astray) * self.stray + astray * answer)


def _first(claim: Callable[[int], bool], start: int) -> int:
    """The least integer from `start` with the claim, for a claim that soon stays true: gallop, then bisect."""
    low, high = start, start
    while not claim(high):
        low, high = high, ceil(high * 1.25) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if claim(middle) else (middle, high)
    return high
