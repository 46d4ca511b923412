"""Disjoint people: the worst part under add/remove, two parts under replace, by enumeration."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from tacit.errors import Refused
from tacit.loss import Approx, Gdp, Pure, Rdp, Relation, Worst, Zcdp, parallel, worst


def test_add_remove_is_the_worst_part() -> None:
    assert parallel([Pure(1), Pure(2), Pure("0.5")], Relation.ADD_REMOVE) == Pure(2)
    assert parallel([Approx(1, "1e-6"), Pure(2)], Relation.ADD_REMOVE) == Approx(2, "1e-6")
    assert parallel([], Relation.ADD_REMOVE) == Pure(0)


def test_replace_is_the_two_worst_unless_fixed() -> None:
    parts = [Pure(1), Pure(2), Pure("0.5")]
    assert parallel(parts, Relation.REPLACE) == Pure(3)
    assert parallel(parts, Relation.REPLACE, fixed=True) == Pure(2)
    assert parallel([Pure(2)] * 100, Relation.REPLACE) == Pure(4)
    assert parallel([Pure(2)], Relation.REPLACE) == Pure(2)
    components = [Approx(1, "1e-6"), Approx(2, 0), Approx("1.5", "1e-7")]
    assert parallel(components, Relation.REPLACE) == Approx("3.5", "1.1e-6")
    assert parallel([Zcdp("0.1"), Zcdp("0.2")], Relation.REPLACE) == Zcdp("0.3")


def test_by_enumeration_of_coins() -> None:
    """Three people, each in part A or B; each part's count's parity is told through a coin with odds 4:1 (ε = ln 4).

    Worst likelihood ratio over all neighbours: 4 under add/remove, 16 under replace, 4 if the parts are fixed.
    """

    def law(people: tuple[str, ...]) -> dict[tuple[int, int], Fraction]:
        truth = tuple(sum(1 for part in people if part == name) % 2 for name in "AB")
        return {
            told: Fraction(4 if told[0] == truth[0] else 1, 5) * Fraction(4 if told[1] == truth[1] else 1, 5)
            for told in product((0, 1), repeat=2)
        }

    def ratio(one: tuple[str, ...], other: tuple[str, ...]) -> Fraction:
        first, second = law(one), law(other)
        return max(first[told] / second[told] for told in first)

    worlds = list(product("AB", repeat=3))
    assert max(ratio(world, world[:-1]) for world in worlds) == 4
    replaced = [(world, (*world[:-1], new)) for world in worlds for new in "AB"]
    assert max(ratio(one, other) for one, other in replaced) == 16


def test_across_families_every_answer_is_the_worst() -> None:
    mixed = parallel([Pure(1), Gdp("0.5")], Relation.ADD_REMOVE)
    assert isinstance(mixed, Worst)
    for epsilon in ("0", "0.5", "2"):
        assert mixed.delta(epsilon) == max(Pure(1).delta(epsilon), Gdp("0.5").delta(epsilon))
    assert mixed.epsilon("1e-5") == max(Pure(1).epsilon("1e-5"), Gdp("0.5").epsilon("1e-5"))
    assert mixed.tradeoff("0.1") == min(Pure(1).tradeoff("0.1"), Gdp("0.5").tradeoff("0.1"))
    assert mixed.rdp(2) == max(Pure(1).rdp(2), Gdp("0.5").rdp(2))
    assert mixed.zcdp() == worst([Pure(1).zcdp(), Gdp("0.5").zcdp()])
    assert mixed.gdp() == worst([Pure(1).gdp(), Gdp("0.5")])
    assert mixed.group(1) is mixed
    assert str(mixed) == "μ = 0.707107 or ε = 1"
    with pytest.raises(Refused, match="different parts"):
        mixed.group(2)
    assert parallel([Gdp("0.5"), Pure(1)], Relation.ADD_REMOVE) == mixed


def test_worst_of_renyi_is_pointwise() -> None:
    assert worst([Rdp({2: 1, 4: 2}), Rdp({2: "0.5", 4: 3})]) == Rdp({2: 1, 4: 3})
    assert worst([Gdp(1), Gdp(2)]) == Gdp(2)


def test_the_relation_must_be_one() -> None:
    with pytest.raises(Refused, match="no neighbour relation"):
        parallel([Pure(1)], "replace")  # type: ignore[arg-type]  # what is tested
    assert [str(relation) for relation in Relation] == ["add/remove", "replace"]
