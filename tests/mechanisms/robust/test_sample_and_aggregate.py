"""Sample and aggregate: whatever the function does, one person touches one block; by brute force over all splits."""

from __future__ import annotations

import math
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import permutations, product

import numpy as np
import pytest
from scipy.stats import chisquare
from tests.divergence import Law, violations
from tests.goodness import FALSE_ALARM

from tacit.errors import Refused
from tacit.loss.families.loss import Relation
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.robust.inverse_median import InverseMedian
from tacit.mechanisms.robust.public_range import PublicRange
from tacit.mechanisms.robust.sample_and_aggregate import SampleAndAggregate
from tacit.noise.bits import Seeded
from tacit.noise.grid import Grid

THREE = PublicRange(0, 2, Grid(0))
Data = tuple[int, ...]
Split = tuple[int, ...]


def spiteful(block: Sequence[int]) -> float:
    """Fails, or leaves the range, on certain records."""
    if 1 in block:
        raise ValueError(block)
    return float("nan") if not block else 10.0 * max(block)


FUNCTIONS: list[Callable[[Sequence[int]], float]] = [max, len, lambda block: sum(block) / len(block), spiteful]


def balanced(people: int, blocks: int) -> list[Split]:
    """All splits into equal sizes, each as often as the permutation makes it."""
    found = []
    for order in permutations(range(people)):
        split = [0] * people
        for place, person in enumerate(order):
            split[person] = place % blocks
        found.append(tuple(split))
    return found


def independent(people: int, blocks: int) -> list[Split]:
    return list(product(range(blocks), repeat=people))


def law_of(mechanism: SampleAndAggregate, data: Data, splits: Iterable[Split]) -> Law:
    """The exact output law: the mean over all splits of the aggregate's own."""
    results = Counter(tuple(int(r) for r in mechanism.results(data, np.array(split, np.int64))) for split in splits)
    law: dict[object, float] = {}
    for found, times in results.items():
        for output, mass in aggregate_law(mechanism, found).items():
            law[output] = law.get(output, 0.0) + mass * times / results.total()
    return law


@cache
def aggregate_law(mechanism: SampleAndAggregate, results: tuple[int, ...]) -> Law:
    inner = mechanism.aggregate
    if isinstance(inner, InverseMedian):
        return {y: float(inner.probability(results, y)) for y in range(3)}
    centre, reach = sum(results), 33 * math.ceil(inner.scale)
    return {y: float(inner.law.mass(y - centre)) for y in range(-reach, reach)}


def neighbours(relation: Relation, size: int) -> list[tuple[Data, Data]]:
    pairs = []
    for data in product(range(3), repeat=size):
        for place in range(size):
            if relation is Relation.ADD_REMOVE:
                pairs.append((data, data[:place] + data[place + 1 :]))
            else:
                pairs += [(data, (*data[:place], x, *data[place + 1 :])) for x in range(data[place])]
    return pairs


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize(("blocks", "size"), [(2, 3), (3, 3), (2, 4)])
def test_the_loss_holds_over_all_splits(
    function: Callable[[Sequence[int]], float], relation: Relation, blocks: int, size: int
) -> None:
    splits = independent if relation is Relation.ADD_REMOVE else balanced
    mechanism = SampleAndAggregate.by_median(1, function, blocks, THREE, relation)
    laws: dict[Data, Law] = {}
    for data in {data for pair in neighbours(relation, size) for data in pair}:
        laws[data] = law_of(mechanism, data, splits(len(data), blocks))
    pairs = {tuple(map(id, (laws[a], laws[b]))): (laws[a], laws[b]) for a, b in neighbours(relation, size)}
    assert violations(mechanism.loss, pairs.values()) == []


@pytest.mark.parametrize("relation", list(Relation))
def test_the_loss_of_the_mean_holds(relation: Relation) -> None:
    splits = independent if relation is Relation.ADD_REMOVE else balanced
    mechanism = SampleAndAggregate.by_mean(1, max, 2, THREE, relation)
    pairs = [
        (law_of(mechanism, a, splits(len(a), 2)), law_of(mechanism, b, splits(len(b), 2)))
        for a, b in neighbours(relation, 2)
    ]
    assert violations(mechanism.loss, pairs) == []


def test_equal_blocks_under_add_remove_are_caught() -> None:
    """The twin: equal blocks although the number of people is private, priced for one block.

    The function marks a block of two, and the newcomer's. Of three people in three blocks none is marked; with the
    newcomer one block holds two, and half of the time the newcomer is elsewhere: two results differ.
    """
    few, many = (0, 0, 0), (2, 0, 0, 0)

    def marks(block: Sequence[int]) -> float:
        return 2.0 * (2 in block or len(block) > 1)

    mechanism = SampleAndAggregate.by_mean(1, marks, 3, THREE, Relation.ADD_REMOVE)
    sound = [law_of(mechanism, data, independent(len(data), 3)) for data in (few, many)]
    assert violations(mechanism.loss, [(sound[0], sound[1])]) == []
    equal = [law_of(mechanism, data, balanced(len(data), 3)) for data in (few, many)]
    assert violations(mechanism.loss, [(equal[0], equal[1])])


@pytest.mark.parametrize("relation", list(Relation))
def test_the_code_splits_as_the_proof_says(relation: Relation) -> None:
    """Chi-square over all splits of four people, false-alarm rate FALSE_ALARM."""
    mechanism, bits = SampleAndAggregate.by_median(1, max, 2, THREE, relation), Seeded(1)
    law = Counter(independent(4, 2) if relation is Relation.ADD_REMOVE else balanced(4, 2))
    drawn = Counter(tuple(int(b) for b in mechanism.split(4, bits)) for _ in range(4000))
    assert set(drawn) <= set(law)
    expected = [4000 * times / law.total() for times in law.values()]
    assert chisquare([drawn[split] for split in law], expected).pvalue > FALSE_ALARM


@pytest.mark.parametrize("relation", list(Relation))
def test_the_code_follows_the_law(relation: Relation) -> None:
    """Chi-square on 1,200 draws, false-alarm rate FALSE_ALARM."""
    mechanism, bits, data = SampleAndAggregate.by_median(2, max, 2, THREE, relation), Seeded(2), (0, 1, 2, 2)
    splits = independent(4, 2) if relation is Relation.ADD_REMOVE else balanced(4, 2)
    law = law_of(mechanism, data, splits)
    drawn = Counter(mechanism.rehearse(data, bits).value for _ in range(1200))
    assert chisquare([drawn[y] for y in law], [1200 * p for p in law.values()]).pvalue > FALSE_ALARM


def test_whatever_the_function_does_becomes_a_number() -> None:
    def exits(block: Sequence[int]) -> float:
        sys.exit(3)

    def warns(block: Sequence[int]) -> float:
        warnings.warn(f"{block}", stacklevel=1)
        return 2.0

    def text(block: Sequence[int]) -> str:
        return "not a number"

    def huge(block: Sequence[int]) -> int:
        return 10**400

    for function, expected in ((exits, 0), (warns, 2), (text, 0), (huge, 0), (spiteful, 0), (np.asarray, 0)):
        mechanism = SampleAndAggregate.by_median(1, function, 2, THREE, Relation.REPLACE)
        assert list(mechanism.results((1, 1, 1, 1), np.array([0, 0, 1, 1]))) == [expected] * 2
        assert mechanism.rehearse((1, 1, 1), Seeded(1)).value in (0, 1, 2)
    empty = SampleAndAggregate.by_median(1, max, 5, THREE, Relation.ADD_REMOVE)
    assert empty.rehearse((), Seeded(1)).value in (0, 1, 2)


def test_an_interrupt_is_not_swallowed() -> None:
    def interrupted(block: Sequence[int]) -> float:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        SampleAndAggregate.by_median(1, interrupted, 2, THREE, Relation.REPLACE).rehearse((1, 2), Seeded(1))


def test_error_of_the_mean_is_the_exact_quantile() -> None:
    span = PublicRange(0, 1, Grid(-10))
    mechanism = SampleAndAggregate.by_mean(1, np.mean, 50, span, Relation.REPLACE)
    assert isinstance(mechanism.aggregate, Laplace)
    assert mechanism.error("0.9") == float(Fraction(mechanism.aggregate.law.spread("0.9"), 50 * 1024))
    values = np.random.Generator(np.random.PCG64(3)).random(5000)
    found = [mechanism.rehearse(values, Seeded(seed)).value for seed in range(60)]
    inside = sum(abs(value - 0.5) <= mechanism.error("0.9") + 0.02 for value in found)
    assert inside >= 40  # below that with probability 1e-6 if it were 90%
    assert SampleAndAggregate.by_median(1, np.mean, 50, span, Relation.REPLACE).error() > 0


def test_the_answer_says_ranks_or_an_interval() -> None:
    median = SampleAndAggregate.by_median(1, max, 2, THREE, Relation.REPLACE).release((0, 1, 2))
    mean = SampleAndAggregate.by_mean(1, max, 2, THREE, Relation.REPLACE).release((0, 1, 2))
    assert "ranks" in str(median)
    assert "±" in str(mean)


def test_tables_are_split_by_rows() -> None:
    span = PublicRange(0, 8, Grid(-4))
    mechanism = SampleAndAggregate.by_mean(10, lambda rows: rows[:, 1].mean(), 4, span, Relation.REPLACE)
    table = np.column_stack([np.zeros(400), np.full(400, 5.0)])
    assert mechanism.rehearse(table, Seeded(1)).value == pytest.approx(5, abs=3)


def test_refusals() -> None:
    for wrong in (0, -1, float("nan"), True, "x", None):
        with pytest.raises(Refused):
            SampleAndAggregate.by_median(wrong, max, 2, THREE, Relation.REPLACE)
    for wrong in (0, -1, 1.5, True):
        with pytest.raises(Refused):
            SampleAndAggregate.by_median(1, max, wrong, THREE, Relation.REPLACE)
    other = InverseMedian(1, PublicRange(0, 9, Grid(0)), Relation.REPLACE)
    mixed = InverseMedian(1, THREE, Relation.ADD_REMOVE)
    small = Laplace.for_epsilon(1, 1, Relation.REPLACE)
    for aggregate in (other, mixed, small):
        with pytest.raises(Refused):
            SampleAndAggregate(max, 2, THREE, Relation.REPLACE, aggregate)


def test_what_cannot_run_is_refused_before_the_release() -> None:
    """Else it would count as zero in every block, and be paid for."""
    for function, span in ((5, THREE), (len, 5)):
        for make in (SampleAndAggregate.by_mean, SampleAndAggregate.by_median):
            with pytest.raises(Refused):
                make(1, function, 3, span, Relation.REPLACE)  # type: ignore[arg-type]  # that is the point
    for relation in ("add/remove", "replace", None):  # taken for replace, a split under add/remove moves two results
        with pytest.raises(Refused):
            SampleAndAggregate.by_median(1, len, 3, THREE, relation)  # type: ignore[arg-type]  # that is the point
    with pytest.raises(Refused):
        SampleAndAggregate(len, 3, THREE, Relation.REPLACE, 5)  # type: ignore[arg-type]  # that is the point
    mechanism = SampleAndAggregate.by_mean(1, len, 3, THREE, Relation.REPLACE)
    for records in ({1, 2}, {0: 1}, 3.0, np.array(3.0), (each for each in (1, 2))):
        with pytest.raises(Refused):
            mechanism.rehearse(records, Seeded(1))  # type: ignore[arg-type]  # that is the point
