"""The terms of a model: what each column adds to a prediction, level by level, as numbers and as a figure."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.learn.additive_model import AdditiveModel
from tacit.learn.coded_rows import SCORE
from tacit.learn.model_kind import ModelData
from tacit.learn.sums.class_scores import ClassScores
from tacit.learn.sums.linear_model import LinearModel
from tacit.printable import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
_COLOURS: Final = ("#2f6690", "#d1495b", "#3a8f6b", "#b8860b", "#6a4c93", "#00798c", "#8d5524", "#5c677d")
_WIDE: Final = 3  # panels beside each other


@frozen(eq=False)
class ModelTerm:
    """What a column adds: a value for each label, in each of the series; and deviations of noise where they are known.

    `is_ordered` says that labels are bins of a number or a date, or its bounds.
    """

    name: str
    labels: tuple[str, ...]
    series: tuple[str, ...]
    values: Floats  # a row for each label, a column for each series
    errors: Floats | None
    is_ordered: bool
    unit: str  # of the values


def terms_of(model: ModelData) -> tuple[ModelTerm, ...]:
    """The terms of a model; refused for one that is no sum of terms."""
    if isinstance(model, AdditiveModel):
        return _additive(model)
    if isinstance(model, ClassScores):
        return _class_terms(model)
    if isinstance(model, LinearModel):
        return _linear(model)
    raise Refused(
        "a figure of this model's terms", "It is no sum of terms.", "an additive, linear or naive Bayes model."
    )


def _additive(model: AdditiveModel) -> tuple[ModelTerm, ...]:
    bounds = model.target.bounds
    scale, unit = (1.0, "log odds") if bounds is None else (bounds[1] - bounds[0], model.target.name)
    return tuple(
        ModelTerm(
            feature.name,
            feature.labels(),
            (model.target.name,),
            np.array(scores, np.float64)[:, None] * scale / SCORE,
            None,
            feature.edges is not None,
            unit,
        )
        for feature, scores in zip(model.features, model.scores, strict=True)
        if feature.name
    )


def _class_terms(model: ClassScores) -> tuple[ModelTerm, ...]:
    """Of each level, what it adds to a class above what it adds to all classes on average."""
    series, found = tuple(map(str, model.classes)), []
    for feature, scores in zip(model.features, model.scores, strict=True):
        if feature.name:
            values = np.array(scores, np.float64) / SCORE
            centred = values - values.mean(axis=1, keepdims=True)
            ordered = feature.edges is not None
            found.append(ModelTerm(feature.name, feature.labels(), series, centred, None, ordered, "log share"))
    return tuple(found)


def _linear(model: LinearModel) -> tuple[ModelTerm, ...]:
    """Of a number, the lowest and the highest value beside the middle; of a key, its levels beside the first."""
    numbers, found = {each.name: each for each in model.coefficients}, []
    unit, series = model.scale.name, (model.scale.name,)
    for number in model.numbers:
        own, ends = numbers[number.name], np.array([[-number.half], [number.half]])
        labels = (f"{number.low:g}", f"{number.high:g}")
        found.append(ModelTerm(number.name, labels, series, own.value * ends, np.abs(own.error * ends), True, unit))
    for key in model.keys:
        own_levels = [numbers[f"{key.name} = {value}"] for value in (key.values or ())[1:]]
        values = np.array([0.0, *(each.value for each in own_levels)])[:, None]
        errors = np.array([0.0, *(each.error for each in own_levels)])[:, None]
        found.append(ModelTerm(key.name, tuple(map(str, key.values or ())), series, values, errors, False, unit))
    return tuple(found)


def terms_figure(terms: Sequence[ModelTerm]) -> Figure:
    """A panel for each term: steps over bins, lines between bounds, dots at the levels of keys."""
    from matplotlib.figure import Figure

    rows = -(-len(terms) // _WIDE)
    figure = Figure(figsize=(4.2 * min(_WIDE, len(terms)), 3.0 * rows), layout="constrained")
    panels = figure.subplots(rows, min(_WIDE, len(terms)), squeeze=False).ravel()
    for panel, term in zip(panels, terms, strict=False):
        _draw(panel, term)
    for panel in panels[len(terms) :]:
        panel.set_visible(False)
    if len(terms[0].series) > 1:
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=min(8, len(labels)), frameon=False)
    return figure


def _draw(panel: Axes, term: ModelTerm) -> None:
    places = np.arange(len(term.labels))
    steps = places[:-1] if term.is_ordered and term.errors is None else places
    for at, name in enumerate(term.series):
        colour, values = _COLOURS[at % len(_COLOURS)], term.values[:, at]
        label = printable(name).replace("$", r"\$")
        if term.is_ordered and term.errors is None:
            panel.step(steps, values[:-1], where="mid", color=colour, linewidth=1.6, label=label)
            panel.plot(places[-1:], values[-1:], "o", color=colour, markersize=4)
        elif term.is_ordered:
            panel.plot(places, values, color=colour, linewidth=1.6, label=label)
        else:
            panel.plot(places, values, "o", color=colour, markersize=4, label=label)
        if term.errors is not None:
            panel.errorbar(places, values, 1.96 * term.errors[:, at], fmt="none", ecolor=colour, capsize=3)
    shown = places if len(places) <= 8 else places[:: -(-len(places) // 8)]
    names = [printable(term.labels[place])[:18].replace("$", r"\$") for place in shown]
    panel.set_xticks(shown, names, rotation=35, ha="right", fontsize=7)
    panel.axhline(0, color="#8a8a8a", linewidth=0.8)
    panel.set_title(printable(term.name).replace("$", r"\$"), loc="left", fontsize=10)
    panel.set_ylabel(printable(term.unit).replace("$", r"\$"), fontsize=8)
    panel.spines[["top", "right"]].set_visible(False)


def plot_terms(model: ModelData, place: str | Path | None = None) -> bytes:
    """The figure of a model's terms as PNG; written to a file, where one is named."""
    drawn = BytesIO()
    terms_figure(terms_of(model)).savefig(drawn, dpi=150, format="png")
    if place is not None:
        Path(place).write_bytes(drawn.getvalue())
    return drawn.getvalue()
