"""Pictures of the terms of an additive model: what each level of a feature adds to the prediction, as bars."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from tacit.learn.additive_model import AdditiveModel
from tacit.learn.coded_rows import SCORE
from tacit.learn.features import ModelFeature
from tacit.release.svg_marks import (
    WIDTH,
    line_at,
    room_for,
    round_ticks,
    shortened,
    svg_figure,
    text_at,
    text_length,
    tick_text,
)
from tacit.schema.kind import Key

_ROW, _TOP, _FOOT = 20, 6, 30
_MOST_BARS: Final = 40
OTHERS: Final = "NULL, or another"


def term_pictures(model: AdditiveModel) -> list[str]:
    """A figure for each feature, all with one scale."""
    unit = _unit(model)
    scores = [[score * unit for score in numbers] for numbers in model.scores]
    named = [(feature, each) for feature, each in zip(model.features, scores, strict=True) if feature.name]
    shown = [score for _, each in named for score in each]
    ticks = round_ticks(min(0.0, *shown), max(0.0, *shown)) if shown else [0.0, 1.0]
    return [_bars(feature, each, ticks) for feature, each in named]


def term_words(model: AdditiveModel) -> str:
    """What the bars say."""
    base = sum(numbers[0] for feature, numbers in zip(model.features, model.scores, strict=True) if not feature.name)
    if model.target.values is not None:
        start = f"A row begins with a score of {base / SCORE:.2f}, to which each of its levels adds its bar."
        return f"{start} Where the sum is above 0, {model.target.name} is predicted to be {model.target.values[1]}."
    least, most = model.target.bounds or (0.0, 0.0)
    middle = (least + most) / 2 + base * _unit(model)
    return f"A row begins with {middle:,.4g}, to which each of its levels adds its bar."


def _unit(model: AdditiveModel) -> float:
    """What a step of a score is: of the score, or of the number that is estimated."""
    least, most = model.target.bounds or (0.0, 1.0)
    return (most - least) / SCORE


def level_names(feature: ModelFeature) -> list[str]:
    """What the levels of a feature are called."""
    if feature.values is not None:
        return [*map(_text, feature.values), OTHERS]
    edges = [_text(edge) for edge in feature.edges or ()]
    inner = [f"{low} to {high}" for low, high in pairwise(edges)]
    named = [f"below {edges[0]}", *inner, f"from {edges[-1]}"] if edges else ["any"]
    return [*named, OTHERS]


def _text(value: Key | float) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:,.6g}" if isinstance(value, float) else str(value)


def _bars(feature: ModelFeature, scores: list[float], ticks: list[float]) -> str:
    labels = [shortened(text) for text in level_names(feature)[:_MOST_BARS]]
    left = room_for(labels)
    height = _TOP + _ROW * len(labels)
    right = WIDTH - 8 - text_length(tick_text(ticks[-1], ticks)) / 2

    def across(value: float) -> float:
        return left + (right - left) * (value - ticks[0]) / (ticks[-1] - ticks[0])

    parts = [line_at(across(tick), _TOP, across(tick), height) for tick in ticks]
    parts += [text_at(across(tick), height + 16, tick_text(tick, ticks), "middle") for tick in ticks]
    for row, (label, score) in enumerate(zip(labels, scores, strict=False)):
        middle = _TOP + _ROW * (row + 0.5)
        start, end = sorted((across(0), across(score)))
        parts.append(text_at(left - 6, middle + 4, label, "end"))
        parts.append(f'<rect class="bar" x="{start:.1f}" y="{middle - 7:.1f}" width="{end - start:.1f}" height="14"/>')
    parts.append(line_at(across(0), _TOP, across(0), height, "error"))
    hidden = feature.levels - len(labels)
    return svg_figure(feature.name, height + _FOOT, parts, f"{hidden:,} more levels." if hidden else "")
