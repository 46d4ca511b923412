"""Stage c: exclusive answers. Values, forms and errors that one of two neighbours has alone, however rare."""

from __future__ import annotations

from math import floor, inf

from tacit.audit.auditor import Stage
from tacit.audit.domain import tried_words
from tacit.audit.effort import Effort
from tacit.audit.exclusive.excess import Excess, least_chance
from tacit.audit.exclusive.search import Counted, Plan, drawn_about, hold, search, tests
from tacit.audit.exclusive.trait_words import trait_words
from tacit.audit.exclusive.traits import KINDS
from tacit.audit.finding import Finding, Outcome
from tacit.audit.stages.event import POWER
from tacit.audit.subject import Subject

NAME = "exclusive"


def look(subject: Subject, effort: Effort) -> Finding:
    """Search all pairs for what one data set alone shows, then hold the best of it against fresh answers.

    Claim: a subject that keeps its claim is called broken with probability at most the alarm rate. Proof: what is held
    is chosen before the fresh answers are drawn, and each test keeps its share of the rate (see `Excess`).
    """
    bits = effort.bits(23)
    plan = Plan.of(subject, effort, bits)
    tried = tests(subject.claim, plan, effort.alarm_rate)
    made = search(subject, plan, tried[0].claimed.epsilon, bits, effort.watch)
    searched = plan.searched * drawn_about(plan.pairs)
    held = hold(subject, made.candidates, plan.fresh, bits) if made.candidates else []
    for found, test in zip(held, tried, strict=False):
        if test.breaks(found.hits, found.strays):
            return _fault(found, test, effort.alarm_rate, searched)
    words = "Nothing that one data set shows is beyond what its neighbour may show." + effort.shortfall(plan.answers)
    if made.unread:
        words += f" Not searched: {'; '.join(sorted(made.unread))}."
    seen = _could_see(least_chance(made.noticed, plan.searched, tried[0]), tried_words(plan.pairs))
    samples = searched + (plan.fresh if made.candidates else 0)
    return Finding(NAME, Outcome.PASSED, words, effort.alarm_rate, seen, samples=samples)


def _could_see(chance: float, pairs: str) -> str:
    if chance == inf:
        return "nothing at this claim with so few answers"
    return (
        f"an answer that one data set gives once in {floor(1 / chance):,} times or oftener and its neighbour never, "
        f"with power {POWER:.0%}, on {pairs} (searched: {KINDS})"
    )


def _fault(found: Counted, test: Excess, alarm_rate: float, searched: int) -> Finding:
    traits = sorted(map(trait_words, found.candidate.traits))
    what = traits[0][0].upper() + traits[0][1:]
    if len(traits) > 1:
        what = f"{len(traits):,} things that the search saw with one data set only, such as {traits[0]}"
    words = (
        f"{what}: in {found.hits:,} of {found.runs:,} fresh answers about one data set, "
        f"in {found.strays:,} of {found.others:,} about its neighbour"
    )
    pair = found.candidate.pair if found.candidate.is_first else found.candidate.pair[::-1]
    return Finding(
        NAME,
        Outcome.BROKEN,
        words,
        alarm_rate,
        "",
        test.epsilon(found.hits, found.strays),
        test.claimed.delta,
        searched + test.answers,
        evidence={
            "hits": found.hits,
            "runs": found.runs,
            "strays": found.strays,
            "others": found.others,
            "traits": traits[:20],
        },
        pair=pair,
    )


EXCLUSIVE = Stage(NAME, lambda subject: bool(subject.pairs), look)
