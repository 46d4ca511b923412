"""The SQL of a tally: each person's totals, scaled into a ball, added up by group."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.frozen import frozen
from tacit.query.aggregates.parts import Measure
from tacit.query.expressions.storage import double_sql
from tacit.query.plans.geometric_rule import GeometricRule
from tacit.query.plans.key_column import KeyColumn
from tacit.query.plans.key_rule import KeyRule
from tacit.query.plans.limit import Scaling
from tacit.query.plans.noise_share import NoiseShare
from tacit.query.relations.rows import UNIT, Ownership, Rows

TOTALS = '"__totals"'
_FULL = 2**62
_SLACK = 1 - 2.0**-44  # more than conversions, division, root and product can add in double precision


@frozen
class TallyBlock:
    """Sums of measures by group, and the weights of private keys.

    Claim: between people, the sums are additive, and one person's vector (all groups, all measures, in units of the
    law) has norm at most `noise.radius`: ℓ₂ for Gaussian noise, ℓ₁ for Laplace. Proof: where each row is a person, a
    coordinate is within its share of the radius by the bounds of its row. Elsewhere the norm of the person's scaled
    totals is compared with the radius, and where it is larger all of them are multiplied by radius/norm, in double
    precision and a little less, and cut towards zero. Over groups the norm is an exact sum of integers, which no
    order of rows can change. Where `is_joint`, means are asked for: then nothing but that one factor shrinks a
    person's totals, so that above and below the bar they shrink alike. Else each total is cut at its own limit first.
    """

    rows: Rows
    keys: tuple[KeyColumn, ...]
    measures: tuple[Measure, ...]
    scalings: tuple[Scaling, ...]
    noise: NoiseShare
    rule: KeyRule | GeometricRule | None
    is_joint: bool = False

    def sql(self, table: str | None = None) -> str:
        """One SELECT with columns k0 …, y0 …, and w; `table` holds the people's totals if they were kept."""
        if self._is_bounded_by_row:
            return self._by_row()
        if not self.keys:
            return self._by_person(table)
        return self._by_ball(table)

    def people_sql(self) -> str:
        """Each person's totals in each group: columns "__unit", k0 …, v0 …."""
        return people_sql(self.rows, self.keys, self.measures)

    @property
    def _is_bounded_by_row(self) -> bool:
        """Whether a person is one row, whose bounds are within the limits already."""
        within = all(s.cap >= m.size for m, s in zip(self.measures, self.scalings, strict=True))
        return self.rows.ownership is not Ownership.MANY and within

    @property
    def _groups(self) -> list[str]:
        return [f"k{place}" for place in range(len(self.keys))]

    @property
    def _limit(self) -> int:
        return self.noise.radius**2 if self.noise.is_gaussian else self.noise.radius

    def _scaled(self) -> list[str]:
        """Each total in units of the law: cut at its limit, or only so far out that nothing overflows."""
        return [
            f"{scaling.far_sql(f'v{place}') if self.is_joint else scaling.sql(f'v{place}')} AS y{place}"
            for place, scaling in enumerate(self.scalings)
        ]

    def _by_row(self) -> str:
        """Each row is a person: no total exceeds what the bounds of its row permit."""
        keys = [f"{key.sql} AS k{place}" for place, key in enumerate(self.keys)]
        values = [
            f"{word_sum(scaling.bare_sql(measure.sql))} AS y{place}"
            for place, (measure, scaling) in enumerate(zip(self.measures, self.scalings, strict=True))
        ]
        weight = [f"{word_sum(self.rule.weight_sql('1'))} AS w"] if self.rule else []
        listed = ", ".join([*keys, *values, *weight])
        return f'SELECT {listed} FROM ({self.rows.under(listed)}) AS "__rows"' + group_by(self._groups)

    def _by_person(self, table: str | None) -> str:
        """One group: each total is within its share by its own cut, or the norm of the few totals decides."""
        source = f'{table or f"({self.people_sql()})"} AS "__people"'
        if not self.is_joint:
            values = [f"{word_sum(s.sql(f'v{place}'))} AS y{place}" for place, s in enumerate(self.scalings)]
            return f"SELECT {', '.join(values)} FROM {source}"
        places = range(len(self.measures))
        doubles = [f"CAST(y{place} AS DOUBLE)" for place in places]
        norm = " + ".join(f"{y} * {y}" if self.noise.is_gaussian else f"abs({y})" for y in doubles)
        ratio = f"{double_sql(self._limit * _SLACK)} / norm"
        factor = f"CASE WHEN norm > {double_sql(self._limit * _SLACK)} THEN {self._factor(ratio)} END"
        scaled = f"SELECT {', '.join(self._scaled())} FROM {source}"
        columns = ", ".join(f"y{place}" for place in places)
        normed = f'SELECT {columns}, {norm} AS norm FROM ({scaled}) AS "__scaled"'
        cut = f'SELECT {columns}, {factor} AS factor FROM ({normed}) AS "__normed"'
        return f'SELECT {", ".join(map(_shrunk_sum, places))} FROM ({cut}) AS "__cut"'

    def _factor(self, ratio: str) -> str:
        return f"sqrt({ratio})" if self.noise.is_gaussian else ratio

    def _by_ball(self, table: str | None) -> str:
        """Many groups: the norm over all of them is needed of everybody, the factor only of those beyond the radius."""
        people = f"{TOTALS} AS ({self.people_sql()}), " if table is None else ""
        places = range(len(self.measures))
        squares = [self._square(f"y{place}") for place in places]
        norm = f"SUM({' + '.join(squares)})" if squares else "0"
        factor = self._factor(f"{double_sql(self._limit * _SLACK)} / CAST({norm} AS DOUBLE)")
        if self.rule:  # the number of keys is needed of everybody
            found = f"CASE WHEN {norm} > {self._limit} THEN {factor} END AS factor, COUNT(*) AS held"
            join, some, weight = "JOIN", "", [f"{word_sum(self.rule.weight_sql('held'))} AS w"]
        else:
            found, join, some, weight = f"{factor} AS factor", "LEFT JOIN", f" HAVING {norm} > {self._limit}", []
        listed = ", ".join([*self._groups, *map(_shrunk_sum, places), *weight])
        return (
            f'WITH {people}"__scaled" AS MATERIALIZED (SELECT {", ".join([UNIT, *self._groups, *self._scaled()])} '
            f'FROM {table or TOTALS}), "__large" AS (SELECT {UNIT}, {found} FROM "__scaled" GROUP BY {UNIT}{some}) '
            f'SELECT {listed} FROM "__scaled" {join} "__large" USING ({UNIT})' + group_by(self._groups)
        )

    def _square(self, value: str) -> str:
        if not self.noise.is_gaussian:
            return f"abs({value})"
        return f"CAST({value} AS HUGEINT) * {value}" if self.is_joint else f"{value} * {value}"


def _shrunk_sum(place: int) -> str:
    """The sum of a column over people, each shrunk by their factor if they have one."""
    shrunk = f"CASE WHEN factor IS NULL THEN y{place} ELSE CAST(trunc(y{place} * factor) AS BIGINT) END"
    return f"{word_sum(shrunk)} AS y{place}"


def people_sql(rows: Rows, keys: Sequence[KeyColumn], measures: Sequence[Measure]) -> str:
    """Each person's totals in each group, unbounded yet: columns "__unit", k0 …, v0 …."""
    named = [f"{key.sql} AS k{place}" for place, key in enumerate(keys)]
    listed = ", ".join([UNIT, *named, *(f"{_total(measure)} AS v{place}" for place, measure in enumerate(measures))])
    groups = ", ".join([UNIT, *(f"k{place}" for place in range(len(keys)))])
    return f'SELECT {listed} FROM ({rows.under(listed)}) AS "__rows" GROUP BY {groups}'


def _total(measure: Measure) -> str:
    if measure.sql == "1":  # a group has a row
        return "1" if measure.once else "COUNT(*)"
    return f"MAX({measure.sql})" if measure.once else f"SUM({measure.sql})"


def word_sum(sql: str) -> str:
    """A sum that fits a word: cut at ±2^62, which moves no two sums apart."""
    return f"CAST(least(greatest(coalesce(SUM({sql}), 0), {-_FULL}), {_FULL}) AS BIGINT)"


def group_by(groups: list[str]) -> str:
    return f" GROUP BY {', '.join(groups)}" if groups else ""
