"""Marks of the pictures of a page, as SVG: texts, lines, round ticks, and the figure around them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import accumulate
from math import floor, log10
from typing import Final
from unicodedata import east_asian_width

from tacit.release.text import html_text
from tacit.words import number

WIDTH: Final = 440  # of a picture; a page scales it to its width
_LETTER: Final = 8.4
_WIDE, _THIN = dict.fromkeys("mwMW@%…", 13.0), dict.fromkeys("fijlrtI.,' ", 5.4)
_WIDTHS: Final = dict.fromkeys("ABCDEGHKNOQRUVX&", 10.2) | _WIDE | _THIN
_MOST_LETTERS: Final = 20


def svg_figure(title: str, height: float, parts: Sequence[str], remark: str) -> str:
    """A picture with its title and a remark."""
    head = html_text(title)
    return (
        f'<figure><figcaption>{head}</figcaption><svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" '
        f'aria-label="{head}">{"".join(parts)}</svg><p class="quiet">{html_text(remark)}</p></figure>'
    )


def round_ticks(low: float, high: float) -> list[float]:
    """Three to six round numbers that span the range."""
    span = max(high - low, 1e-9)
    unit = 10.0 ** floor(log10(span / 4))
    step = next(each * unit for each in (1, 2, 5, 10) if span / (each * unit) <= 4.5)
    first, last = floor(low / step), -floor(-high / step)
    return [place * step for place in range(first, max(last, first + 1) + 1)]


def tick_text(value: float, ticks: Sequence[float]) -> str:
    """A tick as text, with the digits that tell it from the next."""
    return number(value + 0.0, 0 if all(float(tick).is_integer() for tick in ticks) else ticks[1] - ticks[0])


def room_for(labels: Sequence[str]) -> float:
    """The room that labels take."""
    return 10 + max(map(text_length, labels), default=0.0)


def text_length(text: str) -> float:
    """About how long a text is, in a wide font."""
    return sum(2 * _LETTER if east_asian_width(each) in "WF" else _WIDTHS.get(each, _LETTER) for each in text)


def shortened(text: str, most: int = _MOST_LETTERS) -> str:
    """The text, cut where it is longer than so many letters are in the mean."""
    if text_length(text) <= most * _LETTER:
        return text
    room = most * _LETTER - text_length("…")
    return text[: sum(reach <= room for reach in accumulate(map(text_length, text)))] + "…"


def text_at(x: float, y: float, text: str, anchor: str, style: str = "") -> str:
    """A text at a place, anchored at its "start", "middle" or "end"."""
    named = f' class="{style}"' if style else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{escape(anchor)}"{named}>{html_text(text)}</text>'


def line_at(x: float, y: float, to_x: float, to_y: float, style: str = "grid") -> str:
    """A line between two places."""
    return f'<line class="{style}" x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}"/>'


def points_of(pairs: Iterable[tuple[float, float]]) -> str:
    """Places as the points of a polygon."""
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in pairs)
