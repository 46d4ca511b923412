"""Pictures of tables for a page: bars with error bars, a line with its band, a heat map, each as SVG inside the page.

A picture takes its colours from the page's style sheet and loads nothing. Every text in it is escaped.
"""

from __future__ import annotations

from math import isfinite
from typing import Final

import numpy as np

from tacit.query.post_noise.estimates import Estimates, Floats, Keys, Rendered
from tacit.release.cells import key_texts
from tacit.release.plot_layout import Lines, arrange
from tacit.release.svg_marks import (
    WIDTH,
    line_at,
    points_of,
    room_for,
    round_ticks,
    shortened,
    svg_figure,
    text_at,
    text_length,
    tick_text,
)
from tacit.release.text import html_text
from tacit.words import number

_ROW, _TOP, _FOOT = 24, 6, 44
_MOST_BARS: Final = 30
_MOST_CELLS: Final = 24  # of a heat map, each way
_NARROW: Final = 12.0  # of a heat map's column
_HIGH: Final = 190  # of a line's panel
_MOST_PICTURES: Final = 3


def pictures(rendered: Rendered) -> list[str]:
    """The figures of a table by one key or two; none of other tables, and none where there would be too many marks."""
    drawn = rendered.measured
    keys = [(each.name, each.values) for each in drawn.columns if isinstance(each.values, Keys)]
    numbers = [(each.name, each.values) for each in drawn.columns if isinstance(each.values, Estimates)]
    shown = [(name, values) for name, values in numbers if np.isfinite(values.value).any()]
    if len(keys) == 2:
        return [found for name, values in shown[:1] if (found := _heat(keys[0], keys[1], name, values))]
    return [_along(drawn, *keys[0], name, values) for name, values in shown[:_MOST_PICTURES]] if len(keys) == 1 else []


def _along(drawn: Rendered, by: str, keys: Keys, name: str, numbers: Estimates) -> str:
    shape = arrange(drawn)
    if isinstance(shape, Lines) and (shape.is_time or len(keys) > _MOST_BARS):
        return _line(shape, by, keys, name, numbers)
    return _bars(by, keys, name, numbers)


def _bars(by: str, keys: Keys, name: str, numbers: Estimates) -> str:
    labels = [shortened(text) for text in key_texts(keys)[:_MOST_BARS]]
    left = room_for(labels)
    ticks = round_ticks(*_ends(numbers, len(labels)))
    height = _TOP + _ROW * len(labels)

    def across(value: float) -> float:
        return left + (WIDTH - 26 - left) * (value - ticks[0]) / (ticks[-1] - ticks[0])

    parts = [line_at(across(tick), _TOP, across(tick), height) for tick in ticks]
    parts += [text_at(across(tick), height + 16, tick_text(tick, ticks), "middle") for tick in ticks]
    for row, label in enumerate(labels):
        middle = _TOP + _ROW * (row + 0.5)
        parts.append(text_at(left - 6, middle + 4, label, "end"))
        value, low, high = (float(each[row]) for each in (numbers.value, numbers.low, numbers.high))
        if not isfinite(value):
            parts.append(text_at(across(max(0.0, ticks[0])) + 4, middle + 4, "too few to say", "start", "faint"))
            continue
        start, end = sorted((across(max(0.0, ticks[0])), across(value)))
        parts.append(f'<rect class="bar" x="{start:.1f}" y="{middle - 8:.1f}" width="{end - start:.1f}" height="16"/>')
        ends = [
            across(end) for end in (low, high) if ticks[0] <= end <= ticks[-1]
        ]  # a number outside the picture has no mark
        parts.append(line_at(across(max(low, ticks[0])), middle, across(min(high, ticks[-1])), middle, "error"))
        parts += [line_at(x, middle - 4, x, middle + 4, "error") for x in ends]
    parts.append(text_at((left + WIDTH) / 2, height + 36, shortened(name, 40), "middle", "axis"))
    more = f", the first {_MOST_BARS} of {len(keys):,}" if len(keys) > _MOST_BARS else ""
    return svg_figure(f"{name} by {by}{more}", height + _FOOT, parts, "The line at each bar is its interval.")


def _line(shape: Lines, by: str, keys: Keys, name: str, numbers: Estimates) -> str:
    rows = shape.series[0][1]
    places = shape.places[rows].astype(np.float64)
    ticks = round_ticks(*_ends(numbers, len(numbers)))
    left, bottom = 12 + max(text_length(tick_text(tick, ticks)) for tick in ticks), _TOP + _HIGH
    x = left + (WIDTH - 20 - left) * (places - places.min()) / max(float(np.ptp(places)), 1.0)

    def down(values: Floats) -> Floats:
        return np.asarray(bottom - _HIGH * (np.clip(values, ticks[0], ticks[-1]) - ticks[0]) / (ticks[-1] - ticks[0]))

    parts = [line_at(left, y, WIDTH - 20, y) for y in down(np.array(ticks))]
    parts += [text_at(left - 6, float(down(np.array([t]))[0]) + 4, tick_text(t, ticks), "end") for t in ticks]
    value, low, high = (each[rows] for each in (numbers.value, numbers.low, numbers.high))
    known = np.isfinite(value) & np.isfinite(low) & np.isfinite(high)
    edge = [*zip(x[known], down(high[known]), strict=True), *zip(x[known][::-1], down(low[known])[::-1], strict=True)]
    parts.append(f'<polygon class="band" points="{points_of(edge)}"/>')
    parts.append(f'<polyline class="curve" points="{points_of(zip(x[known], down(value[known]), strict=True))}"/>')
    texts = key_texts(keys)
    for place, anchor in ((0, "start"), (len(rows) // 2, "middle"), (len(rows) - 1, "end")):
        parts.append(text_at(float(x[place]), bottom + 16, texts[int(rows[place])], anchor))
    parts.append(text_at((left + WIDTH) / 2, bottom + 36, shortened(by, 40), "middle", "axis"))
    remarks = "".join(f" {each[0].upper()}{each[1:]}." for each in shape.remarks)
    return svg_figure(f"{name} by {by}", bottom + _FOOT, parts, f"The band holds the intervals.{remarks}")


def _heat(one: tuple[str, Keys], other: tuple[str, Keys], name: str, numbers: Estimates) -> str:
    """One square per cell, darker for larger numbers; a dot where the interval contains 0."""
    down, across = one, other
    if len(set(down[1].values)) < len(set(across[1].values)):  # the longer key goes down
        down, across = across, down
    lines, stacks = (list(dict.fromkeys(keys.values)) for _, keys in (down, across))
    if not (len(lines) <= _MOST_CELLS and len(stacks) <= _MOST_CELLS):
        return ""
    labels = [shortened(text) for text in key_texts(Keys(tuple(lines), down[1].kind))]
    heads = [shortened(text) for text in key_texts(Keys(tuple(stacks), across[1].kind))]
    left, top = room_for(labels), max(map(text_length, heads)) * 0.75 + 14
    wide = min(44.0, (WIDTH - left - 0.75 * max(map(text_length, heads)) - 14) / len(stacks))
    if wide < _NARROW:  # heads would lie on one another
        return ""
    most = max(0.0, float(numbers.value[np.isfinite(numbers.value)].max()))
    parts = []
    for place, head in enumerate(heads):
        turned = f"translate({left + wide * (place + 0.5):.1f} {top - 6:.1f}) rotate(-45)"
        parts.append(f'<text transform="{turned}">{html_text(head)}</text>')
    parts += [text_at(left - 6, top + _ROW * (row + 0.5) + 4, label, "end") for row, label in enumerate(labels)]
    spots = zip(down[1].values, across[1].values, numbers.value, numbers.low, numbers.high, strict=True)
    for line, stack, value, low, high in spots:
        row, place = lines.index(line), stacks.index(stack)
        x, y = left + wide * place, top + _ROW * row
        depth = max(0.0, float(value)) / most if most > 0 and isfinite(value) else 0.0
        said = number(float(value), (float(high) - float(low)) / 2) if isfinite(value) else "too few to say"
        keys = f"{labels[row]}, {heads[place]}"
        parts.append(
            f'<rect class="heat" x="{x:.1f}" y="{y:.1f}" width="{wide - 1:.1f}" height="{_ROW - 1}" '
            f'fill-opacity="{depth:.3f}"><title>{html_text(f"{keys}: {said}")}</title></rect>'
        )
        if not float(low) > 0:
            parts.append(f'<circle class="dot" cx="{x + wide / 2:.1f}" cy="{y + _ROW / 2:.1f}" r="1.8"/>')
    legend = f"From 0 (no colour) to {number(most, most / 3)} (full colour). A dot: the interval holds 0."
    title = f"{name} by {down[0]} (down) and {across[0]} (across)"
    return svg_figure(title, top + _ROW * len(lines) + 8, parts, legend)


def _ends(numbers: Estimates, rows: int) -> tuple[float, float]:
    """The range of the axis, including 0; an interval's end far beyond all numbers is cut."""
    known = numbers.value[:rows][np.isfinite(numbers.value[:rows])]
    least, most = min(0.0, float(known.min(initial=0.0))), max(0.0, float(known.max(initial=0.0)))
    far = 2 * max(most - least, 1e-9)
    drawn = np.isfinite(numbers.value[:rows])
    low = numbers.low[:rows][drawn & np.isfinite(numbers.low[:rows])]
    high = numbers.high[:rows][drawn & np.isfinite(numbers.high[:rows])]
    return max(min(float(low.min(initial=least)), least), -far), min(max(float(high.max(initial=most)), most), far)
