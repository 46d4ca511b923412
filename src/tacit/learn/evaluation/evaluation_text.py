"""The SQL of an evaluation: rows by class and bin of the score, or the mean errors of a number; by groups on request.

It is a query like any other: rows, limits, price and intervals are those of the planner.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from sqlglot import exp

from tacit.learn.evaluation.score_bins import ScoreBins, ScoredModel, scored
from tacit.learn.model_kind import ModelData
from tacit.learn.training_text import Task, TrainingTarget, parsed_rows

CLASS, BIN, ROWS = "class", "bin", "rows"


@runtime_checkable
class NumberModel(Protocol):
    """A model that estimates a number by an expression."""

    @property
    def target(self) -> TrainingTarget: ...

    def predicted_sql(self) -> str:
        """The number that is expected, as SQL over the columns of the training rows."""
        ...


def evaluation_sql(model: ModelData, bins: ScoreBins | None, sql: str, by: Sequence[str]) -> str:
    """The query of an evaluation: by bins of the score, by errors, or by what the model is judged by."""
    one = scored(model)
    if bins is not None and one is not None:
        return counts_sql(one, bins, sql, by)
    if model.target.task is Task.REGRESSION and isinstance(model, NumberModel):
        return errors_sql(model, sql, by)
    return judged_sql(model, sql, by)


def group_name(place: int) -> str:
    """What a column of the query is called by which measures are grouped."""
    return f"by{place}"


def counts_sql(model: ScoredModel, bins: ScoreBins, sql: str, by: Sequence[str]) -> str:
    """The numbers of rows by class, bin and groups, of the rows of a SELECT like that of the training."""
    inner = _scored(sql, by, f"{model.target.unit_sql()} AS {CLASS}", f"{model.score_sql()} AS score")
    keys = ", ".join([CLASS, BIN, *map(group_name, range(len(by)))])
    groups = "".join(f", {group_name(place)}" for place in range(len(by)))
    listed = f"{CLASS}, {bins.bin_sql('score')} AS {BIN}{groups}, COUNT(*) AS {ROWS}"
    return f"SELECT {listed} FROM ({inner}) WHERE {CLASS} IS NOT NULL GROUP BY {keys}"


def errors_sql(model: NumberModel, sql: str, by: Sequence[str]) -> str:
    """The mean errors of a number that is predicted, by groups."""
    target = model.target
    least, most = target.bounds or (0.0, 0.0)
    width = most - least
    groups = [group_name(place) for place in range(len(by))]
    inner = _scored(sql, by, f"{target.item} AS truth", f"({target.item}) - ({model.predicted_sql()}) AS off")
    off = f"least(greatest(off, {-width!r}), {width!r})"
    listed = ", ".join([f"power({off}, 2) AS squared_error", f"abs({off}) AS absolute_error", *groups])
    errors = f"SQRT(AVG(squared_error)) AS rmse, AVG(absolute_error) AS mae, COUNT(*) AS {ROWS}"
    shown = "".join(f'{group} AS "{_quoted(name)}", ' for group, name in zip(groups, by, strict=True))
    grouped = f" GROUP BY {', '.join(groups)}" if by else ""
    return f"SELECT {shown}{errors} FROM (SELECT {listed} FROM ({inner}) WHERE truth IS NOT NULL){grouped}"


def judged_sql(model: ModelData, sql: str, by: Sequence[str]) -> str:
    """The mean of what a model is judged by, by groups: for models that are judged by one number a row."""
    target = model.target
    is_number = target.task is Task.REGRESSION
    truth = target.item if is_number else target.unit_sql()
    inner = _scored(sql, by, f"{truth} AS truth", f"{model.judged_sql()} AS judged")
    groups = [group_name(place) for place in range(len(by))]
    shown = "".join(f'{group} AS "{_quoted(name)}", ' for group, name in zip(groups, by, strict=True))
    grouped = f" GROUP BY {', '.join(groups)}" if by else ""
    measure = "SQRT(AVG(judged)) AS rmse" if is_number else "AVG(judged) AS accuracy"
    return f"SELECT {shown}{measure}, COUNT(*) AS {ROWS} FROM ({inner}) WHERE truth IS NOT NULL{grouped}"


def _scored(sql: str, by: Sequence[str], *columns: str) -> str:
    """The rows of a SELECT with other columns; a group may be named as the SELECT names it."""
    select = parsed_rows(sql).copy()
    named = {item.alias_or_name.lower(): item.unalias().sql("duckdb") for item in select.expressions}
    groups = [f"{named.get(name.lower(), name)} AS {group_name(place)}" for place, name in enumerate(by)]
    chosen: exp.Select = select.select(*columns, *groups, append=False, dialect="duckdb")
    return chosen.sql("duckdb")


def _quoted(name: str) -> str:
    return name.replace('"', '""')
