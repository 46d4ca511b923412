"""The attacks on k-anonymous tables: by hand on small ones, and on real answers (statsmodels' `fair`, 6,366 people)."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from tacit.audit.anonymity.attacks import (
    Downcoded,
    attack_anonymity,
    downcode,
    exploit_background,
    exploit_composition,
    exploit_homogeneity,
)
from tacit.audit.anonymity.exposure_figure import exposure_title
from tacit.audit.anonymity.k_anonymity import Anonymised, EquivalenceClass, anonymise, branches_of
from tacit.audit.anonymity.microdata import People
from tacit.errors import Refused


def table_of(classes: list[list[str]], k: int = 2) -> Anonymised:
    """A table whose people differ only by their class."""
    towns = [place for place, secrets in enumerate(classes) for _ in secrets]
    people = People.of({"town": towns, "ill": [ill for secrets in classes for ill in secrets]}, ["town"], "ill")
    members = [np.flatnonzero(np.array(towns) == place) for place in range(len(classes))]
    return Anonymised(
        people, tuple(EquivalenceClass(((place, place + 1),), each) for place, each in enumerate(members)), k
    )


@cache
def fair(secret: str) -> People:
    from statsmodels.datasets import fair as answers

    data = answers.load_pandas().data
    quasi = ["age", "yrs_married", "children", "religious", "educ", "occupation"]
    return People.of({name: data[name].to_numpy() for name in data.columns}, quasi, secret)


def test_homogeneity_by_hand() -> None:
    found = exploit_homogeneity(table_of([["a", "a", "a"], ["a", "b"], ["b", "b"]]))
    assert (found.said, found.right, found.share) == (5, 5, 5 / 7)
    assert found.describe() == "Homogeneity: 5 of 7 people have the one secret of their class."


def test_background_by_hand() -> None:
    """Of three values, the one other in the class is ruled out with probability one half."""
    found = exploit_background(table_of([["a", "b"] * 200, ["a", "b", "c"]]), 1, seed=1)
    assert found.said == pytest.approx(200, abs=40)
    with pytest.raises(Refused, match="without the table"):
        exploit_background(table_of([["a", "b"]]), 1)


def test_composition_tells_what_neither_table_does() -> None:
    """Everybody has a neighbour with another secret, in each table another one; both together leave fewer."""
    generator = np.random.default_rng(4)
    count = 3000
    columns = {
        "age": generator.integers(0, 64, count),
        "town": generator.integers(0, 64, count),
        "ill": generator.integers(0, 200, count),
    }
    people = People.of(columns, ["age", "town"], "ill")
    found = exploit_composition(people, 5, shared=0.05, seed=1)
    assert exploit_homogeneity(anonymise(people, 5)).said == 0
    assert found.share > 0.5
    assert f"(0 by one table alone, {found.said:,} only by both together)" in found.describe()
    with pytest.raises(Refused, match="strictly between"):
        exploit_composition(people, 5, shared=1.0)


def test_the_title_counts_apart_what_one_table_gives_away() -> None:
    """Of two secrets a second table settles nothing that one does not; of sixty it does for most."""
    generator = np.random.default_rng(5)
    town = generator.integers(0, 64, 3000)
    for secrets, credited in ((2, "homogeneity"), (60, "composition")):
        rare = np.where(generator.random(3000) < 0.1, 0, generator.integers(0, secrets, 3000))
        ill = np.where(town < 8, 0, rare if secrets > 2 else generator.integers(0, 2, 3000))
        columns = {"town": town, "age": generator.integers(0, 64, 3000), "ill": ill}
        report = attack_anonymity(People.of(columns, ["town", "age"], "ill"), 5)
        joined = {each.attack: each for each in report.exposures}["Composition"]
        assert joined.alone is not None
        words = f"({joined.alone:,} by one table alone, {joined.said - joined.alone:,} only by both together)"
        assert words in report.describe()
        title = " ".join(exposure_title(report).split())
        assert f"people exposed by {credited}" in title, report.describe()
        assert (words in title) == (credited == "composition")
        assert 0 < joined.alone <= joined.said


@pytest.mark.parametrize("k", [3, 10])
def test_a_word_that_was_not_split_has_one_branch_with_nearly_all(k: int) -> None:
    """The claim behind downcoding, on real answers."""
    table = anonymise(fair("rate_marriage"), k)
    held = 0
    for one in table.classes:
        for column, tree in enumerate(table.people.hierarchies):
            if len(tree.children(one.nodes[column])) == 2:
                sizes = [members.size for _, members in branches_of(table.people, one, column)]
                assert len(sizes) == 2
                assert max(sizes) >= len(one) - k + 1
                held += 1
    assert held > 100


def test_downcoding_learns_what_public_figures_do_not_say() -> None:
    """In public data one person in three lives in town.

    In this table two in a hundred do, which it should hide: every class hides the town because of a few exceptions, and
    so reveals it.
    """
    generator = np.random.default_rng(7)

    def drawn(in_town: float) -> People:
        town, ill = generator.random(2000) < in_town, generator.integers(0, 5, 2000)
        age = np.arange(2000) % 8
        return People.of({"age": age, "town": town.astype(int), "ill": ill}, ["age", "town"], "ill")

    found = downcode(anonymise(drawn(0.02), 20), drawn(0.33))
    assert found.said > 1800
    assert found.right / found.said > 0.97
    assert found.public / found.said < 0.7
    assert "where public figures alone would be about 6" in found.describe()


def test_downcoding_of_nobody() -> None:
    people = fair("rate_marriage").take(np.arange(8))
    assert downcode(anonymise(people, 8), people).describe().startswith("Downcoding: 0 of 8")


def test_real_answers_are_given_away() -> None:
    """How people rate their marriage, at k = 5: the same counts in every run, at this seed."""
    report = attack_anonymity(fair("rate_marriage"), 5)
    by_name = {each.attack: each for each in report.exposures}
    assert report.measures.k == 5
    assert report.measures.distinct == 1
    assert by_name["Homogeneity"].said > 0
    assert by_name["Background knowledge"].said > 100
    assert by_name["Composition"].said > 5
    downcoded = by_name["Downcoding"]
    assert isinstance(downcoded, Downcoded)
    assert downcoded.said > 1500
    assert downcoded.right > downcoded.public + 0.03 * downcoded.said
    assert report.describe().startswith("6,366 people, made 5-anonymous. 473 classes: k = 5, ℓ = 1")


def test_a_yes_or_no_secret_is_settled_for_whole_classes() -> None:
    people = fair("affairs")
    yes = People(people.known, people.hierarchies, (people.secrets > 0).astype(np.int64), (False, True), False)
    report = attack_anonymity(yes, 5)
    assert [each.attack for each in report.exposures] == ["Homogeneity", "Composition", "Downcoding"]
    assert report.exposures[0].share > 0.05
