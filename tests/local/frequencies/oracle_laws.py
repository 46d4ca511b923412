"""Laws of every frequency oracle for few options, in fractions: the support probabilities, by enumeration."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
from scipy.stats import chisquare

from tacit.local.frequencies.oracle import Oracle
from tacit.noise.bits import Seeded


def supported(oracle: Oracle) -> dict[tuple[int, ...], list[int]]:
    """Which options each report supports, as the oracle's own decoding of that one report says."""
    return {report: oracle.estimate(np.array([report], np.uint64)).counts.tolist() for report in oracle.alphabet()}


def support_rates(oracle: Oracle) -> tuple[set[Fraction], set[Fraction]]:
    """All values of P(v is supported | v is true), and of P(v is supported | w is true) for w ≠ v."""
    held = supported(oracle)
    hits, strays = set(), set()
    for answer in range(oracle.options):
        given = {report: oracle.probability(answer, report) for report in held}
        for option in range(oracle.options):
            rate = sum((given[report] for report in held if held[report][option]), Fraction(0))
            (hits if option == answer else strays).add(rate)
    return hits, strays


def fit_of_draws(oracle: Oracle, answer: int, people: int, seed: int) -> float:
    """The chi-square p-value of many rows drawn at once against the stated probabilities."""
    rows = oracle.rehearse(np.full(people, answer), Seeded(seed))
    drawn = Counter(map(tuple, rows.tolist()))
    law = {report: float(oracle.probability(answer, report)) for report in oracle.alphabet()}
    assert drawn.keys() <= law.keys(), "a report outside the alphabet"
    observed, expected = [drawn[report] for report in law], [people * mass for mass in law.values()]
    return float(chisquare(observed, expected).pvalue)
