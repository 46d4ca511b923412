"""Traits of an answer: everything in it that could occur under one of two data sets only; the most promising ones."""

from __future__ import annotations

import gc
import re
from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterable, Iterator
from math import inf, log
from typing import Any, TypeAlias

import numpy as np
from scipy.special import betaincinv

from tacit.audit.answer_parts import is_compared_by_identity, is_whole, parts_inside, text_of
from tacit.audit.event_counts import DEEPEST, key_of
from tacit.audit.neighbours import Pair
from tacit.audit.subject import Raised
from tacit.frozen import frozen

Trait: TypeAlias = tuple[str, Hashable]
"""The kind of trait, and the trait."""

NOT_SEARCHED = "not searched"
"""The kind of trait for unread parts of an answer."""
KINDS = (
    "whole answers, their types and lengths, parts at any depth, members, words, starts and ends of texts and bytes, "
    "and errors"
)
_MOST_PARTS = 48
_MOST_WORDS = 16
_ENDS = (1, 2, 3, 4, 6, 8, 12, 16)
_PLAIN = (int, float, type(None))


def traits_of(answer: Any) -> set[Trait]:
    """The whole answer, its form, and its parts, the outer ones first; for an error its text.

    Parts that are not read give a trait of the kind “not searched”.
    """
    found: set[Trait] = {("answer", key_of(answer))}
    if isinstance(answer, Raised):
        found.add(("error", answer.name))
        found.update(("error", f"{answer.name} with the word {word}") for _, word in _words(answer.text))
        return found
    found.add(("form", form_of(answer)))
    if not isinstance(answer, _PLAIN):
        found.update(_inner(answer))
    return found


def _inner(answer: Any) -> Iterator[Trait]:
    waiting: deque[tuple[tuple[Hashable, ...], Any]] = deque([((), answer)])
    read = 0
    while waiting:
        path, value = waiting.popleft()
        if read > _MOST_PARTS:
            yield NOT_SEARCHED, f"parts of an answer after the first {_MOST_PARTS}"
            return
        read += 1
        if path:
            yield from _placed(path, value)
        if isinstance(value, _PLAIN):
            continue
        if isinstance(value, (str, bytes, bytearray)):
            yield from _words(value)
            yield from _ends(value)
            continue
        room = _MOST_PARTS + 2 - read - len(waiting)  # one more than are read, so that a remainder is noticed
        if room <= 0:
            continue
        inside = [((*path, (kind, _step(step))), part) for kind, step, part in parts_inside(value, room)]
        if not inside:
            yield from _unread(value)
        elif len(path) < DEEPEST:
            waiting.extend(inside)
        else:
            yield NOT_SEARCHED, f"parts that lie more than {DEEPEST} deep in an answer"


def _step(step: Hashable) -> Hashable:
    return step if isinstance(step, int) else key_of(step)


def _placed(path: tuple[Hashable, ...], part: Any) -> Iterator[Trait]:
    key = key_of(part)
    yield "member", key
    yield "part", (path, key)
    if not isinstance(part, _PLAIN):
        yield "part's form", (path, form_of(part))


def _unread(value: Any) -> Iterator[Trait]:
    """The trait of an object without parts: its text, which may omit something."""
    if is_whole(value) or isinstance(value, np.generic) or not is_compared_by_identity(value):
        return
    yield NOT_SEARCHED, f"the inside of objects of type {type(value).__name__}"
    text = text_of(value)
    yield from _words(text) if text is not None else ()


def _words(text: str | bytes | bytearray) -> Iterator[Trait]:
    """The texts between blanks, commas, semicolons, bars and ampersands: “n=3” of “n=3;r=0.71”."""
    found = [part for part in (re.split(r"[\s,;|&]+", text) if isinstance(text, str) else bytes(text).split()) if part]
    yield from (("word", word) for word in found[:_MOST_WORDS])
    if len(found) > _MOST_WORDS:
        yield NOT_SEARCHED, f"words of a text after the first {_MOST_WORDS}"


def _ends(text: str | bytes | bytearray) -> Iterator[Trait]:
    """The beginning and the end of a text; the middle may be random."""
    plain = text if isinstance(text, str) else bytes(text)
    for length in _ENDS:
        if length < len(plain):
            yield "start", plain[:length]
            yield "end", plain[-length:]


def form_of(answer: Any) -> Hashable:
    """Type and length or shape; a NumPy scalar has the type of the Python scalar that prints the same."""
    if isinstance(answer, np.generic) and not isinstance(plain := answer.item(), np.generic):
        return form_of(plain)
    if isinstance(answer, np.ndarray):
        return ("array", answer.shape, answer.dtype.kind)
    if isinstance(answer, (list, tuple, dict, set, frozenset, str, bytes)):
        return (type(answer).__name__, len(answer))
    return type(answer).__name__


_SINGLE, _SET = 0.1, 0.01  # caution in comparing candidates; it affects no verdict
_TIMES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)


@frozen(eq=False)
class Candidate:
    """Traits of one kind that occurred under one data set of the pair only, and their score."""

    pair: Pair
    is_first: bool
    """Whether the first data set has them."""
    traits: frozenset[Trait]
    score: float

    def marks(self, answer: Any) -> bool:
        return not self.traits.isdisjoint(traits_of(answer))


def single_score(times: int) -> float:
    """The score of a trait that occurred so many times with one data set, never with the other."""
    return _score(times, 0, _SINGLE)


def _score(hits: int, strays: int, guess: float) -> float:
    """A cautious log ratio of hits to strays."""
    low = float(betaincinv(hits, strays + 1, guess))
    return log(low / (1 - low)) if low < 1 else inf


def count_traits(answers: Iterable[Any]) -> Counter[Trait]:
    """The number of answers with each trait. The garbage collector is paused: there are no cycles to find."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        return Counter(trait for answer in answers for trait in traits_of(answer))
    finally:
        if was_on:
            gc.enable()


def single_traits(pair: Pair, first: Counter[Trait], second: Counter[Trait]) -> Iterator[Candidate]:
    """For each order of the pair, the most frequent trait (at least twice) that the other data set never has."""
    for is_first, ours, theirs in ((True, first, second), (False, second, first)):
        own = [(times, trait) for trait, times in ours.items() if times > 1 and trait not in theirs]
        if own:
            times, trait = max(own, key=lambda each: each[0])
            yield Candidate(pair, is_first, frozenset([trait]), single_score(times))


def sets_of_traits(pair: Pair, first: Counter[Trait], second: Counter[Trait], beyond: float) -> Iterator[Candidate]:
    """All traits of a kind that one data set had so many times and the other never, if their score exceeds this ε.

    They are scored by leaving out each answer in turn. A set chosen without that answer is hit by it where the trait
    has one more than the times (hits: as many as the trait has), and is strayed into where the trait has just one on
    the other side.
    """
    for is_first, ours, theirs in ((True, first, second), (False, second, first)):
        kinds: dict[str, Counter[tuple[int, int]]] = defaultdict(Counter)
        for trait, times in ours.items():
            kinds[trait[0]][times, theirs.get(trait, 0)] += 1
        for kind, known in kinds.items():
            for least in _TIMES:
                hits = sum(times * many for (times, others), many in known.items() if not others and times > least)
                strays = sum(many for (times, others), many in known.items() if others == 1 and times >= least)
                found = _score(hits, strays, _SET) if hits else -inf
                if found > beyond:
                    yield Candidate(pair, is_first, _exclusive(kind, least, ours, theirs), found)


def _exclusive(kind: str, least: int, ours: Counter[Trait], theirs: Counter[Trait]) -> frozenset[Trait]:
    return frozenset(
        trait for trait, times in ours.items() if times >= least and trait[0] == kind and trait not in theirs
    )
