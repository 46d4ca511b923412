"""The SQL of a tally: each person's totals, scaled into a ball, added up by group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tacit.query.aggregates.parts import Measure
from tacit.query.plans.key_column import KeyColumn
from tacit.query.plans.key_rule import KeyRule
from tacit.query.plans.limit import Scaling
from tacit.query.plans.noise_share import NoiseShare
from tacit.query.relations.rows import UNIT, Ownership, Rows

TOTALS = '"__totals"'
_FULL = 2**62
_SLACK = 1 - 2.0**-44  # more than conversions, division, root and product can add in double precision


@dataclass(frozen=True)
class TallyBlock:
    """Sums of measures by group, and the weights of private keys.

    Claim: between people, the sums are additive, and one person's vector (all groups, all measures, in units of the
    law) has norm at most `noise.radius`: ℓ₂ for Gaussian noise, ℓ₁ for Laplace. Proof: where a person is in one group
    only, each coordinate is within its own share of the radius, by its scaling. Elsewhere q, the exact
    integer norm (squared) of the person's scaled totals, is compared with the radius, and where it is larger all of
    them are multiplied by radius/norm, in double precision and a little less, and cut towards zero.
    """

    rows: Rows
    keys: tuple[KeyColumn, ...]
    measures: tuple[Measure, ...]
    scalings: tuple[Scaling, ...]
    noise: NoiseShare
    rule: KeyRule | None

    def sql(self, table: str | None = None) -> str:
        """One SELECT with columns k0 …, y0 …, and w; `table` holds the people's totals if they were kept."""
        if self.rows.ownership is not Ownership.MANY:
            return self._by_row()
        if not self.keys:
            return self._by_person(table)
        return self._by_ball(table)

    def people_sql(self) -> str:
        """Each person's totals in each group: columns "__unit", k0 …, v0 …."""
        return people_sql(self.rows, self.keys, self.measures)

    @property
    def _groups(self) -> list[str]:
        return [f"k{place}" for place in range(len(self.keys))]

    def _by_row(self) -> str:
        """Each row is a person: no total exceeds what the bounds of its row permit."""
        keys = [f"{key.sql} AS k{place}" for place, key in enumerate(self.keys)]
        values = [
            f"{word_sum(scaling.bare_sql(measure.sql))} AS y{place}"
            for place, (measure, scaling) in enumerate(zip(self.measures, self.scalings, strict=True))
        ]
        weight = [f"{word_sum(self.rule.weight_sql('1'))} AS w"] if self.rule else []
        listed = ", ".join([*keys, *values, *weight])
        return f'SELECT {listed} FROM ({self.rows.sql}) AS "__rows"' + group_by(self._groups)

    def _by_person(self, table: str | None) -> str:
        source = table or f"({self.people_sql()})"
        values = [f"{word_sum(s.sql(f'v{place}'))} AS y{place}" for place, s in enumerate(self.scalings)]
        return f'SELECT {", ".join(values)} FROM {source} AS "__people"'

    def _by_ball(self, table: str | None) -> str:
        people = f'"__totals" AS ({self.people_sql()}), ' if table is None else ""
        places = range(len(self.measures))
        scaled = ", ".join([UNIT, *self._groups, *(f"{s.sql(f'v{p}')} AS y{p}" for p, s in enumerate(self.scalings))])
        squares = [f"y{place} * y{place}" if self.noise.is_gaussian else f"abs(y{place})" for place in places]
        norm = f"SUM({' + '.join(squares)})" if squares else "0"
        limit = self.noise.radius**2 if self.noise.is_gaussian else self.noise.radius
        count = ", COUNT(*) AS held" if self.rule else ""
        some = "" if self.rule else f" HAVING {norm} > {limit}"
        ratio = f"{float(limit) * _SLACK!r} / CAST({norm} AS DOUBLE)"
        factor = f"sqrt({ratio})" if self.noise.is_gaussian else ratio
        cut = f"CASE WHEN {norm} > {limit} THEN {factor} END" if self.rule else factor
        values = [
            word_sum(f"CASE WHEN factor IS NULL THEN y{p} ELSE CAST(trunc(y{p} * factor) AS BIGINT) END") + f" AS y{p}"
            for p in places
        ]
        weight = [f"{word_sum(self.rule.weight_sql('held'))} AS w"] if self.rule else []
        listed = ", ".join([*self._groups, *values, *weight])
        join = "JOIN" if self.rule else "LEFT JOIN"
        return (
            f'WITH {people}"__scaled" AS MATERIALIZED (SELECT {scaled} FROM {table or TOTALS}), '
            f'"__large" AS (SELECT {UNIT}, {cut} AS factor{count} FROM "__scaled" GROUP BY {UNIT}{some}) '
            f'SELECT {listed} FROM "__scaled" {join} "__large" USING ({UNIT})' + group_by(self._groups)
        )


def people_sql(rows: Rows, keys: Sequence[KeyColumn], measures: Sequence[Measure]) -> str:
    """Each person's totals in each group, unbounded yet: columns "__unit", k0 …, v0 …."""
    listed = [UNIT, *(f"{key.sql} AS k{place}" for place, key in enumerate(keys))]
    listed += [f"{'MAX' if m.once else 'SUM'}({m.sql}) AS v{place}" for place, m in enumerate(measures)]
    groups = ", ".join([UNIT, *(f"k{place}" for place in range(len(keys)))])
    return f'SELECT {", ".join(listed)} FROM ({rows.sql}) AS "__rows" GROUP BY {groups}'


def word_sum(sql: str) -> str:
    """A sum that fits a word: cut at ±2^62, which moves no two sums apart."""
    return f"CAST(least(greatest(coalesce(SUM({sql}), 0), {-_FULL}), {_FULL}) AS BIGINT)"


def group_by(groups: list[str]) -> str:
    return f" GROUP BY {', '.join(groups)}" if groups else ""
