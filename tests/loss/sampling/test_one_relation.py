"""Losses on samples are composed under one relation only."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.errors import Refused
from tacit.loss import Composition, Gdp, Pure, Relation, Worst, account, compose, fixed_size, parallel, poisson


def test_two_relations_in_one_account_are_refused() -> None:
    parts = [poisson(Gdp(1), "0.1"), fixed_size(Gdp(1), "0.1")]
    for make in (lambda: account((part, 3) for part in parts), lambda: Composition(parts), lambda: compose(*parts)):
        with pytest.raises(Refused, match="under both"):
            make()


def test_poisson_parts_side_by_side_under_replace_are_refused() -> None:
    one = poisson(Pure(2), "0.3")
    for parts in ([one, one], [Worst([one, Gdp(1)]), one]):
        with pytest.raises(Refused, match="under both"):
            parallel(parts, Relation.REPLACE)
    assert parallel([one, one], Relation.ADD_REMOVE) == one


def test_one_order_for_both_parts_would_have_been_below_the_truth() -> None:
    """By enumeration: who leaves one sample and enters another meets the two pairs in opposite orders."""
    heads = np.exp(2) / (1 + np.exp(2))
    without = np.array([1 - heads, heads])
    mixed = 0.7 * without + 0.3 * without[::-1]
    first, second = np.outer(mixed, without), np.outer(without, mixed)
    truth = float(np.maximum(first - np.exp(0.8) * second, 0).sum())
    one = poisson(Pure(2), "0.3")
    assert account([(one, 2)]).delta("0.8").upper < 0.7 * truth


def test_one_relation_and_losses_that_state_none_go_together() -> None:
    assert account([(poisson(Gdp(1), "0.1"), 3), (poisson(Pure(1), "0.2"), 1), (Gdp(1), 1)]).parts
    assert parallel([fixed_size(Pure(1), "0.1"), Pure(1)], Relation.REPLACE)
