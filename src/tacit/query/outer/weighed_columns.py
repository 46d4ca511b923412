"""The columns of an answer as sums and ratios of released numbers, with exact weights and the intervals of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from time import monotonic
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.query.engines.duckdb.sealed import PublicTable, SealedResult, StoppedError, run_sealed, sealed
from tacit.query.outer.column_forms import Linear, LinearRatio
from tacit.query.outer.merged_cores import RELEASED
from tacit.query.outer.program import OuterProgram, twin_name
from tacit.query.outer.released_numbers import Numbers, estimates, numbers_of
from tacit.query.post_noise.estimates import Estimates, Floats, Groups
from tacit.query.post_noise.interval_arithmetic import rounded

_AT_ONCE: Final = 64  # twins in one statement
_MOST_NUMBERS: Final = 1_200
_MOST_WEIGHTS: Final = 2_000_000
_SECONDS: Final = 10.0
_CLOSE: Final = 1e-9


@frozen(eq=False)
class _Part:
    """A linear column: its values from the released table, and the weight of each released number in each row."""

    values: Floats
    weights: NDArray[np.float64]

    def plain(self, numbers: Numbers) -> Floats:
        """Its values from numbers that are not cut at 0."""
        moved = np.nan_to_num(numbers.plain - numbers.shown)
        return np.asarray(self.values + self.weights @ moved)

    def is_positive(self, numbers: Numbers) -> NDArray[np.bool_]:
        """Whether only numbers that are never negative were added up, and nothing else."""
        constant = self.values - self.weights @ np.nan_to_num(numbers.shown)
        added = (self.weights >= 0).all(axis=1) & ~(self.weights[:, ~numbers.is_positive] != 0).any(axis=1)
        return np.asarray(added & (constant >= -_CLOSE * (1 + np.abs(self.values))))


@frozen(eq=False)
class WeighedColumns:
    """The linear parts of an answer's columns."""

    program: OuterProgram
    parts: dict[str, _Part]
    calls: tuple[str, ...]
    groups: Groups
    confidence: Fraction

    @classmethod
    def of(
        cls,
        program: OuterProgram,
        table: PublicTable,
        public: Mapping[str, PublicTable],
        calls: tuple[str, ...],
        groups: Groups,
        found: SealedResult,
        confidence: Fraction,
    ) -> WeighedColumns | None:
        """The parts, or None where there are none, or too many weights, or a limit is met in computing them."""
        many = groups.size * len(calls)
        noisy = [each for each in program.columns if each.form is not None and not each.is_exact]
        if not noisy or not many <= _MOST_NUMBERS or not many * len(found.rows) <= _MOST_WEIGHTS:
            return None
        names = [name for column in noisy for name in _names(column.name, column.form)]
        values: dict[str, Floats] = {}
        weights = {name: np.zeros((len(found.rows), many)) for name in names}
        begun = monotonic()
        for begin in range(0, many, _AT_ONCE):
            if monotonic() - begun > _SECONDS:
                return None
            batch = range(begin, min(begin + _AT_ONCE, many))
            try:
                with sealed({**public, RELEASED: _with_twins(table, batch, groups.size, len(calls))}) as connection:
                    result = run_sealed(connection, program.weights_sql(batch))
            except StoppedError:
                return None
            visible = len(program.columns)
            if [row[:visible] for row in result.rows] != list(found.rows):
                return None
            columns = dict(zip(result.types, zip(*result.rows, strict=True), strict=True)) if result.rows else {}
            for name in names:
                if name in columns:
                    values[name] = _floats(columns[name])
                for number in batch:
                    twin = columns.get(twin_name(name, number))
                    if twin is not None:
                        weights[name][:, number] = np.nan_to_num(_floats(twin))
        return cls(
            program,
            {name: _Part(values[name], weights[name]) for name in names if name in values},
            calls,
            groups,
            confidence,
        )

    def column(self, place: int, whole: bool, bounded: Groups | None) -> tuple[Estimates | None, Estimates | None]:
        """A column with its intervals, and with those of the noise alone; None where it has no form."""
        column = self.program.columns[place]
        if column.form is None or column.is_exact:
            return None, None
        names = _names(column.name, column.form)
        if any(name not in self.parts for name in names):
            return None, None
        usual = self._estimates(names, self.groups, bounded, column.digits, whole)
        return usual, None if bounded is None else self._estimates(names, bounded, None, column.digits, whole)

    def _estimates(
        self, names: Sequence[str], groups: Groups, noise: Groups | None, digits: int | None, whole: bool
    ) -> Estimates:
        numbers = numbers_of(groups, self.calls, self.confidence, noise)
        shown = numbers_of(self.groups, self.calls, self.confidence, None).shown
        numbers = Numbers(shown, numbers.plain, numbers.is_positive, numbers.errors)
        parts = [self.parts[name] for name in names]
        plain = [part.plain(numbers) for part in parts]
        with np.errstate(all="ignore"):
            if len(parts) == 1:
                down, up = numbers.errors.reach(parts[0].weights)
                value, low, high = plain[0], plain[0] - down, plain[0] + up
            else:
                value = np.divide(*plain)
                low, high = numbers.errors.ratio(plain[0], parts[0].weights, plain[1], parts[1].weights)
            unknown = np.any([np.isnan(part.values) for part in parts], axis=0) | ~np.isfinite(value)
            floor = np.where(np.all([part.is_positive(numbers) for part in parts], axis=0), 0.0, -np.inf)
            value, low, high = (np.maximum(each, floor) for each in (value, low, high))
        value = np.where(unknown, np.nan, value)
        low, high = np.where(unknown, -np.inf, low), np.where(unknown, np.inf, high)
        if digits is not None:
            with np.errstate(invalid="ignore"):  # of an end that is not known
                value, low, high = (rounded(each, digits) for each in (value, low, high))
        return estimates(value, low, high, whole=whole)


def _names(name: str, form: Linear | LinearRatio | None) -> list[str]:
    """The names of the parts of a column in the result."""
    return [f"{name.lower()}\x04", f"{name.lower()}\x05"] if isinstance(form, LinearRatio) else [name]


def _with_twins(table: PublicTable, batch: range, size: int, many: int) -> PublicTable:
    columns, values = dict(table.columns), dict(table.values)
    for place in range(many):
        shown = table.values[f"a{place}"]
        for number in batch:
            own = twin_name(f"a{place}", number)
            row = number - place * size
            columns[own] = "DOUBLE"
            values[own] = [None if value is None else float(at == row) for at, value in enumerate(shown)]
    return PublicTable(columns, values)


def _floats(values: Sequence[Any]) -> Floats:
    return np.array([np.nan if value is None else float(value) for value in values], np.float64)
