"""Frequent words: what is found are words, each number stands for one, a single device can take part."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import Refused
from tacit.local.frequencies.frequent_words import LETTERS, WordSearch
from tacit.noise.bits import Seeded

SEARCH = WordSearch.within(3)
SHORT = WordSearch.within(5, 3, "abc")


@given(word=st.text(LETTERS, min_size=1, max_size=12))
def test_a_word_is_its_number_and_back(word: str) -> None:
    number = SEARCH._number(word)
    assert 0 < number < 1 << SEARCH.search.length
    assert SEARCH._word(number) == word


def test_every_number_is_one_word_or_none() -> None:
    words = [SHORT._word(number) for number in range(1 << SHORT.search.length)]
    held = [word for word in words if word is not None]
    assert len(held) == len(set(held)) == 3 + 9 + 27
    assert all(SHORT._number(word) == words.index(word) for word in held)


def test_frequent_words_are_found_as_words() -> None:
    """24,000 people: a quarter say one word, a fifth another, the others one of 5,000. Seeded."""
    rng = np.random.default_rng(2)
    rare = ["".join(rng.choice(list("abcdefghij"), 8)) for _ in range(5000)]
    words = ["headache"] * 6000 + ["sore throat"] * 4800 + [rare[place] for place in rng.integers(0, 5000, 13_200)]
    found = SEARCH.find(SEARCH.rehearse([words[place] for place in rng.permutation(24_000)], Seeded(3)))
    assert found.values.tolist() == ["headache", "sore throat"]
    assert found.low[0] <= 0.25 <= found.high[0]
    assert found.low[1] <= 0.2 <= found.high[1]
    assert "sore throat" in str(found)
    assert not any(character.isdigit() for character in str(found).split("\n")[1].split()[0])


def test_a_single_device_takes_part() -> None:
    """600 devices, each drawing its own group: nine in ten say one word."""
    reports = [SHORT.report_one("cab" if place % 10 else "b") for place in range(600)]
    assert {group for group, _ in reports} == set(range(len(SHORT.search.levels)))
    assert SHORT.find(SHORT.gather(reports)).values.tolist()[0] == "cab"
    with pytest.raises(Refused, match="A group has none"):
        SHORT.gather(reports[:1])
    with pytest.raises(Refused, match="of no group"):
        SHORT.gather([(99, (0, 0, 0))])


def test_one_device_reports_within_the_alphabet_of_its_group() -> None:
    for _ in range(50):
        group, row = SEARCH.report_one("flu")
        level = SEARCH.search.levels[group]
        assert len(row) == len(level.ceilings)
        assert all(0 <= number < ceiling for number, ceiling in zip(row, level.ceilings, strict=True))


def test_every_group_costs_epsilon() -> None:
    assert SEARCH.loss.epsilon(0) <= 3
    assert [level.length for level in SEARCH.search.levels] == [10, *range(15, 61, 5)]


@pytest.mark.parametrize("word", ["", "a" * 13, "Secret", "secret1", "señal", 5, None])
def test_a_word_that_cannot_be_written_is_refused_without_being_named(word: object) -> None:
    for ask in (lambda: SEARCH.report_one(word), lambda: SEARCH.report([word] * 20)):  # type: ignore[arg-type, list-item]
        with pytest.raises(Refused, match="cannot be written") as caught:
            ask()
        assert "ecret" not in str(caught.value)
        assert "1 to 12 lower-case letters a to z" in str(caught.value)


def test_what_does_not_fit_is_refused() -> None:
    for longest, alphabet in ((13, LETTERS), (0, LETTERS), (2, ""), (2, "aa"), (1, "".join(map(chr, range(300))))):
        with pytest.raises(Refused):
            WordSearch.within(1, longest, alphabet)
    with pytest.raises(Refused, match="letter by letter"):
        SEARCH.report("flu")
    with pytest.raises(Refused, match="of 1 people"):
        SEARCH.report(["flu"])
