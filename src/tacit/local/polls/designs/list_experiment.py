"""The list experiment: respondents count the true items of a list; one group's list has the sensitive item."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tacit.errors import Refused
from tacit.exact import Number, proper, whole
from tacit.frozen import frozen
from tacit.local.polls.designs.design import Design, Protection, by_group
from tacit.local.polls.designs.wording import Group, QuestionPart, Wording
from tacit.local.polls.estimation.prevalence import PollFinding, share_words
from tacit.local.polls.estimation.rate_interval import two_sided
from tacit.local.polls.estimation.two_rates import order_surprise
from tacit.local.polls.estimation.yes_no_channel import Heard, read_reports


@frozen
class ListExperiment(Design):
    """Group 0 counts which of J innocuous items are true, group 1 which of these and the sensitive one.

    π̂ is the difference of the mean counts (Miller 1984), with variance s₁²/n₁ + s₀²/n₀. Claim: none; the answer “all”
    reveals a yes, “none” a no: ε is infinite against anyone.
    """

    title: ClassVar[str] = "List experiment"
    items: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", whole(self.items, "items"))
        if not self.items:
            asked, why = "a list without innocuous items", "The sensitive one would stand alone."
            raise Refused(asked, why, '--item "I own a bicycle" --item "I like tea" …; three to five are usual.')

    @property
    def protection(self) -> Protection:
        return Protection(None, "whoever says “none” or “all” has answered every item, the sensitive one included")

    def describe(self) -> str:
        return f"{self.title}, {self.items} innocuous items"

    def groups(self, wording: Wording) -> tuple[Group, ...]:
        if len(wording.items) != self.items:
            raise Refused(
                f"a list of {len(wording.items)} items",
                f"The design counts {self.items}.",
                f"items = [ … ] with {self.items} innocuous statements.",
            )
        listed = _alike((*wording.items, wording.text))
        return _count(listed[:-1], asks=False), _count(listed, asks=True)

    def estimate(self, control: Sequence[Any] | ArrayLike, treated: Sequence[Any] | ArrayLike) -> ListedPrevalence:
        """The share of yes, from the counts of the shorter list and of the longer one; None is missing."""
        short, long = read_reports(control, most=self.items), read_reports(treated, most=self.items + 1)
        return _compared(short, long, self.items)

    def findings(
        self, wording: Wording, answers: Sequence[tuple[int, Any]], weights: ArrayLike | None = None
    ) -> tuple[PollFinding, ...]:
        short, long = by_group(answers, weights, (self.items, self.items + 1))
        return (PollFinding(wording.options[1], _compared(short, long, self.items)),)

    def people_for(self, width: Number, confidence: Number = "0.95", variance: Number | None = None) -> int:
        """How many people to ask in all, half with each list, if counts vary so much (default: J/4 + 1/4)."""
        wanted, miss = float(proper(width, "width")), float(1 - proper(confidence, "confidence"))
        assumed = self.items / 4 if variance is None else float(variance)
        return ceil(2 * (2 * assumed + 0.25) * (2 * two_sided(miss) / wanted) ** 2)


@frozen
class ListedPrevalence:
    """An estimated share: means and variances of the two lists' counts, and the number of people with each count.

    With survey weights the means are weighted, and a variance over the number of people is that of the weighted mean.
    """

    means: tuple[float, float]
    variances: tuple[float, float]
    tallies: tuple[tuple[int, ...], tuple[int, ...]]
    """People by their count, from 0 to all items and the sensitive one; the shorter list first."""

    missing: int = 0

    @property
    def people(self) -> tuple[int, int]:
        return sum(self.tallies[0]), sum(self.tallies[1])

    @property
    def value(self) -> float:
        return self.means[1] - self.means[0]

    @property
    def standard_error(self) -> float:
        return sqrt(sum(variance / people for variance, people in zip(self.variances, self.people, strict=True)))

    def interval(self, confidence: Number = "0.95") -> tuple[float, float]:
        """Welch's interval, with Student's quantile for two samples of unequal variance; cut to [0, 1]."""
        from scipy.stats import t

        parts = [variance / people for variance, people in zip(self.variances, self.people, strict=True)]
        if not all(np.isfinite(parts)):
            return 0.0, 1.0
        spread = sum(part**2 / (people - 1) for part, people in zip(parts, self.people, strict=True))
        freedom = sum(parts) ** 2 / spread if spread else np.inf
        reach = float(t.ppf(1 - float(1 - proper(confidence, "confidence")) / 2, freedom)) * self.standard_error
        return min(1.0, max(0.0, self.value - reach)), max(0.0, min(1.0, self.value + reach))

    def surprise(self) -> float:
        """As of `Prevalence`: the longer list's counts are nowhere below the shorter's, nor above by more than one."""
        short, long = self.tallies
        return order_surprise(long, short) if self.value < 0 else order_surprise((0, *short[:-1]), long)

    def describe(self, confidence: Number = "0.95") -> str:
        heard = f"{self.people[0]:,} and {self.people[1]:,} answers"
        heard += f", {self.missing:,} missing" if self.missing else ""
        return f"{share_words(self, confidence)} ({heard})"

    def tally(self) -> dict[str, Any]:
        counts = [sum(number * people for number, people in enumerate(tally)) for tally in self.tallies]
        return {"answers": list(self.people), "missing": self.missing, "count": counts}

    def __str__(self) -> str:
        return self.describe()


def _compared(short: Heard, long: Heard, items: int) -> ListedPrevalence:
    means, variances = zip(_moments(short), _moments(long), strict=True)
    tallies = (_tally(short, items), _tally(long, items))
    return ListedPrevalence(means, variances, tallies, short.missing + long.missing)


def _tally(heard: Heard, items: int) -> tuple[int, ...]:
    return tuple(np.bincount(heard.reports, minlength=items + 2).tolist())


def _moments(heard: Heard) -> tuple[float, float]:
    """The mean, and its estimated variance times the number of people."""
    people = heard.people if heard.weights is None else int(np.count_nonzero(heard.weights))
    shares = np.full(heard.people, 1 / heard.people) if heard.weights is None else heard.weights / heard.weights.sum()
    mean = float(shares @ heard.reports)
    if people < 2:
        return mean, np.inf
    return mean, float(np.sum((shares * (heard.reports - mean)) ** 2)) * people / (people - 1) * heard.people


def _alike(items: tuple[str, ...]) -> tuple[str, ...]:
    """All items in one form; the sensitive one, which is the last, must not stand out among the others."""
    plain = tuple(item.strip().removesuffix(".") for item in items)
    if len({item.casefold() for item in plain}) < len(plain):
        raise Refused("a list", "Two of its items are the same.", "items that differ.")
    asking = [item.endswith("?") for item in plain]
    if any(asking) and not all(asking):
        one = "a question" if asking[-1] else "no question"
        raise Refused(
            "a list of statements and questions",
            f"The sensitive item is {one}, and not all others are like it: it would stand out.",
            "statements throughout, such as “I have stolen” beside “I own a bicycle”; or questions throughout.",
        )
    return plain


def _count(items: tuple[str, ...], *, asks: bool) -> Group:
    listed = "\n".join(f"– {item}" for item in items)
    question = "do you answer with yes" if items[0].endswith("?") else "are true of you"
    words = f"How many of these {question}? Say only how many, not which.\n{listed}"
    hides = f"Nobody can tell from a number which of them it counts; but “0” says none of them, “{len(items)}” all."
    return Group((QuestionPart(words, tuple(map(str, range(len(items) + 1)))),), None, words, hides, asks)
