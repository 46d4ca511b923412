"""The published numerical analysis of clones, at its own settings: ε and seconds.

This reimplements apple/ml-shuffling-amplification from its description (arXiv
2012.12803 §5): bisection of ε in ten steps; for every ε a walk over the numbers of clones in steps of 100, where each
step is bounded by the worse of its two ends, by scipy's binomial tails; it ends once the clones left over weigh less
than the δ found. As published it walks outwards from n/2, which takes minutes (the upper end at one ε₀ is enough of
that); here also, faster, from the mean number of clones.
"""

import json
import math
import sys
from pathlib import Path
from time import perf_counter

from scipy.stats import binom

sys.path.insert(0, str(Path(__file__).parent.parent))

from shuffle_cases import CLONES, DELTA, PATIENT

ROUNDS, STEP = 10, 100


def gains(clones, epsilon, local):
    """P−e^ε·Q of the best test given this many clones, in both directions."""
    true, factor = 1 / (1 + math.exp(-local)), math.exp(epsilon)
    ratio = ((factor + 1) * true - 1) / ((factor + 1) * true - factor)
    found = []
    for share, forth in ((1 / (ratio + 1), True), (ratio / (ratio + 1), False)):
        cut = share * (clones + 1)
        same, less = binom.cdf(cut, clones, 0.5), binom.cdf(cut - 1, clones, 0.5)
        p, q = true * same + (1 - true) * less, (1 - true) * same + true * less
        found.append(p - factor * q if forth else (1 - q) - factor * (1 - p))
    return found


def delta_of(people, local, epsilon, enough, start, upper):
    chance, pick = math.exp(-local), max if upper else min
    totals, seen = [0.0, 0.0], 0.0
    low, high = start, start - 1
    while low > 0 or high < people - 1:
        ranges = []
        if high < people - 1:
            ranges.append((high + 1, min(high + STEP, people - 1)))
        if low > 0:
            ranges.append((max(low - STEP, 0), low - 1))
        for first, last in ranges:
            if max(totals) > enough:
                return enough
            if 1 - seen < min(totals):
                return max(totals) + (1 - seen if upper else 0)
            mass = binom.cdf(last, people - 1, chance) - binom.cdf(first, people - 1, chance)
            mass += binom.pmf(first, people - 1, chance)
            ends = gains(last, epsilon, local), gains(first, epsilon, local)
            totals = [total + mass * pick(a, b) for total, a, b in zip(totals, *ends, strict=True)]
            seen += mass
        low, high = min(low, *(first for first, _ in ranges)), max(high, *(last for _, last in ranges))
    return max(totals)


def closed_form(people, local, delta):
    """The start of the bisection: the paper's own bound, where it holds."""
    if not local < math.log(people / (16 * math.log(4 / delta))):
        return local
    a, c = 8 * math.sqrt(math.exp(local) * math.log(4 / delta) / people), 8 * math.exp(local) / people
    return math.log(1 + (1 - math.exp(-local)) / (1 + math.exp(-local) / (1 + a + c)) * (a + c))


def epsilon_of(people, local, delta, start, upper):
    low, high = 0.0, closed_form(people, local, delta)
    for _ in range(ROUNDS):
        middle = (low + high) / 2
        if delta_of(people, local, middle, delta, start, upper) < delta:
            high = middle
        else:
            low = middle
    return high


measured = {}
for people, local in CLONES:
    mean = round((people - 1) * math.exp(-local))
    for name, start, upper in (("published", people // 2, True), ("upper", mean, True), ("lower", mean, False)):
        if name == "published" and local != PATIENT:
            continue
        before = perf_counter()
        measured[f"{people} {local} {name} epsilon"] = epsilon_of(people, local, DELTA, start, upper)
        measured[f"{people} {local} {name} seconds"] = perf_counter() - before
print(json.dumps(measured))
