"""Stage (c), exclusive answers: values, forms and errors that occur under one of two neighbours only, even if rare."""

from __future__ import annotations

from collections.abc import Hashable
from math import floor, inf

from tacit.audit.auditor import Effort, Stage
from tacit.audit.event_counts import POWER
from tacit.audit.neighbours import tried_words
from tacit.audit.stages.exclusive_search import (
    CandidateCounts,
    Excess,
    SearchPlan,
    drawn_about,
    hold,
    least_chance,
    search,
    tests,
)
from tacit.audit.stages.exclusive_traits import KINDS, NOT_SEARCHED, Trait
from tacit.audit.subject import AuditSubject, Raised
from tacit.audit.verdict import Finding, Outcome

_KINDS = {
    "answer": "the answer",
    "error": "an error of type",
    "word": "the word",
    "start": "a text that starts with",
    "end": "a text that ends in",
}


def trait_words(trait: Trait) -> str:
    """A trait in words."""
    kind, key = trait
    if kind == "part" and isinstance(key, tuple):
        return f"{_shown(key[1])} as {_path_words(key[0])}"
    if kind == "part's form" and isinstance(key, tuple):
        return f"{_form_words(key[1])} as {_path_words(key[0])}"
    if kind == "form":
        return f"an answer that is {_form_words(key)}"
    if kind == "answer" and isinstance(key, tuple) and key[0] in ("float", "int", "bool"):
        return f"the answer {_shown(key)} ({key[0]})"
    if kind == "member":
        return f"{_shown(key)} in the answer"
    if kind == NOT_SEARCHED:
        return f"an answer with {key}"
    return f"{_KINDS[kind]} {_shown(key)}"


def _path_words(path: tuple[tuple[str, Hashable], ...]) -> str:
    """The place of a part, from the inside: “part 2 of the part 'rows' of the answer”."""
    return " of ".join([*(_step_words(*step) for step in reversed(path)), "the answer"])


def _step_words(kind: str, step: Hashable) -> str:
    if kind == "place" and isinstance(step, int):
        return f"part {step + 1}"
    names = {"value": "the part ", "attribute": "the attribute "}
    return names[kind] + _shown(step) if kind in names else f"a {kind}"


def _form_words(form: Hashable) -> str:
    if isinstance(form, tuple):
        return f"of type {form[0]} and {'shape' if form[0] == 'array' else 'length'} {form[1]}"
    return f"of type {form}"


def _shown(key: Hashable) -> str:
    words = _plain(key)
    return words if len(words) <= 60 else words[:57] + "…"


def _plain(key: Hashable) -> str:
    """The value of a key."""
    if isinstance(key, tuple) and len(key) == 2:
        name, value = key
        if name in ("list", "tuple", "set", "mapping") and isinstance(value, (tuple, frozenset)):
            around = {"list": "[%s]", "tuple": "(%s)"}.get(name, "{%s}")
            parts = (": ".join(map(_plain, each)) if name == "mapping" else _plain(each) for each in value)
            return around % ", ".join(parts)
        if isinstance(value, Raised):
            return f"“{value}”"
        return str(value) if name == "float" else repr(value)
    if isinstance(key, tuple) and len(key) == 3:
        return f"array({', '.join(map(_plain, key[2]))})" if isinstance(key[2], tuple) else str(key)
    return str(key)


NAME = "exclusive"


def look(subject: AuditSubject, effort: Effort) -> Finding:
    """Search all pairs for traits that one data set alone shows, then test the best of them on fresh answers.

    Claim: a subject that keeps its claim is called broken with probability at most the alarm rate. Proof: the traits
    tested are chosen before the fresh answers are drawn, and each test keeps its share of the rate (see `Excess`).
    """
    bits = effort.bits(23)
    plan = SearchPlan.of(subject, effort, bits)
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


def _fault(found: CandidateCounts, test: Excess, alarm_rate: float, searched: int) -> Finding:
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
