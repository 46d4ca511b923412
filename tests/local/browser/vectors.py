"""Shared vectors: randomizers, random bytes, and the reports that Python makes of them. A browser must make the same.

`python -m tests.local.browser.vectors` writes them anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from tacit.local.randomizers.randomizer import Randomizer, WeightTable, below, odds_within
from tacit.local.randomizers.subset_selection import KaryResponse, SubsetSelection
from tacit.noise.bits import Scripted

FILE = Path(__file__).with_name("vectors.json")
_SPARE = 3  # bytes behind what a draw takes: whoever takes too many is seen to

NAMED: dict[str, Randomizer[Any]] = {
    "Warner": WeightTable.of([["3/4", "1/4"], ["1/4", "3/4"]]),
    "forced": WeightTable.of([["5/6", "1/6"], ["1/6", "5/6"]]),
    "forced to one side": WeightTable.of([["4/7", "3/7"], ["0", "1"]]),
    "uneven": WeightTable.of([["1/2", "3/10", "1/5"], ["1/5", "2/5", "2/5"], ["1/3", "1/3", "1/3"]]),
    "unrelated": WeightTable.of([["1", "0"], ["7/10", "3/10"], ["3/10", "7/10"], ["0", "1"]]),
    "hairline": WeightTable.of([[Fraction(1, 10**40), 1 - Fraction(1, 10**40)], ["1/2", "1/2"]]),
    "two of two": KaryResponse(2, Fraction(3)),
    "one byte exactly": KaryResponse(5, Fraction(251)),
    "half odds": KaryResponse(5, Fraction(7, 2)),
    "a thousand": KaryResponse.within(2, 1000),
    "huge odds": KaryResponse.within(40, 3),
    "huge odds of many": KaryResponse(1000, Fraction(10**60 + 7, 10**59 + 9)),
    "pairs": SubsetSelection(4, 2, Fraction(3)),
    "all but one": SubsetSelection(5, 4, Fraction(5, 2)),
    "single": SubsetSelection(3, 1, Fraction(2)),
    "threes": SubsetSelection(10, 3, odds_within(1)),
    "many": SubsetSelection(100, 27, odds_within(1)),
    "beyond a byte": SubsetSelection(300, 40, odds_within("1/10")),
}
BOUNDS = (1, 2, 3, 5, 127, 128, 129, 255, 256, 257, 65535, 65536, 65537, 10**30, 2**64 - 1, 2**64, 2**64 + 1)


def vectors() -> dict[str, Any]:
    """Everything that the file holds: uniform integers, reports, and one whole poll."""
    stream = np.random.default_rng(6)
    return {
        "below": [_below_case(bound, script) for bound in BOUNDS for script in _scripts(bound, [0], stream)],
        "draws": [
            {"name": name, "randomizer": each.written(), "cases": list(cases(each, stream))}
            for name, each in NAMED.items()
        ],
        "interviews": [interview(stream.bytes(400), given) for given in (None, "0123456789abcdef" * 2) for _ in "123"],
    }


def cases(randomizer: Randomizer[Any], stream: np.random.Generator) -> Iterator[list[Any]]:
    """[answer, bytes, report, bytes taken] for the first, second and last answers, at every edge of the first draw."""
    for answer in sorted({0, 1, randomizer.answers // 2, randomizer.answers - 1}):
        for script in _scripts(_total(randomizer), _edges(randomizer, answer), stream):
            bits = Scripted(script)
            report = randomizer.draw(answer, bits)
            yield [answer, script[: bits.taken + _SPARE].hex(), report, bits.taken]


def _total(randomizer: Randomizer[Any]) -> int:
    if isinstance(randomizer, SubsetSelection):
        return randomizer.within + randomizer.without
    assert isinstance(randomizer, WeightTable | KaryResponse)
    return randomizer.total


def _edges(randomizer: Randomizer[Any], answer: int) -> list[int]:
    """Where the first integer's meaning changes."""
    if isinstance(randomizer, SubsetSelection):
        return [0, randomizer.within]
    if isinstance(randomizer, KaryResponse):
        own, each = randomizer.odds.numerator, randomizer.odds.denominator
        return [0, *(own + each * k for k in (0, 1, max(answer - 1, 0), answer, min(answer + 1, randomizer.options)))]
    assert isinstance(randomizer, WeightTable)
    return [0, *(int(end) for end in np.cumsum(np.array(randomizer.weights[answer], object)))]


def _scripts(bound: int, edges: list[int], stream: np.random.Generator) -> Iterator[bytes]:
    """Scripts that start with a word at and beside every edge, and at, beside and beyond the first word rejected."""
    octets = bound.bit_length() // 8 + 1
    words = 1 << 8 * octets
    top = words // bound * bound
    near = {edge + step for edge in edges for step in (-1, 0)}
    accepted = {word + lap for word in near if 0 <= word < bound for lap in (0, top - bound)} | {top - 1}
    rejected = {word for word in (top, words - 1) if word < words}
    first = [[word] for word in sorted(accepted)] + [[word, words - 1, top - 1] for word in sorted(rejected)]
    for start in first:
        tail = np.frombuffer(stream.bytes(600), np.uint8).copy()
        tail[stream.random(tail.size) < 0.2] = 255  # words that later draws must reject
        yield b"".join(min(word, words - 1).to_bytes(octets, "big") for word in start) + tail.tobytes()


def _below_case(bound: int, script: bytes) -> list[Any]:
    bits = Scripted(script)
    drawn = below(bound, bits)
    return [str(bound), script[: bits.taken + _SPARE].hex(), str(drawn), bits.taken]


POLL: dict[str, Any] = {
    "id": "00112233445566778899aabbccddeeff",
    "questions": [
        {
            "name": "cheated",
            "sample": 0,
            "group": {"parts": [{"options": ["No", "Yes"]}], "randomizer": NAMED["Warner"].written()},
        },
        {
            "name": "second sample",
            "sample": 1,
            "group": {"parts": [{"options": ["No", "Yes"]}] * 2, "randomizer": NAMED["unrelated"].written()},
        },
        {
            "name": "unchanged",
            "sample": 2,
            "group": {"parts": [{"options": ["0", "1", "2"]}, {"options": ["No", "Yes"]}], "randomizer": None},
        },
        {
            "name": "__proto__",
            "sample": 0,
            "group": {"parts": [{"options": list("abcd")}], "randomizer": NAMED["pairs"].written()},
        },
        {"name": "left out", "sample": 0, "group": {"parts": [{"options": ["No", "Yes"]}], "randomizer": None}},
    ],
}
_OWN = {"cheated": NAMED["Warner"], "second sample": NAMED["unrelated"], "__proto__": NAMED["pairs"]}
_CHOICES = [[1], [1, 1], [2, 0], [2], []]


def interview(script: bytes, respondent: str | None) -> dict[str, Any]:
    """One respondent's way through the poll above, as the contract says it: token, then reports."""
    bits = Scripted(script)
    token = respondent or bits.octets(16).tobytes().hex()
    answers = {}
    for question, choices in zip(POLL["questions"], _CHOICES, strict=True):
        group = question["group"]
        answer = _combined([len(part["options"]) for part in group["parts"]], choices)
        randomised = answer is not None and group["randomizer"] is not None
        report = _OWN[question["name"]].draw(answer, bits) if randomised else answer
        answers[question["name"]] = [question["sample"], report]
    sent = {"poll": POLL["id"], "respondent": token, "answers": answers}
    told = {"poll": POLL, "respondent": respondent, "choices": _CHOICES}
    return told | {"bytes": script[: bits.taken + _SPARE].hex(), "sent": sent, "taken": bits.taken}


def _combined(sizes: list[int], choices: list[int]) -> int | None:
    if len(choices) < len(sizes):
        return None
    number = 0
    for size, choice in zip(sizes, choices, strict=False):
        number = number * size + choice
    return number


def written() -> str:
    """The file's text."""
    return json.dumps(vectors(), separators=(",", ":")) + "\n"


if __name__ == "__main__":
    FILE.write_text(written())
