"""Training: a few pairs are learned from, the most promising one is then studied longer, and its rules are chosen."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.audit.black_box.matrix import Reader
from tacit.audit.black_box.rule import Aim, Rule
from tacit.audit.black_box.studied import CAUTIOUS, Studied
from tacit.audit.domain import Pair
from tacit.audit.subject import Subject
from tacit.frozen import frozen
from tacit.noise.bits import Bits

_TREES = 20
_DOUBTS = (CAUTIOUS, 2.0, 1.5)
"""How many standard errors worse than they look rules are taken: those that will do, should do, and might."""


@frozen(eq=False)
class Trained:
    """A pair, how its answers are read, and rules for them, one for each doubt."""

    pair: Pair
    reader: Reader
    rules: Sequence[Rule]


def train(subject: Subject, pairs: Sequence[Pair], aim: Aim, shared: int, own: int, bits: Bits) -> Trained:
    """The best of the pairs, with rules for it.

    Some samples are shared by the pairs, to learn scores and to choose; the others are the best pair's own, to cut its
    scores where few answers lie.
    """
    found = [Studied.of(subject, pair, shared // len(pairs), bits, trees=_TREES) for pair in pairs]
    best = max(found, key=lambda studied: studied.promise(aim)).more(subject, own, bits)
    return Trained(best.pair, best.reader, best.learned.rules(aim, _DOUBTS))
