"""Whatever a search changes, pairs stay neighbours within their domain."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tacit.audit.neighbours import RowLists, Vectors
from tacit.loss.families.loss import Relation


@pytest.mark.parametrize(
    "domain", [Vectors(-10, 10, (10, 10)), Vectors(-3, 3, (2, 6)), Vectors(0, 10, (5, 5), False, True)], ids=repr
)
def test_vectors_stay_neighbours(domain: Vectors) -> None:
    generator = np.random.default_rng(1)
    for pair in domain.patterns():
        for _ in range(200):
            first, second = pair = domain.changed(pair, generator)
            moved = np.abs(first - second)
            assert len(first) == len(second)
            assert domain.lengths[0] <= len(first) <= domain.lengths[1]
            assert moved.max() <= 1 + 1e-9
            assert moved.any()
            assert domain.all_move or (moved > 0).sum() == 1
            assert min(first.min(), second.min()) >= domain.low
            assert max(first.max(), second.max()) <= domain.high
            assert not domain.whole or np.all(first == np.round(first))


@pytest.mark.parametrize("relation", list(Relation))
def test_rows_stay_neighbours(relation: Relation) -> None:
    generator, domain = np.random.default_rng(2), RowLists((0, 1, 5), relation, 6)
    for pair in domain.patterns():
        for _ in range(200):
            first, second = pair = domain.changed(pair, generator)
            gone, come = Counter(first) - Counter(second), Counter(second) - Counter(first)
            assert set(first) | set(second) <= {0, 1, 5}
            if relation is Relation.ADD_REMOVE:
                assert gone.total() + come.total() == 1
                assert max(len(first), len(second)) <= 6
            else:
                assert gone.total() == come.total() == 1
                assert len(first) == len(second) == 6
