"""Stage (a), sensitivity and price: the declared sensitivity against all small neighbours, then the noise's price.

Neighbours are all small data sets over a few rows, under either relation. The finding of the sensitivity stage is a
proof. The price stage follows it and draws nothing: a false price of the right noise is refuted by one test of the two
distributions, at distances that neighbours have.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, product, zip_longest
from math import inf, log, sqrt
from typing import Any

import numpy as np

from tacit.audit.auditor import Effort, Stage
from tacit.audit.event_counts import key_of
from tacit.audit.subject import AuditSubject, Data, Norm
from tacit.audit.verdict import Finding, Outcome
from tacit.loss.families.loss import Relation
from tacit.noise.ball import START_BITS, ball, precision, up
from tacit.noise.law import Law

_MOST_SETS = 400
_MOST_ROWS = 4


def small_pairs(subject: AuditSubject, relation: Relation) -> Iterator[tuple[Data, Data]]:
    """Every data set of a few rows with every neighbour of it; none where data are not lists of rows.

    Rows come from the subject's universe, else from its own pairs. Under replace the number of rows is public, so only
    the numbers that its pairs have are tried. The order of rows counts: data come as they are stored.
    """
    rows, sizes = _rows(subject), _sizes(subject, relation)
    if not rows:
        return
    wrap = np.array if isinstance(subject.pairs[0][0], np.ndarray) else type(subject.pairs[0][0])
    for size in sizes:
        while len(rows) ** size > _MOST_SETS and len(rows) > 2:
            rows = rows[:-1]
        if len(rows) ** size > _MOST_SETS:
            continue
        for chosen in product(rows, repeat=size):
            for other in _neighbours(chosen, rows, relation):
                yield wrap(chosen), wrap(other)


def _neighbours(chosen: tuple[Any, ...], rows: Sequence[Any], relation: Relation) -> Iterator[tuple[Any, ...]]:
    if relation is Relation.ADD_REMOVE:
        for place in range(len(chosen)):
            yield chosen[:place] + chosen[place + 1 :]
        return
    for place, row in product(range(len(chosen)), rows):
        yield (*chosen[:place], row, *chosen[place + 1 :])


def _rows(subject: AuditSubject) -> list[Any]:
    if not all(isinstance(data, (list, tuple, np.ndarray)) for pair in subject.pairs for data in pair):
        return []
    if subject.universe:
        return list(subject.universe)
    found: list[Any] = []
    for row in (row for pair in subject.pairs for data in pair for row in data):
        if not any(row is known or np.array_equal(row, known) for known in found):
            found.append(row)
    return found


def _sizes(subject: AuditSubject, relation: Relation) -> list[int]:
    if relation is Relation.ADD_REMOVE and subject.relation is Relation.ADD_REMOVE:
        return list(range(1, _MOST_ROWS + 1))
    sizes = {len(data) for pair in subject.pairs for data in pair if hasattr(data, "__len__")}
    return sorted(size for size in sizes if size > 0)


NAME = "sensitivity"


def size_of(moved: tuple[int, ...], norm: Norm) -> Fraction:
    """The length of a difference in this norm; of the ℓ₂ norm the square, which is exact."""
    if norm == "l1":
        return Fraction(sum(map(abs, moved)))
    return Fraction(sum(part * part for part in moved) if norm == "l2" else max(map(abs, moved), default=0))


def differences(subject: AuditSubject, relation: Relation) -> Iterator[tuple[tuple[int, ...], Data, Data]]:
    """The differences of the statistic between neighbours: the subject's own pairs, and small data sets."""
    additive = subject.additive
    if additive is None:
        return
    known: dict[Hashable, list[int]] = {}

    def statistic(data: Data) -> list[int]:
        key = key_of(data)
        if key not in known:
            known[key] = [int(part) for part in additive.statistic(data)]
        return known[key]

    own = subject.pairs if relation is subject.relation else ()
    for one, other in chain(own, small_pairs(subject, relation)):
        yield _moved(statistic(one), statistic(other)), one, other


def _moved(left: list[int], right: list[int]) -> tuple[int, ...]:
    """The difference; a statistic of another length is padded with zeros."""
    return tuple(a - b for a, b in zip_longest(left, right, fillvalue=0))


def look(subject: AuditSubject, effort: Effort) -> Finding:
    """Broken iff two neighbours are farther apart than declared, or the statistic fails on one."""
    additive = subject.additive
    assert additive is not None
    tried, far = 0, {}
    for relation in Relation:
        worst, where = Fraction(-1), None
        try:
            for moved, one, other in differences(subject, relation):
                tried += 1
                if (size := size_of(moved, additive.norm)) > worst:
                    worst, where = size, (one, other)
        except Exception as error:  # any exception is raised by the audited code
            if relation is subject.relation:
                return Finding(NAME, Outcome.BROKEN, f"The statistic raises {type(error).__name__} on some data")
            continue
        far[relation] = (worst, where)
    worst, where = far[subject.relation]
    declared = additive.sensitivity**2 if additive.norm == "l2" else additive.sensitivity
    evidence: dict[str, Any] = {f"largest under {r}": _length(size, additive.norm) for r, (size, _) in far.items()}
    if worst > declared:
        words = (
            f"Neighbours under {subject.relation} lie {_length(worst, additive.norm):g} steps apart in {additive.norm},"
            f" not {float(additive.sensitivity):g} as declared"
        )
        return Finding(NAME, Outcome.BROKEN, words, evidence=evidence, samples=tried, pair=where)
    words = f"Of {tried} pairs none lies farther apart than declared."
    return Finding(NAME, Outcome.PASSED, words, could_see="any excess on these pairs", samples=tried, evidence=evidence)


def _length(size: Fraction, norm: Norm) -> float:
    return sqrt(size) if norm == "l2" and size > 0 else float(size)


SENSITIVITY = Stage(NAME, lambda subject: subject.additive is not None, look)


PRICE_NAME = "price"
_DEPTHS = (1, 2, 3, 5, 8, 12, 16, 20, 25, 30, 35, 40)  # thresholds lie where the law's tails are 2^-depth
_FARTHEST = 1  # number of differences that are priced: the largest in ℓ₁ and in one coordinate


def look_at_price(subject: AuditSubject, effort: Effort) -> Finding:
    """Broken iff some test between two neighbours is better than the claim admits.

    The test says "the first" when the noisy numbers all lie beyond thresholds on the side to which they moved. Its
    false alarms and hits are products of exact tails of the law, rounded against the verdict, so the finding is a
    proof.
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
                return Finding(PRICE_NAME, Outcome.BROKEN, words, epsilon=bound, evidence={"moved": list(moved)})
    words = f"None of {tests} threshold tests between the exact laws beats the claim."
    return Finding(PRICE_NAME, Outcome.PASSED, words, could_see="any excess that a threshold test shows")


def _longest(subject: AuditSubject) -> list[tuple[int, ...]]:
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


PRICE = Stage(PRICE_NAME, lambda subject: subject.additive is not None, look_at_price)
