"""A pair under study: what was learned from answers about its two data sets, and how much that promises."""

from __future__ import annotations

from dataclasses import replace

from tacit.audit.black_box.drawing import draw, drawn
from tacit.audit.black_box.learner import Learned
from tacit.audit.black_box.matrix import Reader
from tacit.audit.black_box.rule import Aim
from tacit.audit.domain import Pair
from tacit.audit.subject import Subject
from tacit.frozen import frozen
from tacit.noise.bits import Bits

CAUTIOUS = 3.0
"""Standard errors that a rule is taken worse than it looks, where one of many pairs is to be chosen."""


@frozen(eq=False)
class Studied:
    """A pair, how its answers are read, and what was learned from so many of them."""

    pair: Pair
    reader: Reader
    learned: Learned
    samples: int

    @classmethod
    def of(cls, subject: Subject, pair: Pair, samples: int, bits: Bits, *, trees: int = 0) -> Studied:
        reader, rows, labels = drawn(subject, pair, samples, bits)
        return cls(pair, reader, Learned.of(rows, labels, trees=trees), samples)

    def more(self, subject: Subject, samples: int, bits: Bits) -> Studied:
        """After so many further answers: the scores stay, what is known of them grows."""
        learned = self.learned
        for outputs, labels in draw(subject, self.pair, samples, bits):
            learned = learned.more(self.reader.read(outputs), labels)
        return replace(self, learned=learned, samples=self.samples + samples)

    def promise(self, aim: Aim) -> float:
        """By how much a bound is expected to exceed the claim, taken cautiously."""
        return self.learned.rule(aim, CAUTIOUS).excess
