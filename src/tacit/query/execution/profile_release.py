"""The release of a profile: people are counted in bins, and noise is added.

The first stage counts people by where their values lie, the second by how much they have: rows, totals and keys, for
each table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Bits
from tacit.query.aggregates.aggregate import noise_deviation
from tacit.query.aggregates.rank_grid import Edges, fits, ranks_of
from tacit.query.bounding.amount_histogram import Bins
from tacit.query.bounding.amounts import norm_sql, root_sql
from tacit.query.bounding.histogram_sql import BINS, WIDE_BINS, finding_sql
from tacit.query.bounding.limit_choice import choose_limit
from tacit.query.bounding.objectives import ManyKeys
from tacit.query.bounding.profile import Profile, even_edges
from tacit.query.engines.protocol import Session, Stage, add_up
from tacit.query.execution.run import bin_counts, with_noise
from tacit.query.lowering.ranks import squares_sql
from tacit.query.materialized.statements import STATEMENTS, Statements
from tacit.query.plans.price import Price, noise_share
from tacit.query.sql.clamp import count_named, total
from tacit.query.sql.fixed_point import Steps, in_steps
from tacit.query.sql.rows import UNIT, Ownership, Rows
from tacit.query.sql.scan import scan
from tacit.query.sql.values.typed import Typed
from tacit.schema.catalogue import Catalogue
from tacit.schema.kind import Kind

VALUES = Fraction(1, 5)  # share of the price for the first stage, where values lie


@frozen(eq=False)
class ProfileRun:
    """The stages of a profile at a price: the noisy histograms of all subjects.

    Their shares of the price are fixed: first the values of each number, from which its centre and the edges of an even
    grid are read; then rows, totals, totals away from the centre, keys, and norms on the grid.
    """

    catalogue: Catalogue
    price: Price
    relation: Relation
    statements: Statements = STATEMENTS

    @cached_property
    def _values(self) -> tuple[Subject, ...]:
        return value_subjects(self.catalogue, not self.price.is_pure, self.statements)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages, each of which draws noise once and returns a profile's bytes.

        The last is the complete profile.
        """
        return (self._lie, self._have) if self._values else (self._have,)

    def _lie(self, session: Session, bits: Bits, _: Sequence[bytes]) -> bytes:
        """A profile with centres and edges as values, not as bins above a bound, since the bound may change later."""
        lying = self._counted(self._values, VALUES, BINS, session, bits)
        centres = _centres(self.catalogue, lying, self.price.is_pure)
        return replace(lying, centres=centres, edges=_edges(self.catalogue, lying)).to_bytes()

    def _have(self, session: Session, bits: Bits, released: Sequence[bytes]) -> bytes:
        lying = Profile.from_bytes(released[0]) if self._values else Profile({}, 0.0, {})
        centres, edges = lying.centres, lying.edges
        subjects = subjects_of(self.catalogue, not self.price.is_pure, centres, edges, self.statements)
        share = 1 - VALUES if self._values else Fraction(1)
        people = self._counted(subjects, share, WIDE_BINS, session, bits)
        return Profile(people.people, people.deviation, centres, edges).to_bytes()

    def _counted(
        self, subjects: tuple[Subject, ...], share: Fraction, bins: Bins, session: Session, bits: Bits
    ) -> Profile:
        """Noisy numbers of people, for a share of the price.

        Claim: one person is in one bin of each subject and counts `unit` there, so their vector has norm at most
        the radius of the noise.
        """
        noise = noise_share(self.price, share, self.relation)
        unit = noise.split(len(subjects))
        sql = finding_sql([(subject.people, subject.amount) for subject in subjects], bins)
        counts = bin_counts(add_up(session, sql), len(subjects), bins)
        noisy = with_noise((counts * unit).ravel(), noise, bits).reshape(counts.shape)
        people = {(subject.table, subject.name): row / unit for subject, row in zip(subjects, noisy, strict=True)}
        return Profile(people, noise_deviation(noise.law) / unit, {})


def _centres(catalogue: Catalogue, values: Profile, is_pure: bool) -> Centres:
    """The estimated median of each number over people, as the middle of its bin."""
    found = {}
    for table, name, steps, people in _lying(catalogue, values, "value "):
        above = choose_limit(BINS, people, values.deviation, ManyKeys(), laplace=is_pure)
        place = int(BINS.index(np.array([above]))[0])
        middle = (int(BINS.edges()[place]) + int(BINS.tops()[place])) // 2
        found[table, name] = steps.low + middle
    return found


def _edges(catalogue: Catalogue, values: Profile) -> Edges:
    """The edges of each number's even grid, where they can be estimated."""
    cut = {
        (table, name): even_edges(steps, people, values.deviation)
        for table, name, steps, people in _lying(catalogue, values, "sample ")
    }
    return {column: edges for column, edges in cut.items() if edges}


def _lying(catalogue: Catalogue, values: Profile, kind: str) -> Iterator[tuple[str, str, Steps, NDArray[np.float64]]]:
    """Table, name and steps of each number, and the number of people by bin of its values."""
    for (table, subject), people in values.people.items():
        if subject.startswith(kind):
            name = subject.removeprefix(kind)
            rows = scan(catalogue.description.tables[table], table, catalogue)
            yield table, name, numbers_of(rows)[name], people


MOST_SUBJECTS = 8  # the most subjects: each one increases the noise of all others
MOST_VALUES = 24
_KINDS = ("rows", "total", "norm", "away", "ranks", "keys")
_LARGEST = 2**50
_PRIME, _MULTIPLIER = 65521, 40503  # a hash of 16 bits
_ROOM = 2**46  # marks a subject


@frozen
class Subject:
    """One histogram of a profile: `people` is a SELECT with one row per person, `amount` the column that is counted."""

    table: str
    name: str
    people: str
    amount: str


Centres = Mapping[tuple[str, str], int]
"""Estimated centres of table columns, in their steps."""


def value_subjects(catalogue: Catalogue, is_gaussian: bool, statements: Statements = STATEMENTS) -> tuple[Subject, ...]:
    """How far above its lower bound each number is, on each person's average; and one of the values, by a hash."""
    found: list[Subject] = []
    for table, rows in _tables(catalogue, statements):
        numbers = numbers_of(rows)
        amounts = {f"value {name}": _mean_above(steps) for name, steps in numbers.items()}
        if is_gaussian:
            amounts |= {f"sample {name}": _sample_above(steps) for name, steps in numbers.items()}
        found += _from_people(table, rows, amounts) if amounts else []
    return tuple(found[:MOST_VALUES])


def subjects_of(
    catalogue: Catalogue, is_gaussian: bool, centres: Centres, edges: Edges, statements: Statements = STATEMENTS
) -> tuple[Subject, ...]:
    """All other subjects of a profile, the most useful first; each counts a person once."""
    found: list[Subject] = []
    for table, rows in _tables(catalogue, statements):
        amounts = {"rows": "COUNT(*)"}
        for name, steps in numbers_of(rows).items():
            amounts[f"total {name}"] = _sum_away(steps, 0)
            if (table, name) in centres:
                amounts[f"away {name}"] = _sum_away(steps, centres[table, name])
        found += _from_people(table, rows, amounts)
        found += _of_keys(table, rows, is_gaussian)
        found += _of_ranks(table, rows, edges)
    found.sort(key=lambda subject: _KINDS.index(subject.name.partition(" ")[0]))
    return tuple(found[:MOST_SUBJECTS])


def numbers_of(rows: Rows) -> dict[str, Steps]:
    """The columns for sums and means: numbers with bounds."""
    return {
        name: in_steps(typed, name)
        for (_, name), typed in rows.columns.items()
        if typed.kind.is_number and typed.keys is None and _is_bounded(typed)
    }


def _tables(catalogue: Catalogue, statements: Statements) -> list[tuple[str, Rows]]:
    tables = catalogue.description.tables.values()
    scanned = [(table.name, scan(table, table.name, catalogue)) for table in tables]
    return [(name, statements.on_kept(rows)) for name, rows in scanned if rows.ownership is Ownership.MANY]


def _sum_away(steps: Steps, centre: int) -> str:
    return f"least(abs({total(steps.cut(centre).minus(centre))}), {BINS.most})"


def _mean_above(steps: Steps) -> str:
    above = f"{total(steps.cut(steps.low).minus(steps.low))} // greatest(COUNT({steps.sql}), 1)"
    return f"least({above}, {BINS.most})"


def _sample_above(steps: Steps) -> str:
    """One more than how far the value with the least hash is above its lower bound, 0 without values: whole numbers."""
    above = f"({steps.cut(steps.low).minus(steps.low)})"
    mixed = f"{above} % {_PRIME} * {_MULTIPLIER} % {_PRIME}"
    marked = f"{mixed} * {_ROOM} + least({above} + 1, {BINS.most})"
    return f"coalesce(MIN(CASE WHEN {steps.sql} IS NOT NULL THEN {marked} END) % {_ROOM}, 0)"


def _from_people(table: str, rows: Rows, amounts: Mapping[str, str]) -> list[Subject]:
    """Several amounts from one pass over the people."""
    listed = ", ".join(f"{amount} AS a{place}" for place, amount in enumerate(amounts.values()))
    people = f'SELECT {listed} FROM ({rows.under(listed)}) AS "__rows" GROUP BY {UNIT}'
    return [Subject(table, name, people, f"a{place}") for place, name in enumerate(amounts)]


def _of_keys(table: str, rows: Rows, is_gaussian: bool) -> list[Subject]:
    """For each column that rows are grouped by: the norm of a person's rows over its keys, and their number."""
    found = []
    for (_, name), typed in rows.columns.items():
        if typed.kind in (Kind.TEXT, Kind.BOOLEAN) or typed.keys is not None:
            read = f'({rows.under(typed.sql)}) AS "__rows"'
            held = f"SELECT {UNIT}, COUNT(*) AS many FROM {read} GROUP BY {UNIT}, {typed.sql}"
            norm = norm_sql(count_named("many"), is_gaussian)
            people = f'SELECT {norm} AS norm, COUNT(*) AS held FROM ({held}) AS "__held" GROUP BY {UNIT}'
            found += [Subject(table, f"norm {name}", people, "norm"), Subject(table, f"keys {name}", people, "held")]
    return found


def _of_ranks(table: str, rows: Rows, edges: Edges) -> list[Subject]:
    """For each number with an even grid, the norm of a person's rows over the tree of counts for quantiles."""
    found = []
    for name, steps in numbers_of(rows).items():
        if fits(cut := edges.get((table, name), ()), steps.low, steps.high):
            squares = squares_sql(rows, (), replace(ranks_of(steps.sql, steps, name), edges=cut))
            people = f'SELECT {root_sql("squares")} AS norm FROM ({squares}) AS "__norms"'
            found.append(Subject(table, f"ranks {name}", people, "norm"))
    return found


def _is_bounded(typed: Typed) -> bool:
    return typed.low is not None and typed.high is not None and max(-typed.low, typed.high) * 10**typed.scale < _LARGEST
