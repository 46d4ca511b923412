"""What a SELECT says of training: its rows, the target, and the features."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import Enum
from fractions import Fraction
from functools import cached_property

from sqlglot import exp

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.learn.features import INTERCEPT, ModelFeature, feature_of, literal, parsed_expression
from tacit.learn.number_columns import NumberColumn, named_numbers, number_column
from tacit.query.plans.question import calls_in, parsed_selects
from tacit.query.sql.expressions.rule_registry import type_expression
from tacit.query.sql.from_clause import read_rows
from tacit.query.sql.rows import Rows
from tacit.query.sql.values.domains import domain
from tacit.query.sql.values.storage import as_float, double_sql
from tacit.query.sql.values.typed import Typed
from tacit.schema.catalogue import Catalogue
from tacit.schema.kind import Key

MOST_FEATURES = 64
_CLAUSES = {"expressions", "from_", "joins", "where", "with_", "kind"}
_WIDEST = 1e300  # of a target: beyond, differences are no doubles


class Task(Enum):
    """What is predicted: which of a few values, or a number within bounds."""

    CLASSIFICATION = "classification"
    REGRESSION = "regression"


@frozen
class TrainingTarget:
    """The column that is predicted. `values` are the classes of a classification, `bounds` those of a regression."""

    name: str
    item: str
    values: tuple[Key, ...] | None
    bounds: tuple[float, float] | None

    @property
    def task(self) -> Task:
        return Task.REGRESSION if self.values is None else Task.CLASSIFICATION

    def unit_sql(self) -> str:
        """The target of a classification as the place of its value, in the analyst's SQL; NULL where it is none."""
        tests = [f"WHEN ({self.item}) = {literal(value)} THEN {place}" for place, value in enumerate(self.values or ())]
        return f"CASE {' '.join(tests)} END"


@frozen(eq=False)
class Training:
    """Private rows with their target and their features, the intercept first; each is typed SQL over the rows."""

    sql: str
    rows: Rows
    target: TrainingTarget
    features: tuple[ModelFeature, ...]
    target_sql: str  # an integer from 0 on, or a DOUBLE; NULL where the row has no target
    level_sql: tuple[str, ...]
    numbers: tuple[NumberColumn, ...] = ()  # columns that count as numbers
    number_sql: tuple[str, ...] = ()  # each scaled, a DOUBLE

    @cached_property
    def digest(self) -> str:
        """What is learned from what: rows, target and features as they are computed."""
        own = [self.rows.sql, self.rows.ownership.value, self.target_sql, *self.level_sql, str(self.target.bounds)]
        listed = [feature.fields() for feature in self.features] + [column.fields() for column in self.numbers]
        said = json.dumps([[*own, *self.number_sql], listed])
        return hashlib.sha256(said.encode()).hexdigest()


def read_training(
    sql: str,
    target: str,
    bins: int,
    catalogue: Catalogue,
    classes: int = 2,
    found: Mapping[str, tuple[Key, ...]] | None = None,
    numbers: str = "",
) -> Training:
    """The training that a SELECT and the name of its target ask for; refused, before any row is read, if it has none.

    Each item but the target is a feature; its name is what the SELECT calls it. A target with two to `classes` declared
    values is classified. Columns in `found` have these levels, which were chosen before; those that `numbers` names, by
    names or patterns, count as numbers.
    """
    if not 2 <= bins <= 256:
        raise Refused(f"{bins} bins", "A number is cut into so many levels.", "2 to 256 bins.")
    select = parsed_rows(sql)
    rows = read_rows(select, catalogue)
    items = named_items(select)
    if target.lower() not in items:
        raise Refused(f"the target {target}", "The SELECT names no such column.", ", ".join(items) + ".")
    chosen = items.pop(target.lower())
    counted = named_numbers(list(items), numbers)
    features = len(items) - len(counted)
    if not 1 - bool(counted) <= features <= MOST_FEATURES:
        raise Refused(f"{features} features", "A model needs some, and all share one price.", "1 to 64 columns.")
    aim, target_sql = _target(target, chosen, rows, classes)
    typed = {name: type_expression(item, rows) for name, item in items.items()}
    known = found or {}
    own = [
        ModelFeature(name, items[name].sql("duckdb"), None, known[name])
        if name in known
        else feature_of(name, items[name].sql("duckdb"), each, bins)
        for name, each in typed.items()
        if name not in counted
    ]
    columns = tuple(number_column(name, items[name].sql("duckdb"), typed[name]) for name in counted)
    scaled = tuple(each.scaled_sql(typed[each.name]) for each in columns)
    return with_features(Training(sql, rows, aim, (), target_sql, (), columns, scaled), (INTERCEPT, *own))


def with_features(training: Training, features: Sequence[ModelFeature]) -> Training:
    """The same rows and target with other features."""
    levels = tuple(type_expression(parsed_expression(each.level_sql()), training.rows).sql for each in features)
    return replace(training, features=tuple(features), level_sql=levels)


def parsed_rows(sql: str) -> exp.Select:
    """The one SELECT of a text; refused where it is no list of rows as they are."""
    selects = parsed_selects(sql)
    extra = {name for name, value in selects[0].args.items() if value} - _CLAUSES
    if len(selects) != 1 or extra or calls_in(selects[0]):
        raise Refused(
            "this text as training rows",
            "A model is trained on the rows of one SELECT as they are.",
            "SELECT target, feature, … FROM … WHERE …, without GROUP BY, ORDER BY or aggregates.",
        )
    return selects[0]


def named_items(select: exp.Select) -> dict[str, exp.Expression]:
    """The columns by their names in lower case."""
    found: dict[str, exp.Expression] = {}
    for item in select.expressions:
        name = item.alias_or_name.lower()
        if not name or name == "*":
            raise Refused(f"{item.sql('duckdb')} in a training SELECT", "It has no name of its own.", "… AS a_name.")
        if name in found:
            raise Refused(f"two columns called {name}", "A model could not tell them apart.", "… AS another_name.")
        found[name] = item.unalias()
    return found


def _target(name: str, item: exp.Expression, rows: Rows, classes: int) -> tuple[TrainingTarget, str]:
    typed, text = type_expression(item, rows), item.sql("duckdb")
    values = domain(typed)
    if values is not None and 2 <= len(values) <= classes:
        target = TrainingTarget(name.lower(), text, tuple(values), None)
        return target, type_expression(parsed_expression(target.unit_sql()), rows).sql
    if typed.kind.is_number and typed.low is not None and typed.high is not None and typed.low < typed.high:
        as_double = as_float(typed)
        low, high = float(as_double.low or 0), float(as_double.high or 0)
        if not -_WIDEST < low < high < _WIDEST:
            raise Refused(f"{name} as a target", "Its bounds are too far apart.", "narrower min and max.")
        return TrainingTarget(name.lower(), text, None, (low, high)), _within_unit(as_double, low, high)
    raise Refused(
        f"{name} as a target",
        "What it can be is not declared.",
        "a column with two declared values, a boolean, or a number with min and max.",
    )


def _within_unit(typed: Typed, low: float, high: float) -> str:
    """The target from −½ to ½, as a DOUBLE."""
    width = double_sql(Fraction(high) - Fraction(low))
    return f"(({typed.sql} - {double_sql(low)}) / {width} - 5e-1)"
