"""A release as text: in a terminal and in a notebook."""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction
from html.parser import HTMLParser
from math import inf, nan

import pytest
from tests.release.samples import PAID, clinic, keys, numbers, release, usual

from tacit.release.cells import key_texts, number_cell
from tacit.release.price import PriceWords
from tacit.words import share_left, share_used


def test_it_prints_as_in_the_tour() -> None:
    assert clinic().text(width=78).splitlines() == [
        " region    count            avg(cost)",
        " east       98,412 ± 640    1,204 ± 14",
        " north     120,305 ± 640    1,189 (1,178 to 1,210)",
        " NULL           12 ± 640    too few to say (0 to 20,000)",
        " 95% intervals. Visits beyond 40 a patient were left out.",
        " This release alone: ε = 0.5, δ = 1e-9. Used 1.6% of the budget",
        " (ρ 0.0042 of 0.266); 96.4% left.",
    ]


def test_one_row_without_keys_is_written_downwards() -> None:
    answer = release({"count": numbers([151870], 1490, whole=True), "avg(age)": numbers([41.25], 0.5)})
    assert str(answer).splitlines()[:2] == [" count       151,870 ± 1,490", " avg(age)      41.25 ± 0.50"]


def test_usual_intervals_say_what_they_are_about_and_show_those_of_the_noise() -> None:
    count, people = numbers([14000], 900, whole=True), numbers([2816], 45, whole=True)
    noise = {"count": numbers([13400], 700, whole=True), "people": people}
    assert usual({"count": count, "people": people}, noise).text(width=100).splitlines() == [
        " count     14,000 ± 900",
        " people     2,816 ± 45",
        " 95% intervals for all rows that fit the description, assuming that nobody has far more than the",
        " people that can be seen. With at_most declared, they could be guaranteed.",
        " Bounded (noise alone): count 13,400 ± 700.",
        " This release alone: ε = 0.5, δ = 1e-9. Used 1.6% of the budget (ρ 0.0042 of 0.266); 96.4% left.",
    ]
    alone = str(usual({"count": count}, {"count": noise["count"]}))
    assert " Bounded (noise alone): 13,400 ± 700." in alone.splitlines()
    page = usual({"count": count}, {"count": noise["count"]})._repr_html_()
    assert "assuming that nobody has far more" in page
    assert "Bounded (noise alone): 13,400 ± 700." in page


def test_a_table_says_where_the_intervals_of_the_noise_are() -> None:
    answer = usual({"k": keys("a"), "n": numbers([5], 1)}, {"n": numbers([4], 1)})
    assert " Bounded intervals, of the noise alone, are in csv, json and parquet." in str(answer).splitlines()
    first = answer.rendered.first(1).columns[1].bounded
    assert first is not None
    assert first.value.tolist() == [4]


def test_no_groups_are_said_to_be_none() -> None:
    assert "(no groups)" in str(release({"region": keys(), "count": numbers([], 1)}))


def test_a_long_answer_is_cut_where_it_is_shown_and_whole_where_it_is_printed() -> None:
    answer = release({"age": keys(*range(500)), "count": numbers([1] * 500, 2, whole=True)})
    assert "… and 440 more groups" in repr(answer)
    assert "… and 440 more groups" in answer._repr_html_()
    assert "\n 499 " in str(answer)


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (98412, 97772, 99052, "98,412 ± 640"),
        (1204.1, 1190.2, 1219.9, "1,204 (1,190 to 1,220)"),
        (0.5, 0.25, 0.75, "0.50 ± 0.25"),
        (7, 7, 7, "7"),
        (0.125, 0.125, 0.125, "0.125"),
        (-0.0, -0.5, 0.5, "0.00 ± 0.50"),
        (-0.3, -11.5, 10.9, "0 ± 11"),
        (5, 3, inf, "5 (at least 3)"),
        (5, -inf, 9, "5 (at most 9)"),
        (nan, -inf, inf, "too few to say"),
        (nan, 0, 20000, "too few to say (0 to 20,000)"),
        (nan, 0, inf, "too few to say (at least 0)"),
        (nan, -inf, 0, "too few to say (at most 0)"),
    ],
)
def test_a_number_says_how_far_off_it_may_be(value: float, low: float, high: float, text: str) -> None:
    assert str(number_cell(value, low, high)) == text


def test_keys_are_written_as_they_are() -> None:
    assert key_texts(keys(2024, None)) == ["2024", "NULL"]
    assert key_texts(keys(True, False)) == ["true", "false"]
    assert key_texts(keys(date(2024, 5, 1))) == ["2024-05-01"]
    assert key_texts(keys(datetime(2024, 5, 1), None)) == ["2024-05-01", "NULL"]
    assert key_texts(keys(datetime(2024, 5, 1), datetime(2024, 5, 1, 12))) == [
        "2024-05-01 00:00:00",
        "2024-05-01 12:00:00",
    ]
    assert key_texts(keys(0.1, 20.0)) == ["0.1", "20"]


def test_a_key_cannot_write_to_the_terminal() -> None:
    """Keys are user input: an escape sequence, a new line or a bell is shown, not interpreted."""
    answer = release(
        {"name": keys("\x1b[2J", "a\nb", "\u202eabc", "wide 漢字", "x" * 500), "count": numbers([1] * 5, 1)}
    )
    lines = answer.text(width=120).split("\n")
    assert len(lines) == 1 + 5 + 2
    assert all(line.isprintable() for line in lines)
    assert max(map(len, lines[:6])) < 90


def test_wide_letters_keep_the_columns_in_line() -> None:
    from rich.cells import cell_len

    lines = str(release({"name": keys("漢字", "abcd"), "count": numbers([1, 1], 1, whole=True)})).splitlines()
    assert len({cell_len(line.split("±")[0]) for line in lines[1:3]}) == 1


def test_html_is_escaped() -> None:
    """Names, keys and notes are text; none of them becomes a tag."""
    evil = "<script>alert('&amp;')</script>"
    price = PriceWords(evil, Fraction(1, 2), Fraction(1, 2), False, evil)
    answer = release({evil: keys(evil, 'a"b', "&"), f"{evil}2": numbers([1, 2, nan], 1)}, evil, price=price)
    page = answer._repr_html_()
    assert "<script" not in page
    seen = _Seen()
    seen.feed(page)
    assert seen.tags == {"div", "table", "thead", "tbody", "tr", "th", "td"}
    assert sum(evil in text for text in seen.texts) == 5  # two names, a key, a note, the price
    assert {'a"b', "&"} <= set(seen.texts)


def test_every_row_of_the_html_has_as_many_columns() -> None:
    seen = _Seen()
    seen.feed(clinic()._repr_html_())
    assert set(seen.widths) == {5}


@pytest.mark.parametrize(
    ("part", "used", "rest"),
    [
        (Fraction(16, 1000), "1.6%", "1.6%"),
        (Fraction(1), "100.0%", "100.0%"),
        (Fraction(0), "0.0%", "0%"),
        (Fraction(99999, 100000), "100.0%", "99.9%"),
        (Fraction(1, 100000), "0.001%", "less than 0.1%"),
    ],
)
def test_what_is_left_is_never_overstated(part: Fraction, used: str, rest: str) -> None:
    assert (share_used(part), share_left(part)) == (used, rest)


def test_a_repeat_says_that_it_is_free() -> None:
    free = PriceWords(PAID.loss_words, Fraction(0), Fraction(964, 1000), True)
    keys = PriceWords("ε = 1", Fraction(1, 50), Fraction(9, 10), False, "ρ 0.1 of 9, δ 1e-9 of 5e-8", "δ")
    assert str(keys).endswith("Used 2.0% of the budget's δ (ρ 0.1 of 9, δ 1e-9 of 5e-8); 90.0% of the budget left.")
    assert str(free) == "Answered from an earlier release: free. 96.4% of the budget left."


def test_exact_columns_claim_no_interval() -> None:
    answer = release({"region": keys("a"), "one": numbers([1], 0, whole=True)})
    assert "interval" not in str(answer)


class _Seen(HTMLParser):
    """The tags, texts and row widths of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.texts: list[str] = []
        self.widths: list[int] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag == "tr":
            self.widths.append(0)
        if tag in ("td", "th"):
            self.widths[-1] += int(dict(attrs).get("colspan") or 1)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
