"""A release as a figure: the right form for its keys, every interval drawn, nothing read as a formula."""

from __future__ import annotations

from datetime import date
from math import inf, nan
from pathlib import Path

import numpy as np
import pytest
from matplotlib.container import ErrorbarContainer
from matplotlib.image import imread
from tests.release.samples import clinic, keys, numbers, release, usual

from tacit.errors import Refused
from tacit.query.post_noise.estimates import Estimates
from tacit.release.plot_layout import Bars, Lines, arrange

MONTHS = [date(2024, month, 1) for month in range(1, 13)]


def test_categories_are_bars_with_error_bars(tmp_path: Path) -> None:
    figure = clinic().plot(tmp_path / "clinic.png")
    counts, means = figure.axes
    assert [bar.get_height() for bar in counts.patches] == [98412, 120305, 12]
    drawn = next(each for each in counts.containers if isinstance(each, ErrorbarContainer))
    ends = [segment[:, 1].tolist() for segment in drawn.lines[2][0].get_segments()]
    assert ends == [[97772, 99052], [119665, 120945], [-628, 652]]
    assert [text.get_text().strip() for text in means.texts] == ["too few to say"]
    assert imread(tmp_path / "clinic.png").std() > 0


def test_dates_are_a_line_in_its_band() -> None:
    count = Estimates(np.arange(12.0), np.arange(12.0) - 1, np.arange(12.0) + 2)
    (panel,) = release({"month": keys(*reversed(MONTHS)), "count": count}).plot().axes
    (line,) = panel.lines
    assert list(np.asarray(line.get_ydata())) == list(range(11, -1, -1))
    band = panel.collections[0].get_paths()[0].vertices
    assert (band[:, 1].min(), band[:, 1].max()) == (-1, 13)


def test_a_second_key_makes_lines_of_its_own() -> None:
    regions, months = keys(*["a"] * 12, *["b"] * 12), keys(*MONTHS, *MONTHS)
    figure = release({"region": regions, "month": months, "count": numbers([1] * 24, 1)}).plot()
    assert [line.get_label() for line in figure.axes[0].lines] == ["a", "b"]
    assert figure.axes[0].get_legend() is not None


@pytest.mark.parametrize(
    ("columns", "form", "horizontal"),
    [
        ({"r": keys("a", "b")}, Bars, False),
        ({"r": keys("a long name of a ward", "b")}, Bars, True),
        ({"r": keys(*map(str, range(20)))}, Bars, True),
        ({"r": keys(True, False)}, Bars, False),
        ({"r": keys(1, 2)}, Lines, None),
        ({"r": keys(1)}, Bars, True),
        ({"r": keys(None, 1)}, Bars, False),
        ({"r": keys(*["x"] * 3), "n": keys(1, 1, 2)}, Bars, False),
        ({"d": keys(*[MONTHS[0]] * 9, *[MONTHS[1]] * 9), "r": keys(*range(9), *range(9))}, Lines, None),
        ({"d": keys(*MONTHS, *MONTHS), "r": keys(*map(str, range(24)))}, Bars, True),
    ],
)
def test_keys_decide_the_form(columns: dict, form: type, horizontal: bool | None) -> None:
    size = len(next(iter(columns.values())))
    answer = release(columns | {"count": numbers([1] * size, 1)})
    shape = arrange(answer.rendered)
    assert isinstance(shape, form)
    assert getattr(shape, "horizontal", None) is horizontal
    answer.plot()


def test_what_is_not_drawn_is_said() -> None:
    months = release({"month": keys(*MONTHS, None), "count": numbers([1] * 13, 1)}).plot()
    assert "without a value is not drawn" in months.get_supxlabel()
    many = release({"k": keys(*(f"k{i}" for i in range(100))), "count": numbers([1] * 100, 1)}).plot()
    assert "the first 60 of 100 groups" in many.get_supxlabel()


def test_the_caption_says_what_the_intervals_are_about() -> None:
    answer = usual({"k": keys("a", "b"), "n": numbers([5, 6], 2)}, {"n": numbers([4, 5], 1)})
    caption = answer.plot().get_supxlabel()
    assert " ".join(caption.split()).startswith("95% intervals for all rows that fit the description, assuming")
    assert max(map(len, caption.splitlines())) <= 80  # it fits the width of two bars
    drawn = next(each for each in answer.plot().axes[0].containers if isinstance(each, ErrorbarContainer))
    assert drawn.lines[2][0].get_segments()[0][:, 1].tolist() == [3, 7]


def test_no_text_is_read_as_a_formula(tmp_path: Path) -> None:
    evil = r"$\frac{a}$ & <b>"
    answer = release({"k": keys(evil, "$", "\x1b[2J"), evil: numbers([1, nan, 2], 1)})
    answer.plot(tmp_path / "a.png")
    release({"m": keys(*MONTHS[:2], *MONTHS[:2]), "k": keys(evil, evil, "$", "$"), evil: numbers([1] * 4, 1)}).plot(
        tmp_path / "b.svg"
    )


def test_open_ends_and_gaps_are_drawn(tmp_path: Path) -> None:
    ends = Estimates(np.array([1.0, nan, 3.0]), np.array([-inf, 0.0, 2.0]), np.array([inf, 9.0, inf]))
    for where in (keys("a", "b", "c"), keys(1, 2, 3), keys(*MONTHS[:3])):
        release({"k": where, "x": ends}).plot(tmp_path / "open.png")


def test_a_notebook_shows_it() -> None:
    assert clinic().plot()._repr_png_().startswith(b"\x89PNG")


def test_nothing_to_draw_is_refused() -> None:
    with pytest.raises(Refused, match="aggregates"):
        release({"k": keys("a")}).plot()
    with pytest.raises(Refused, match="HAVING"):
        release({"k": keys(), "count": numbers([], 1)}).plot()
