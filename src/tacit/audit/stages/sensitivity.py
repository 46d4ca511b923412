"""Stage a: the declared sensitivity against all small neighbours. What it says it proves."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from fractions import Fraction
from itertools import chain, zip_longest
from math import sqrt
from typing import Any

from tacit.audit.auditor import Stage
from tacit.audit.effort import Effort
from tacit.audit.finding import Finding, Outcome
from tacit.audit.stages.neighbours import small_pairs
from tacit.audit.stages.outcomes import key_of
from tacit.audit.subject import Data, Norm, Subject
from tacit.loss.families.loss import Relation

NAME = "sensitivity"


def size_of(moved: tuple[int, ...], norm: Norm) -> Fraction:
    """The length of a difference in this norm; of the ℓ₂ norm the square, which is exact."""
    if norm == "l1":
        return Fraction(sum(map(abs, moved)))
    return Fraction(sum(part * part for part in moved) if norm == "l2" else max(map(abs, moved), default=0))


def differences(subject: Subject, relation: Relation) -> Iterator[tuple[tuple[int, ...], Data, Data]]:
    """How far the statistic moves between neighbours: the subject's own pairs under its relation, and small ones."""
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
    """The difference; a statistic of another length is as far off as one padded with zeros, at least."""
    return tuple(a - b for a, b in zip_longest(left, right, fillvalue=0))


def look(subject: Subject, effort: Effort) -> Finding:
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
        except Exception as error:  # whatever it raises, it is the audited code's own
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
