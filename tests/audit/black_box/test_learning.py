"""Tallies in batches equal a single tally; rules differ; values beside special ones are distinguished."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tacit.audit.black_box.features import Special
from tacit.audit.black_box.guess_rule import Aim, Claimed, Tallied
from tacit.audit.black_box.learner import Learned

GENERATOR = np.random.Generator(np.random.PCG64(11))
BELOW = -1000.0


def two_worlds(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Labelled rows of three values: the first world's lie a little higher."""
    labels = np.asarray(GENERATOR.random(rows) < 0.5, np.float64)
    return np.round(GENERATOR.normal(size=(rows, 3)) + 0.3 * labels[:, None], 2), labels


@pytest.mark.parametrize("decimals", [0, 6])
def test_batches_add_up(decimals: int) -> None:
    scores, labels = np.round(GENERATOR.normal(size=3_000), decimals), np.asarray(GENERATOR.random(3_000) < 0.4, float)
    first = Tallied.of(scores[:1_000], labels[:1_000])
    grown = first.more(scores[1_000:], labels[1_000:])
    assert grown.trials == (int(labels.sum()), 3_000 - int(labels.sum()))
    for at, cut in enumerate(first.cuts):
        for world, part in enumerate((labels > 0.5, labels < 0.5)):
            assert grown.above[world][at] == (part & (scores >= cut)).sum()
            assert grown.below[world][at] == (part & (scores <= cut)).sum()


def test_more_rows_sharpen_what_is_promised() -> None:
    learned = Learned.of(*two_worlds(4_000), trees=2)
    aim = Aim((Claimed(0.0, 0.1),), 100_000, 0.01)
    grown = learned.more(*two_worlds(100_000))
    assert grown.rule(aim, 3.0).excess > learned.rule(aim, 3.0).excess
    assert [score.name for score, _ in grown.tallies] == [score.name for score, _ in learned.tallies]


def test_every_rule_has_a_score_of_its_own() -> None:
    learned = Learned.of(*two_worlds(4_000), trees=0)
    aim = Aim((Claimed(0.0, 0.1),), 10_000, 0.01)
    rules = learned.rules(aim, (3.0, 3.0, 3.0))
    assert len({id(rule.score) for rule in rules}) == 3
    assert [rule.excess for rule in rules] == sorted((rule.excess for rule in rules), reverse=True)


def test_the_rest_is_told_only_beside_enough_special_values() -> None:
    rows = np.full((40, 4), BELOW)
    rows[np.arange(40), np.arange(40) % 4] = np.arange(40) / 7
    rows[0, 1:3] = 0.5, 0.25
    rows[1] = BELOW
    special = Special.of(rows)
    assert special.commonest == [BELOW]
    told = special.rest_beside(BELOW, 2, math.inf, rows)
    assert told[:3].tolist() == [math.inf, math.inf, 2 / 7], "too few of them, nothing else, both"
