"""The laws of a desk's books, checked on long adaptive sequences of questions by several analysts; and the canary test.

Answers never cost less than the books show, nor more than the budget; repeats are free and release nothing new; a
refusal costs nothing and releases nothing; a cancelled run is not refunded. These laws are deterministic. The canary
test measures how far whole sequences of answers with and without one person lie apart, in units of the noise that is
stated for them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import numpy as np

from tacit.audit.sequences.desk import Desk, Reply
from tacit.errors import Refused
from tacit.frozen import frozen

_REPEATED, _CANCELLED = 0.25, 0.1
_PRICES = (Fraction(1, 100), Fraction(1, 20), Fraction(1, 5))
_GREEDY = Fraction(1, 4)
_ASKED_AT_THE_END = 16


@frozen(eq=False)
class QuestionSequence:
    """A sequence of questions to a desk, and the violations of laws."""

    desk: Desk
    question: Callable[[np.random.Generator, float], str]
    generator: np.random.Generator

    def faults(self, questions: int) -> Iterator[str]:
        """Every violation, in words; the sequence continues after one."""
        analysts = sorted(self.desk.limits())
        answered: dict[tuple[str, Fraction], Reply] = {}
        told: set[float] = set()
        paid: set[tuple[str, str, Fraction]] = set()  # and cancelled: that is its answer when asked again, for free
        said, hint = Fraction(0), 0.5
        for turn in range(questions):
            analyst = analysts[int(self.generator.integers(len(analysts)))]
            if answered and self.generator.random() < _REPEATED:
                sql, price = list(answered)[int(self.generator.integers(len(answered)))]
                yield from self._repeat(analyst, sql, price, answered[sql, price], told, turn)
                continue
            sql, price = self.question(self.generator, hint), _PRICES[int(self.generator.integers(len(_PRICES)))]
            cancel = turn == 0 or self.generator.random() < _CANCELLED  # the first has no stored answer to fall back on
            before = self.desk.used()
            reply = self.desk.ask(analyst, sql, price, cancel=cancel)
            asked = (analyst, sql, price)
            already = asked in paid and self.desk.used() == before
            due = Fraction(0) if already else reply.share
            if reply.is_failed:
                paid.add(asked)
            elif already and reply.share:
                paid.remove(asked)
            yield from self._booked(before, reply, due, turn)
            said += due
            if self.desk.used() < said:
                yield f"question {turn}: the books show less than the answers so far cost"
            yield from self._within()
            told.update(cell.value for cell in reply.cells)
            if reply.cells:
                answered[sql, price] = reply
                hint = float(abs(reply.cells[0].value) % 1000) / 1000
        yield from self._exhausted(analysts, answered, told)

    def _booked(self, before: Fraction, reply: Reply, due: Fraction, turn: int) -> Iterator[str]:
        after = self.desk.used()
        if reply.is_refused and (after != before or reply.cells):
            yield f"question {turn}: a refusal cost something or said something"
        if reply.is_failed and (reply.cells or after < before):
            yield f"question {turn}: a cancelled run said something or gave back what was spent"
        if not reply.is_refused and after - before != due:
            yield f"question {turn}: the books moved by another amount than the price"

    def _repeat(
        self, analyst: str, sql: str, price: Fraction, first: Reply, told: set[float], turn: int
    ) -> Iterator[str]:
        """A free reply releases nothing new: it equals the first reply, or that to a more expensive question since."""
        before = self.desk.used()
        reply = self.desk.ask(analyst, sql, price)
        if reply.share or self.desk.used() != before:
            yield f"question {turn}: a repeat was charged"
        if reply.cells != first.cells and not told.issuperset(cell.value for cell in reply.cells):
            yield f"question {turn}: a repeat was answered differently"

    def _within(self) -> Iterator[str]:
        if self.desk.used() > 1:
            yield "more was used than the budget"
        for analyst, limit in self.desk.limits().items():
            if self.desk.used_by(analyst) > limit:
                yield f"{analyst} used more than the share allotted"

    def _exhausted(
        self, analysts: list[str], answered: dict[tuple[str, Fraction], Reply], told: set[float]
    ) -> Iterator[str]:
        """Every analyst asks more and more expensive questions until refused; then repeats must still be free."""
        for analyst in analysts:
            for doubled in range(_ASKED_AT_THE_END):
                before = self.desk.used()
                reply = self.desk.ask(
                    analyst, self.question(self.generator, self.generator.random()), _GREEDY * 2**doubled
                )
                told.update(cell.value for cell in reply.cells)
                yield from self._booked(before, reply, reply.share, -1)
                yield from self._within()
                if reply.is_refused:
                    break
            else:
                yield f"{analyst} was never refused, however dear the questions"
        for (sql, price), first in list(answered.items())[:3]:
            yield from self._repeat(analysts[0], sql, price, first, told, -1)


@frozen
class Apart:
    """The squared distance of two worlds' answers over the variance of their difference, with its law.

    If answer i has Gaussian noise of the stated σ_i and the worlds' true values differ by d_i, the distance is
    chi-square with Σ d_i²/2σ_i² as noncentrality. Releases that cost ρ in total have Σ d_i²/2σ_i² ≤ ρ.
    """

    distance: float
    cells: int
    rho: float

    def is_too_far(self, alarm_rate: float) -> bool:
        """Whether a distance this large has at most this probability under the claimed ρ."""
        from scipy.stats import ncx2

        return bool(ncx2.sf(self.distance, self.cells, max(self.rho, 1e-12)) <= alarm_rate)

    def is_too_near(self, alarm_rate: float) -> bool:
        """Whether a distance this small has at most this probability: the noise is then less than stated."""
        from scipy.stats import chi2

        return bool(chi2.cdf(self.distance, self.cells) <= alarm_rate)

    def least_seen(self, alarm_rate: float, power: float = 0.9) -> float:
        """The least true Σ d²/2σ² that is called too far with this probability."""
        from scipy.optimize import brentq
        from scipy.stats import ncx2

        edge = ncx2.isf(alarm_rate, self.cells, max(self.rho, 1e-12))
        top = self.rho + 10 * edge + 100
        return float(brentq(lambda true: ncx2.sf(edge, self.cells, true) - power, 1e-9, top))


def apart_by(with_person: Sequence[Reply], without: Sequence[Reply]) -> Apart:
    """The distance of two worlds' replies to the same questions."""
    distance, cells, rho = 0.0, 0, 0.0
    for one, other in zip(with_person, without, strict=True):
        if (one.is_refused, one.share, len(one.cells)) != (other.is_refused, other.share, len(other.cells)):
            raise Refused(
                "replies of different kinds or prices", "A person's presence shows in them.", "the same kinds."
            )
        rho += one.rho
        for a, b in zip(one.cells, other.cells, strict=True):
            spread = a.deviation**2 + b.deviation**2
            if not spread and a.value == b.value:
                continue  # both intervals were cut to the same bound, so they do not show the noise
            distance += (a.value - b.value) ** 2 / spread if spread else math.inf
            cells += 1
    if not cells:
        raise Refused("replies without numbers", "There is nothing to compare.", "answers with stated noise.")
    return Apart(distance if math.isfinite(distance) else math.inf, cells, rho)


def ask_all(desk: Desk, questions: Sequence[str], epsilon: Fraction, times: int) -> list[Reply]:
    """Every question so many times, with fresh noise each time."""
    analyst = max(desk.limits(), key=lambda name: desk.limits()[name])
    return [desk.ask(analyst, sql, epsilon, fresh=True) for sql in questions for _ in range(times)]
