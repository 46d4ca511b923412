"""The anonymiser and the measures: every class has k people, no word can be made finer; k, ℓ and t by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.audit.anonymity.k_anonymity import Anonymised, anonymise, branches_of, distance, measure, measure_columns
from tacit.audit.anonymity.microdata import Hierarchy, People
from tacit.errors import Refused

# Twelve patients as in the literature's own example: zip code, age, illness.
ZIPS = [13053, 13068, 13068, 13053, 14853, 14853, 14850, 14850, 13053, 13053, 13068, 13068]
AGES = [28, 29, 21, 23, 50, 55, 47, 49, 31, 37, 36, 35]
ILLS = ["heart", "heart", "viral", "viral", "cancer", "heart", "viral", "viral", "cancer", "cancer", "cancer", "cancer"]


def patients() -> People:
    return People.of({"zip": ZIPS, "age": AGES, "ill": ILLS}, ["zip", "age"], "ill")


def assert_sound(table: Anonymised) -> None:
    """A partition into classes of k, each in words that cover it, none of which can be made finer alone."""
    people = table.people
    assert np.sort(np.concatenate([one.members for one in table.classes])).tolist() == list(range(len(people)))
    for one in table.classes:
        assert len(one) >= table.k
        for column, (low, high) in enumerate(one.nodes):
            assert ((people.known[one.members, column] >= low) & (people.known[one.members, column] < high)).all()
            parts = branches_of(people, one, column)
            assert len(parts) != 1
            assert not parts or min(members.size for _, members in parts) < table.k


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_every_table_is_partitioned_minimally(data: st.DataObject) -> None:
    size = data.draw(st.integers(4, 60))
    ages = data.draw(st.lists(st.integers(0, 20), min_size=size, max_size=size))
    towns = data.draw(st.lists(st.sampled_from("abcd"), min_size=size, max_size=size))
    tree = Hierarchy.grouped("town", {"north": ["a", "b", "c"], "d": ["d"]})
    people = People.of({"age": ages, "town": towns, "ill": towns}, ["age", tree], "ill")
    assert_sound(anonymise(people, data.draw(st.integers(1, 4))))


def test_the_patients() -> None:
    table = anonymise(patients(), 4)
    assert_sound(table)
    rows = table.rows()
    assert len(rows) == 12
    assert all(rows.count(row) >= 1 and len(row) == 3 for row in rows)
    assert measure(table).k >= 4


def test_the_measures_by_hand() -> None:
    """Two classes of secrets: (1, 1, 2) and (2, 3, 3) out of three ordered values."""
    found = measure_columns({"town": list("aaabbb"), "value": [1, 1, 2, 2, 3, 3]}, ["town"], "value")
    assert (found.classes, found.k, found.distinct) == (2, 3, 2)
    assert found.entropy == pytest.approx(math.exp(math.log(3) - 2 / 3 * math.log(2)))
    assert found.t == pytest.approx((1 / 3 + 1 / 3) / 2)
    assert found.describe() == "2 classes: k = 3, ℓ = 2 (by entropy 1.89), t = 0.33."


def test_the_distance_of_t_closeness() -> None:
    """The published example: nine salaries from 3k to 11k, a class of the three least: 0.375; spread out: 0.167."""
    everybody = np.full(9, 1 / 9)
    least, spread = np.zeros(9), np.zeros(9)
    least[:3] = spread[[3, 5, 8]] = 1 / 3
    assert distance(least, everybody, True) == pytest.approx(0.375)
    assert distance(spread, everybody, True) == pytest.approx(1 / 6, abs=0.01)
    assert distance(least, everybody, False) == pytest.approx(2 / 3)


def test_hierarchies() -> None:
    ages = Hierarchy.halving("age", [20, 30, 40])
    assert [ages.labels[node] for node in ages.children(ages.root)] == ["20", "30 to 40"]
    towns = Hierarchy.grouped("town", {"coast": ["a", "b"], "c": ["c"]})
    assert [towns.labels[node] for node in towns.children(towns.root)] == ["coast", "c"]
    assert Hierarchy.flat("sex", ["f"]).children((0, 1)) == ()


def test_what_is_refused() -> None:
    with pytest.raises(Refused, match="distinct"):
        Hierarchy.halving("age", [1, 1])
    with pytest.raises(Refused, match="none of this name"):
        People.of({"a": [1]}, ["b"], "a")
    with pytest.raises(Refused, match="none of this name"):
        measure_columns({"a": [1]}, ["b"], "a")
    with pytest.raises(Refused, match="no leaf") as refused:
        People.of({"a": [4711], "s": [0]}, [Hierarchy.flat("a", [1])], "s")
    assert "4711" not in str(refused.value)
    with pytest.raises(Refused, match="different lengths"):
        People.of({"a": [1, 2], "s": [0]}, ["a"], "s")
    with pytest.raises(Refused, match="fewer people"):
        anonymise(patients(), 13)
    with pytest.raises(Refused, match="Then nobody"):
        People.of({"a": [1]}, [], "a")
