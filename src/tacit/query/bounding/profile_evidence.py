"""What a released profile says of the people by amount that a usual query counts: of the same rows, or of more rows.

Of all rows of a table it is evidence of the very amounts. Where a query leaves rows out nobody has more than in all
rows, so that it is a cap.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.query.aggregates.aggregate import ColumnSum, Measure, Part, Ranks
from tacit.query.aggregates.normal_law import log_normal_below
from tacit.query.bounding.amounts import amount_of
from tacit.query.bounding.histogram_sql import BINS, WIDE_BINS, bins_of
from tacit.query.plans.limit import AmountCounts
from tacit.query.plans.plan import Plan
from tacit.query.sql.rows import Ownership

_LEAST = -60.0  # no logarithm of a likelihood is taken for less


@frozen(eq=False)
class TailCap:
    """At most so many people have the least amount of each bin, or more: noisy numbers, and their deviations."""

    people: NDArray[np.float64]
    deviations: NDArray[np.float64]

    def likelihoods(self, expected: NDArray[np.float64], start: int) -> NDArray[np.float64]:
        """The logarithm of how likely it is that tails are within it: at their worst bin, for the noise is shared."""
        many = min(expected.shape[1], len(self.people) - start)
        if many <= 0:
            return np.zeros(len(expected))
        near = slice(start, start + many)
        away = (self.people[near] - expected[:, :many]) / self.deviations[near]
        return np.asarray(np.maximum(log_normal_below(away.ravel()).reshape(away.shape).min(axis=1), _LEAST))


@frozen(eq=False)
class ProfileEvidence:
    """Noisy numbers of people by bin, for each table and subject, as they bear on one plan."""

    people: Mapping[tuple[str, str], NDArray[np.float64]]
    deviation: float
    centres: Mapping[tuple[str, str], int]
    plan: Plan
    is_gaussian: bool

    def evidence(self) -> Mapping[Part, AmountCounts]:
        """What is known of the very amounts that the query counts people by."""
        table = self.plan.question.rows.bare
        if table is None:
            return {}
        return self._known(table, [part for part in self.plan.binned if self._is_of_all_rows(table, part)])

    def caps(self) -> Mapping[Part, AmountCounts]:
        """What is known of amounts that are nowhere less than those of the query.

        Claim: nobody has more in the query than what the profile counts. Proof: the rows are some of one table's, each
        once, for that is the only private one and is read once, and a public table has one row a key. So a person has
        no more rows, no more of them in any group, and no larger a total of a column without negative values.
        """
        rows = self.plan.question.rows
        if len(rows.tables) != 1 or rows.scans != 1 or rows.ownership is not Ownership.MANY:
            return {}
        table = min(rows.tables)
        return self._known(table, [part for part in self.plan.binned if self._is_of_some_rows(table, part)])

    def _known(self, table: str, parts: list[Part]) -> dict[Part, AmountCounts]:
        subjects = {part: self._subject(part) for part in parts}
        known = {part: self.people.get((table, subject)) for part, subject in subjects.items() if subject is not None}
        return {part: wide(people, self.deviation) for part, people in known.items() if people is not None}

    def _is_of_all_rows(self, table: str, part: Part) -> bool:
        """Whether a part counts every row, as a profile does: none left out by FILTER or NULL, from the same centre."""
        if isinstance(part, Ranks):
            columns = self.plan.question.rows.columns.items()
            may_lack = any(typed.nullable for (_, name), typed in columns if name == part.column)
            return part.column is not None and (bool(part.edges) or not may_lack)
        if not isinstance(part, Measure) or part.of is None:
            return False
        if part.once or part.subject == "rows":
            return part.of == ColumnSum()
        return part.of.centre in (0, self.centres.get((table, str(part.of.column))))

    def _is_of_some_rows(self, table: str, part: Part) -> bool:
        """Whether a part adds up rows, or values that are not negative, of columns of the table as they stand."""
        if not isinstance(part, Measure) or part.least < 0:
            return False
        kind, _, column = str(part.subject).partition(" ")
        columns = [key.column for key in self.plan.question.keys] + ([column] if kind == "total" else [])
        is_own = all(name is not None and self.plan.question.origins.get(name) == table for name in columns)
        return is_own and (part.once or kind in ("rows", "total"))

    def _subject(self, part: Part) -> str | None:
        """The subject that has a part's amounts; None where there is none."""
        keys = [key.column for key in self.plan.question.keys]
        key = keys[0] if len(keys) == 1 else None
        profiled = amount_of(part, self.plan.question.keys, self.is_gaussian).profiled(key)
        if profiled is not None or not isinstance(part, Measure):
            return profiled
        if keys:
            return f"norm {key}" if part.subject == "rows" and key is not None else None
        return part.subject


def wide(people: NDArray[np.float64], deviation: float) -> AmountCounts:
    """The same people in wide bins: older profiles have two bins in each, but for the least amounts."""
    if bins_of(people) is WIDE_BINS:
        return AmountCounts(people, deviation)
    places = WIDE_BINS.index(BINS.edges())
    return AmountCounts(np.bincount(places, people, len(WIDE_BINS)).astype(np.float64), deviation * math.sqrt(2))
