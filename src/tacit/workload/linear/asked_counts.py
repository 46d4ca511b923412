"""The questions of a text: tables of answers, each a row of coefficients over the cells."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.aggregates.aggregate import Measure
from tacit.query.aggregates.moments import Total
from tacit.query.plans.question import Question, read_question
from tacit.query.post_noise.estimates import Keys
from tacit.query.post_noise.expression import Expression, as_truth, evaluate
from tacit.query.post_noise.expression_reader import condition, read
from tacit.query.post_noise.post_processing import exact_values
from tacit.query.post_noise.scope import PostNoiseScope, canonical, plain
from tacit.schema.catalogue import Catalogue
from tacit.workload.alike_in_doubles import is_alike
from tacit.workload.factorisation.question_matrix import QuestionMatrix
from tacit.workload.linear.cell_classes import CellDomain, cell_domain
from tacit.workload.linear.question_text import CountSelect, CountText, RunningTotal, read_counts
from tacit.workload.public_functions import PublicFunction, functions_in

_MOST_COEFFICIENTS = 2**24  # before cells are merged
_HALF = Fraction(1, 2)
_Row = NDArray[np.int64]


@frozen(eq=False)
class AnswerTable:
    """The answers of one SELECT: its groups by shown key, and for each number which question is whose answer."""

    title: str
    keys: Mapping[str, Keys]
    columns: Mapping[str, tuple[int, ...]]

    @property
    def size(self) -> int:
        """How many rows it has."""
        return len(next(iter(self.columns.values())))


@frozen(eq=False)
class AskedCounts:
    """Counting questions over cells. `question` counts the measure of all rows, without keys."""

    text: CountText
    question: Question
    domain: CellDomain
    matrix: QuestionMatrix
    tables: tuple[AnswerTable, ...]
    listed: tuple[AnswerTable, ...]  # one a SELECT
    given_weights: tuple[Fraction, ...] | None

    @property
    def sql(self) -> str:
        return self.text.sql

    @cached_property
    def measure(self) -> Measure:
        """What is added up."""
        (part,) = self.question.measures
        return part

    @cached_property
    def digest(self) -> str:
        """The digest of the questions: keys by which rows are grouped, questions and weights."""
        keys = [[key.sql, str(key.kind), [repr(value) for value in key.domain or ()]] for key in self.domain.keys]
        classes = [column.classes for column in self.domain.columns]
        said = repr((keys, classes, self.matrix.rows.shape, self.matrix.weights, self.matrix.places.tolist()))
        return hashlib.sha256(said.encode() + self.matrix.rows.tobytes()).hexdigest()


def read_asked(sql: str, weights: Sequence[Fraction] | None, catalogue: Catalogue) -> AskedCounts:
    """The questions of a text; `weights` has one for each SELECT, which all its questions share."""
    text = read_counts(sql)
    question = _counted(read_question(str(text.whole.sql("duckdb")), catalogue))
    text.refuse_floats(question.rows)
    keyed = read_question(text.by_columns(), catalogue)
    scope, functions = text_scope(text, keyed)
    read_selects = [_ReadSelect.of(select, scope) for select in text.selects]
    every = [each for select in read_selects for each in select.expressions]
    domain = cell_domain(keyed.keys, functions, every)
    if not all(is_alike(each, domain.values) for each in every):
        raise Refused(
            "a question that is computed from values of columns",
            "Whether a value is in it is decided before the release, in doubles, and SQL's exact numbers may differ.",
            "comparisons of columns with numbers; // by a whole number; in tables, the expression as a key.",
        )
    weighed = list(weights or [Fraction(1)] * len(text.selects))
    if len(weighed) != len(text.selects):
        raise Refused(f"{len(weighed)} weights", "Each SELECT has one.", f"{len(text.selects)} of them.")
    listing = _Listing(domain)
    tables = [select.table(listing, weight) for select, weight in zip(read_selects, weighed, strict=True)]
    matrix = QuestionMatrix.of(np.array(list(listing.rows)), tuple(listing.weights))
    called = "count" if question.measures[0].subject == "rows" else "sum"
    given = None if weights is None else tuple(weights)
    return AskedCounts(text, question, domain, matrix, _gathered(read_selects, tables, called), tuple(tables), given)


def text_scope(text: CountText, keyed: Question) -> tuple[PostNoiseScope, list[PublicFunction]]:
    """The names that its conditions and keys may use: its columns, and functions of one column."""
    nodes = [plain(node) for select in text.selects for node in select.expressions]
    functions = {each.name: each for node in nodes for each in functions_in(node)}
    columns = {key.name: key.kind for key in keyed.keys}
    known = {name: each for name, each in functions.items() if (kind := columns.get(each.column)) and each.is_of(kind)}
    kinds = columns | {name: each.kind for name, each in known.items()}
    return PostNoiseScope.of(kinds, []), list(known.values())


def _counted(question: Question) -> Question:
    aggregates = list(question.aggregates.values())
    is_sum = len(aggregates) == 1 and isinstance(aggregates[0], Total) and isinstance(aggregates[0].part, Measure)
    if not is_sum or question.measures[0].once:
        raise Refused("this aggregate in a workload", "Its answers are no sums of cells.", "COUNT(*) or SUM(x).")
    return question


class _Listing:
    """The different questions of all SELECTs, and their weights added up."""

    def __init__(self, domain: CellDomain) -> None:
        self.domain = domain
        self.rows: list[_Row] = []
        self.weights: list[Fraction] = []
        self._places: dict[bytes, int] = {}

    def refuse_more_than(self, questions: int) -> None:
        """Refused where so many rows would not fit."""
        if not questions * self.domain.size <= _MOST_COEFFICIENTS:
            raise Refused(
                f"{questions:,} questions or more over {self.domain.size:,} combinations of values",
                "Each question has a number for each combination, and all must fit into memory.",
                "fewer questions, or coarser keys and ranges.",
            )

    def place(self, row: _Row, weight: Fraction) -> int:
        found = self._places.setdefault(row.tobytes(), len(self.rows))
        if found == len(self.rows):
            self.refuse_more_than(found + 1)
            self.rows.append(row)
            self.weights.append(Fraction(0))
        self.weights[found] += weight
        return found


@frozen(eq=False)
class _ReadSelect:
    """A SELECT whose keys and conditions are read as expressions over public columns."""

    select: CountSelect
    keys: dict[str, Expression]
    conditions: tuple[Expression, ...]
    filters: tuple[Expression | None, ...]

    @classmethod
    def of(cls, select: CountSelect, scope: PostNoiseScope) -> _ReadSelect:
        keys = {name: read(plain(node), scope) for name, node in select.keys.items()}
        conditions = tuple(condition(plain(node), scope) for node in select.conditions)
        nodes = [item.condition for item in select.items]
        filters = tuple(None if node is None else condition(plain(node), scope) for node in nodes)
        return cls(select, keys, conditions, filters)

    @property
    def expressions(self) -> list[Expression]:
        return [*self.keys.values(), *self.conditions, *(each for each in self.filters if each is not None)]

    @property
    def label(self) -> str:
        """What a SELECT without keys counts."""
        return " AND ".join(canonical(node) for node in self.select.given) or "all"

    def table(self, listing: _Listing, weight: Fraction) -> AnswerTable:
        """Its groups, and its questions as rows over the cells."""
        cells = listing.domain.groups
        kept = np.ones(cells.size, np.bool_)
        for each in self.conditions:
            kept &= as_truth(evaluate(each, cells, _HALF)).true
        columns = {name: exact_values(evaluate(each, cells, _HALF)) for name, each in self.keys.items()}
        found = list(zip(*(column.values for column in columns.values()), strict=True)) or [()] * cells.size
        groups = sorted({group for group, is_kept in zip(found, kept, strict=True) if is_kept}, key=_order)
        listing.refuse_more_than(len(groups))
        if not groups:
            raise Refused(self.label, "No values are so: it counts nothing.", "what some cell has.")
        place = {group: at for at, group in enumerate(groups)}
        member = np.array([place.get(group, -1) for group in found])
        numbers: dict[str, tuple[int, ...]] = {}
        for item, test in zip(self.select.items, self.filters, strict=True):
            counted = kept if test is None else kept & as_truth(evaluate(test, cells, _HALF)).true
            rows, added = np.zeros((len(groups), cells.size), np.int64), np.eye(len(groups), dtype=np.int64)
            if item.running is not None:
                added = _running(item.running, list(self.keys), groups)
            rows[:, counted] = added[:, member[counted]]
            name = item.name if item.name not in numbers else f"{item.name}_{len(numbers) + 1}"
            numbers[name] = tuple(listing.place(row, weight) for row in rows)
        shown = {
            self.select.shown.get(name, name): Keys(tuple(group[at] for group in groups), column.kind)
            for at, (name, column) in enumerate(columns.items())
        }
        return AnswerTable(", ".join(shown), shown, numbers)


def _order(group: tuple[Any, ...]) -> list[tuple[bool, Any]]:
    """NULL comes last."""
    return [(value is None, 0 if value is None else value) for value in group]


def _running(by: RunningTotal, names: Sequence[str], groups: Sequence[tuple[Any, ...]]) -> _Row:
    """A row for each group: 1 for each that its running total adds up, those that tie with it included."""
    places = {name: at for at, name in enumerate(names)}
    table = np.ones((len(groups), len(groups)), np.bool_)
    for name in by.partition:
        codes = _ranks([group[places[name]] for group in groups])
        table &= codes[:, None] == codes[None, :]
    before, ties = np.zeros_like(table), np.ones_like(table)
    for name, falls in by.order:
        codes = _ranks([group[places[name]] for group in groups]) * (-1 if falls else 1)
        before |= ties & (codes[None, :] < codes[:, None])
        ties &= codes[None, :] == codes[:, None]
    return (table & (before | ties)).astype(np.int64)


def _ranks(values: Sequence[Any]) -> _Row:
    known = sorted({value for value in values if value is not None})
    rank = {value: place for place, value in enumerate(known)}
    return np.array([len(known) if value is None else rank[value] for value in values], np.int64)


def _gathered(selects: Sequence[_ReadSelect], tables: Sequence[AnswerTable], called: str) -> tuple[AnswerTable, ...]:
    """The tables; SELECTs without keys are lines of one table, whose numbers are `called` counts or sums."""
    found = [table for table in tables if table.keys]
    labels: list[str] = []
    places: list[int] = []
    for select, table in zip(selects, tables, strict=True):
        if not table.keys:
            for name, (place,) in table.columns.items():
                labels.append(select.label if len(table.columns) == 1 else f"{name}: {select.label}")
                places.append(place)
    if labels:
        found.insert(0, AnswerTable("counts", {"question": Keys(tuple(labels))}, {called: tuple(places)}))
    return tuple(found)
