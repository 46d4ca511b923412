"""The SQL of tables where people have several rows: each person's cells times one factor, in the lowered SQL.

A person's vector is all contrasts of all tables, so its norm is over the stacked margins. One factor scales the
person's cells before they are added up: margins stay margins of cells, and numerator and denominator of a mean are
scaled equally.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from tacit.frozen import frozen
from tacit.query.aggregates.aggregate import Measure
from tacit.query.lowering.tally import people_sql
from tacit.query.plans.group_keys import KeyColumn
from tacit.query.sql.clamp import ONE, Cut, cut, sums, total
from tacit.query.sql.rows import UNIT, Rows
from tacit.query.sql.values.storage import double_sql, literal_sql
from tacit.schema.kind import Key
from tacit.workload.key_structure import KeyStructure
from tacit.workload.residual_basis import Attributes

ROWS = "__table_rows"
"""The name of people's scaled cells while tables are added up."""

FAR = 2**34  # units: a person with more in all does not count, so that forms of squares are added up in 128 bits
CELL = 2**28  # units that a person adds to a cell at most: 2^34 people, more than there are, add up to a word
_SLACK = 1 - 2.0**-44  # more than the rounding errors of conversion, root, division and product in double precision


@frozen
class TableKey:
    """A key of tables and its values; where `is_chosen`, those of a private key that are shown, and NULL."""

    column: KeyColumn
    domain: tuple[Key | None, ...]
    is_chosen: bool = False

    def fits(self, column: str) -> str:
        """That a value is in the domain; NULL is, where the domain has it."""
        known = [value for value in self.domain if value is not None]
        listed = f"{column} IN ({', '.join(map(literal_sql, known))})" if known else "FALSE"
        return f"({column} IS NULL OR {listed})" if len(known) < len(self.domain) and not self.is_chosen else listed

    def counted(self, column: str) -> str:
        """The value in SQL; values of a private key that were not chosen count as NULL."""
        return f"CASE WHEN {self.fits(column)} THEN {column} END" if self.is_chosen else column


@frozen
class MeasureScale:
    """How one measure is scaled: a total in steps times `times`, over `over`, in units; at most `radius` of a person.

    `form` has the coefficients of the squared norm over the stacked margins (`ResidualStrategy.form`); a row of one
    unit has their sum.
    """

    measure: Measure
    times: int
    over: int
    radius: int
    form: Mapping[Attributes, int]

    @property
    def scale(self) -> Fraction:
        """Units for one step."""
        return Fraction(self.times, self.over)

    @property
    def limit(self) -> int:
        """The largest form of a person who is not scaled."""
        return self.radius**2 * sum(self.form.values())

    def units(self, name: str) -> Cut:
        """A person's total in a cell, in units, cut far beyond any limit."""
        far = FAR * self.over // self.times
        return cut(name, -far, far).scaled(self.times, self.over)


@frozen
class ScaledRows:
    """People's cells, each person's times one factor.

    Claim: between people the cells are additive, and one person's cells z, rows of "__unit", k0 …, z0 …, have for each
    measure a form of at most `radius`²·Σ form (in exact arithmetic on z). Proof: y are the person's totals in units,
    integers, and N their form, added up exactly. If N is within the limit, z = y. Else z = trunc(f·y) with f ≤ (radius
    − held)/√(N/Σform), a little less for the error of doubles, where `held` is the number of the person's cells: ‖f·y‖
    ≤ (radius − held)·√Σform in the norm of the form, and cutting moves each cell by less than a unit, whose norm is
    √Σform at most. f is the least over the measures, so it holds for each. A person with more than `FAR` in all, or who
    would add more than `CELL`, has the factor 0, so nothing overflows on any rows. The factor depends on the person's
    own rows alone, and on no order of them.
    """

    rows: Rows
    keys: tuple[TableKey, ...]
    scales: tuple[MeasureScale, ...]
    structure: KeyStructure

    def sql(self) -> str:
        """One SELECT with columns "__unit", k0 …, z0 …: people's scaled cells."""
        groups = [f"k{place}" for place in range(len(self.keys))]
        shrunk = [f"{y.shrunk('factor')} AS z{place}" for place, y in enumerate(self._named("y"))]
        return (
            f'WITH {self._tables()}, "__factors" AS (SELECT {UNIT}, {self._factor()} AS factor FROM "__norms") '
            f'SELECT {", ".join([UNIT, *groups, *shrunk])} FROM "__cells" JOIN "__factors" USING ({UNIT})'
        )

    def amounts_sql(self, steps: int) -> str:
        """One SELECT a person with columns a0 …: each measure's norm, in parts of a unit, rounded down."""
        listed = []
        for place, each in enumerate(self.scales):
            norm = f"sqrt(CAST(greatest(n{place}, 0) AS DOUBLE) / {double_sql(sum(each.form.values()))})"
            listed.append(f"CAST(floor({double_sql(steps)} * {norm}) AS BIGINT) AS a{place}")
        return f'WITH {self._tables()} SELECT {", ".join(listed)} FROM "__norms"'

    def sums_sql(self, attributes: Attributes) -> str:
        """One SELECT with columns k0 … of one table, and y0 …: the sums over people of what is kept under `ROWS`."""
        keys = [f"k{place}" for place in attributes]
        listed = [f"{key} AS k{place}" for place, key in enumerate(keys)]
        grouped = f" GROUP BY {', '.join(keys)}" if keys else ""
        return f'SELECT {", ".join([*listed, *sums(self._named("z"))])} FROM "{ROWS}"{grouped}'

    def _named(self, letter: str) -> list[Cut]:
        """The columns that hold people's cells in units."""
        return [each.units(f"v{place}").named(f"{letter}{place}") for place, each in enumerate(self.scales)]

    def _tables(self) -> str:
        """People's totals; those in units, within the domain; and what decides the factor."""
        totals = people_sql(self.rows, [key.column for key in self.keys], [each.measure for each in self.scales])
        return f'"__totals" AS ({totals}), "__cells" AS MATERIALIZED ({self._cells()}), "__norms" AS ({self._norms()})'

    def _cells(self) -> str:
        """People's totals in units, in the cells of the domain; rows outside of it count nowhere."""
        names = [f"k{place}" for place in range(len(self.keys))]
        counted = self.structure.counted(names)
        keys = [f"{counted.get(place, key.counted(f'k{place}'))} AS k{place}" for place, key in enumerate(self.keys)]
        units = [f"{each.units(f'v{place}')} AS y{place}" for place, each in enumerate(self.scales)]
        fits = [key.fits(f"k{place}") for place, key in enumerate(self.keys) if not key.is_chosen]
        fits += self.structure.conditions(names)
        where = f" WHERE {' AND '.join(fits)}" if fits else ""
        return f'SELECT {", ".join([UNIT, *keys, *units])} FROM "__totals"{where}'

    def _norms(self) -> str:
        """Each person's form n0 …, absolute sum s0 … over all cells, and the number of cells held."""
        margins = list(dict.fromkeys(margin for each in self.scales for margin in each.form))
        parts = " UNION ALL ".join([*map(self._margin, margins), self._sides()])
        forms = [
            total(self._squares(place, max(map(abs, each.form.values())))) for place, each in enumerate(self.scales)
        ]
        sides = [total(y.absolute().named(f"s{place}")) for place, y in enumerate(self._named("y"))]
        listed = [f"{form} AS n{place}" for place, form in enumerate(forms)]
        listed += [f"{side} AS s{place}" for place, side in enumerate(sides)]
        held = f"{total(ONE.named('held'))} AS held"
        return f'SELECT {", ".join([UNIT, *listed, held])} FROM ({parts}) AS "__parts" GROUP BY {UNIT}'

    def _squares(self, place: int, coefficient: int) -> Cut:
        """The column of squares times coefficients, none of which is larger than this one."""
        return cut(f"u{place}", -FAR, FAR).squared().scaled(coefficient, 1).named(f"n{place}")

    def _margin(self, margin: Attributes) -> str:
        """The squares of one margin, times its coefficients."""
        keys = ", ".join([UNIT, *(f"k{place}" for place in margin)])
        summed = [f"{cut(total(y), -FAR, FAR)} AS u{place}" for place, y in enumerate(self._named("y"))]
        inner = f'SELECT {", ".join([UNIT, *summed])} FROM "__cells" GROUP BY {keys}'
        forms = [
            _wide(cut(f"u{place}", -FAR, FAR).squared().scaled(each.form.get(margin, 0), 1))
            for place, each in enumerate(self.scales)
        ]
        listed = [f"{form} AS n{place}" for place, form in enumerate(forms)]
        listed += [f"CAST(0 AS BIGINT) AS s{place}" for place in range(len(self.scales))]
        return f'SELECT {", ".join([UNIT, *listed, "CAST(0 AS BIGINT) AS held"])} FROM ({inner}) AS "__margin"'

    def _sides(self) -> str:
        """Each cell of a person: its absolute value, and that it is one."""
        listed = [f"CAST(0 AS HUGEINT) AS n{place}" for place in range(len(self.scales))]
        listed += [f"{y.absolute()} AS s{place}" for place, y in enumerate(self._named("y"))]
        return f'SELECT {", ".join([UNIT, *listed, "CAST(1 AS BIGINT) AS held"])} FROM "__cells"'

    def _factor(self) -> str:
        """The least factor of all measures."""
        found = []
        for place, each in enumerate(self.scales):
            room = f"CAST(greatest({each.radius} - held, 0) AS DOUBLE)"
            root = f"sqrt({double_sql(sum(each.form.values()))} / CAST(n{place} AS DOUBLE))"
            shrunk = f"least({room} * {root} * {double_sql(_SLACK)}, 1e0)"
            found.append(
                f"CASE WHEN s{place} > {FAR} THEN 0e0 "
                f"WHEN n{place} <= {each.limit} AND s{place} <= {CELL} THEN 1e0 "
                f"WHEN n{place} <= {each.limit} THEN 0e0 "
                f"WHEN {shrunk} * CAST(s{place} AS DOUBLE) <= {double_sql(CELL)} THEN {shrunk} ELSE 0e0 END"
            )
        return found[0] if len(found) == 1 else f"least({', '.join(found)})"


def row_sums_sql(
    rows: Rows, keys: Sequence[TableKey], table: Attributes, measures: Sequence[Measure], structure: KeyStructure
) -> str:
    """One SELECT with columns k0 …, y0 …: sums by the keys of a table where each person is one row, within its bounds.

    Claim: one person adds to one cell of each table, by at most the size of each measure, or to none.
    """
    names = [key.column.sql for key in keys]
    counted, groups = structure.counted(names), [f"k{axis}" for axis in range(len(table))]
    listed = [
        f"{counted.get(place, keys[place].counted(names[place]))} AS {group}"
        for place, group in zip(table, groups, strict=True)
    ]
    columns = ", ".join([*listed, *sums([measure.value for measure in measures])])
    fits = structure.conditions(names)
    where = f" WHERE {' AND '.join(fits)}" if fits else ""
    grouped = f" GROUP BY {', '.join(groups)}" if groups else ""
    return f'SELECT {columns} FROM ({rows.under(columns + where)}) AS "__rows"{where}{grouped}'


def _wide(value: Cut) -> str:
    return f"CAST({value} AS HUGEINT)"
