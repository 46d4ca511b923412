"""Whether the law that is claimed for the noise costs what is claimed, at the distances that neighbours really have.

It follows stage a and draws nothing: a false price of the right noise is proven false by one test of the two laws.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import inf, log

from tacit.audit.auditor import Stage
from tacit.audit.effort import Effort
from tacit.audit.finding import Finding, Outcome
from tacit.audit.stages.sensitivity import differences
from tacit.audit.subject import Subject
from tacit.noise.ball import START_BITS, ball, precision, up
from tacit.noise.law import Law

NAME = "price"
_DEPTHS = (1, 2, 3, 5, 8, 12, 16, 20, 25, 30, 35, 40)  # thresholds lie where the law's tails are 2^-depth
_FARTHEST = 1  # so many of the differences are priced: the longest in ℓ₁ and in one coordinate


def look(subject: Subject, effort: Effort) -> Finding:
    """Broken iff some test between two neighbours is better than the claim admits.

    The test says "the first" when the noisy numbers all lie beyond thresholds on the side to which they moved. Its
    false alarms and hits are products of exact tails of the law, rounded against the verdict: what it says is proven.
    """
    additive = subject.additive
    assert additive is not None
    tests = 0
    for moved in _longest(subject):
        for alarm, miss in _tests(additive.law, moved):
            tests += 1
            admitted = subject.claim.tradeoff(Fraction(alarm)) if alarm < 1 else 0.0
            if miss < admitted:
                bound = log((1 - miss) / alarm) if alarm > 0 else inf
                words = (
                    f"Noise of this law at a distance of {list(moved)} steps admits a test with false-alarm rate"
                    f" {alarm:.3g} and miss rate {miss:.3g}, where the claim admits {admitted:.3g} at least"
                )
                return Finding(NAME, Outcome.BROKEN, words, epsilon=bound, evidence={"moved": list(moved)})
    words = f"None of {tests} threshold tests between the exact laws beats the claim."
    return Finding(NAME, Outcome.PASSED, words, could_see="any excess that a threshold test shows")


def _longest(subject: Subject) -> list[tuple[int, ...]]:
    found = {tuple(map(abs, moved)) for moved, _, _ in differences(subject, subject.relation)} - {()}
    by_sum, by_part = (sorted(found, key=size, reverse=True)[:_FARTHEST] for size in (sum, max))
    return list(dict.fromkeys(moved for moved in [*by_sum, *by_part] if any(moved)))


def _tests(law: Law, moved: tuple[int, ...]) -> Iterator[tuple[float, float]]:
    """(false-alarm rate, miss rate) of some tests, each rounded up; symmetric laws need one direction only."""
    steps = [step for step in moved if step]
    for depth in _DEPTHS:
        edge = law.quantile(1 - Fraction(1, 1 << depth)) + 1
        for back in (0, 1):
            with precision(START_BITS):
                alarm = hit = ball(1)
                for step in steps:
                    start = edge - back * (step // 2)
                    alarm, hit = alarm * law.tail(start + step), hit * law.tail(start)
                yield min(1.0, up(alarm)), up(1 - hit)


PRICE = Stage(NAME, lambda subject: subject.additive is not None, look)
