"""The SQL of a tally: each person's totals, scaled into a ball, added up by group."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.frozen import frozen
from tacit.query.aggregates.aggregate import Measure
from tacit.query.plans.group_keys import GeometricRule, KeyColumn, KeyRule
from tacit.query.plans.limit import Scaling
from tacit.query.plans.price import NoiseShare
from tacit.query.sql.clamp import ONE, Cut, sums, total, word_sum
from tacit.query.sql.rows import UNIT, Ownership, Rows
from tacit.query.sql.values.storage import double_sql

TOTALS = '"__totals"'
_SLACK = 1 - 2.0**-44  # more than the rounding errors of conversions, division, root and product in double precision


@frozen
class TallyBlock:
    """Sums of measures by group, and the weights of private keys.

    Claim: between people, the sums are additive, and one person's vector (all groups, all measures, in units of the
    law) has norm at most `noise.radius`: ℓ₂ for Gaussian noise, ℓ₁ for Laplace. Proof: where each row is a person, a
    coordinate is within its share of the radius, because its value is cut to it (`clamp`). Elsewhere the norm of the
    person's scaled totals is compared with the radius, and where it is larger all of them are multiplied by
    radius/norm, in double precision and a little less, and cut towards zero. Over groups the norm is an exact sum of
    integers, which no order of rows can change. Where `is_joint`, only that one factor scales a person's totals:
    numerator and denominator of a mean get the same factor, which the norm over all groups determines. Otherwise each
    total is cut at its own limit first. Where there is one group, measures `apart` from a joint factor are cut to their
    own share of the radius, and the rest of it is the radius of the others.
    """

    rows: Rows
    keys: tuple[KeyColumn, ...]
    measures: tuple[Measure, ...]
    scalings: tuple[Scaling, ...]
    noise: NoiseShare
    rule: KeyRule | GeometricRule | None
    is_joint: bool = False
    apart: frozenset[Measure] = frozenset()

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
        """Whether a person is one row, whose values are cut to the limits by themselves."""
        within = all(s.cap >= m.size for m, s in zip(self.measures, self.scalings, strict=True))
        return self.rows.ownership is not Ownership.MANY and within

    @property
    def _groups(self) -> list[str]:
        return [f"k{place}" for place in range(len(self.keys))]

    @property
    def _limit(self) -> int:
        return self.noise.radius**2 if self.noise.is_gaussian else self.noise.radius

    def _scaled(self) -> list[Cut]:
        """Each total in units of the law: cut at its limit, or only far enough out that nothing overflows."""
        totals = zip([f"v{place}" for place in range(len(self.measures))], self.scalings, self.joined, strict=True)
        return [scaling.far(name) if is_joined else scaling.near(name) for name, scaling, is_joined in totals]

    @property
    def joined(self) -> list[bool]:
        """The measures that one joint factor scales, if any."""
        return [self.is_joint and (bool(self.keys) or measure not in self.apart) for measure in self.measures]

    @property
    def joint_limit(self) -> int:
        """The limit for the norm of the joined measures; squared for Gaussian noise."""
        room = self.noise.split(len(self.measures)) if self.measures else 0
        alone = len(self.measures) - sum(self.joined) if self.is_joint else 0
        return self._limit - alone * (room**2 if self.noise.is_gaussian else room)

    def _by_row(self) -> str:
        """Each row is a person, and its value the person's total."""
        keys = [f"{key.sql} AS k{place}" for place, key in enumerate(self.keys)]
        pairs = zip(self.measures, self.scalings, strict=True)
        listed = ", ".join([*keys, *sums([s.of(measure.value) for measure, s in pairs]), *self._weight("1")])
        return f'SELECT {listed} FROM ({self.rows.under(listed)}) AS "__rows"' + group_by(self._groups)

    def _by_person(self, table: str | None) -> str:
        """One group: each total is within its share by its own cut, or the norm of the few totals decides."""
        source = f'{table or f"({self.people_sql()})"} AS "__people"'
        scaled = self._scaled()
        if not self.is_joint:
            return f"SELECT {', '.join(sums(scaled))} FROM {source}"
        columns, named = _columns(scaled)
        doubles = [f"CAST({y} AS DOUBLE)" for y, is_joined in zip(columns, self.joined, strict=True) if is_joined]
        norm = " + ".join(f"{y} * {y}" if self.noise.is_gaussian else f"abs({y})" for y in doubles)
        most = double_sql(self.joint_limit * _SLACK)
        factor = f"CASE WHEN norm > {most} THEN {self._factor(f'{most} / norm')} END"
        listed = ", ".join(map(str, columns))
        normed = f'SELECT {listed}, {norm} AS norm FROM (SELECT {", ".join(named)} FROM {source}) AS "__scaled"'
        cut = f'SELECT {listed}, {factor} AS factor FROM ({normed}) AS "__normed"'
        shrunk = [y.shrunk("factor") if is_joined else y for y, is_joined in zip(columns, self.joined, strict=True)]
        return f'SELECT {", ".join(sums(shrunk))} FROM ({cut}) AS "__cut"'

    def _factor(self, ratio: str) -> str:
        return f"sqrt({ratio})" if self.noise.is_gaussian else ratio

    def _by_ball(self, table: str | None) -> str:
        """Many groups: the norm over all of them is computed for every person, the factor only beyond the radius."""
        people = f"{TOTALS} AS ({self.people_sql()}), " if table is None else ""
        columns, named = _columns(self._scaled())
        norm = total(*map(self._square, columns)) if columns else "0"
        factor = self._factor(f"{double_sql(self._limit * _SLACK)} / CAST({norm} AS DOUBLE)")
        if self.rule:  # the number of keys is needed for every person
            found = f"CASE WHEN {norm} > {self._limit} THEN {factor} END AS factor, COUNT(*) AS held"
            join, some = "JOIN", ""
        else:
            found, join, some = f"{factor} AS factor", "LEFT JOIN", f" HAVING {norm} > {self._limit}"
        listed = ", ".join([*self._groups, *sums([y.shrunk("factor") for y in columns]), *self._weight("held")])
        return (
            f'WITH {people}"__scaled" AS MATERIALIZED (SELECT {", ".join([UNIT, *self._groups, *named])} '
            f'FROM {table or TOTALS}), "__large" AS (SELECT {UNIT}, {found} FROM "__scaled" GROUP BY {UNIT}{some}) '
            f'SELECT {listed} FROM "__scaled" {join} "__large" USING ({UNIT})' + group_by(self._groups)
        )

    def _square(self, value: Cut) -> Cut:
        return value.squared() if self.noise.is_gaussian else value.absolute()

    def _weight(self, held: str) -> list[str]:
        """The weights of private keys, for people who hold so many."""
        return [f"{word_sum(self.rule.weight(held))} AS w"] if self.rule else []


def _columns(scaled: Sequence[Cut]) -> tuple[list[Cut], list[str]]:
    """The columns y0 … with these sums, and the SELECT list that computes them."""
    columns = [value.named(f"y{place}") for place, value in enumerate(scaled)]
    return columns, [f"{value} AS {column}" for value, column in zip(scaled, columns, strict=True)]


def people_sql(rows: Rows, keys: Sequence[KeyColumn], measures: Sequence[Measure]) -> str:
    """Each person's totals in each group, unbounded yet: columns "__unit", k0 …, v0 …."""
    named = [f"{key.sql} AS k{place}" for place, key in enumerate(keys)]
    listed = ", ".join([UNIT, *named, *(f"{_total(measure)} AS v{place}" for place, measure in enumerate(measures))])
    groups = ", ".join([UNIT, *(f"k{place}" for place in range(len(keys)))])
    return f'SELECT {listed} FROM ({rows.under(listed)}) AS "__rows" GROUP BY {groups}'


def _total(measure: Measure) -> str:
    if measure.value == ONE:  # a group has a row
        return "1" if measure.once else "COUNT(*)"
    return f"MAX({measure.sql})" if measure.once else total(measure.value)


def group_by(groups: list[str]) -> str:
    return f" GROUP BY {', '.join(groups)}" if groups else ""
