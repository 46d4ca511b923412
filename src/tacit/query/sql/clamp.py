"""The guard of every sum: integers that the lowered SQL itself keeps within the bounds that were priced.

A planner derives facts: a bound, "never NULL". They determine a scale and a price. They are never the guard, because
with one wrong rule about one expression a person could move a sum without limit. The guard is here, in one place:

Claim: nothing unclamped reaches a sum. Proof: `SUM(` is written in this file alone, around a `Cut` (or, for a norm
alone, around kept totals as doubles), and only this file makes one: by `cut`, whose CASE (or least and greatest) has no
way out of [low, high] whatever its operand is, NULL, NaN and the infinities included; by a form whose values are listed
(1, or 1 and 0); or from another `Cut` by an operation whose range over integers in [low, high] is known, in a type that
it fits. The price uses the bounds of the same object, so that price and guard always agree. A test looks for `SUM(` and
`Cut(` elsewhere, and another makes every derived bound wrong on purpose.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from fractions import Fraction

from tacit.frozen import frozen
from tacit.query.sql.values.storage import double_sql

WORD = 2**62
"""The cut of a sum: ±2^62, which increases no difference of sums, and fits 64 bits with noise added."""

_ADDED = 2**96  # 2^30 rows of it add up to 126 bits
_LARGEST = Fraction(sys.float_info.max)
_NAME = re.compile(r'(?:"(?:[^"]|"")+"|[A-Za-z_]\w*)(?:\.(?:"(?:[^"]|"")+"|[A-Za-z_]\w*))?')


@frozen
class Cut:
    """An integer in SQL: never NULL and within [low, high], whatever the rows hold. Only `clamp` makes it.

    Its text is one term: a name, a number, a call, a CASE, or in brackets.
    """

    sql: str
    low: int
    high: int

    def __str__(self) -> str:
        return self.sql

    @property
    def size(self) -> int:
        """Its largest absolute value."""
        return max(self.high, -self.low)

    def within(self, most: int) -> Cut:
        """It, cut to at most this absolute value."""
        return self if self.size <= most else cut(self.sql, -most, most)

    def minus(self, centre: int) -> Cut:
        """x − centre."""
        return Cut(f"({self.sql} - ({centre}))", self.low - centre, self.high - centre) if centre else self

    def absolute(self) -> Cut:
        """|x|."""
        return Cut(f"abs({self.sql})", 0, self.size)

    def squared(self, coarse: int = 1) -> Cut:
        """x² // coarse: through 128 bits, where the square of a word fits, unless it fits a word itself."""
        return Cut(self._multiplied(self, coarse), 0, self.size**2 // coarse)

    def multiplied(self, other: Cut, coarse: int = 1) -> Cut:
        """x·y // coarse, cut towards zero, in the same way."""
        corners = [one * two for one in (self.low, self.high) for two in (other.low, other.high)]
        low, high = (_towards_zero(end, coarse) for end in (min(corners), max(corners)))
        return Cut(self._multiplied(other, coarse), low, high)

    def _multiplied(self, other: Cut, coarse: int) -> str:
        is_wide = self.size * other.size > WORD
        first, second = (f"CAST({each.sql} AS HUGEINT)" if is_wide else each.sql for each in (self, other))
        product = f"({first} * {second})"
        return f"CAST({product} // {coarse} AS BIGINT)" if coarse > 1 else product

    def times(self, other: Cut) -> Cut:
        """x·y: a word, so that both must be small enough."""
        corners = [one * two for one in (self.low, self.high) for two in (other.low, other.high)]
        if not self.size * other.size <= WORD:
            raise OverflowError("a product of integers that are too large for a word")
        return Cut(f"({self.sql} * {other.sql})", min(corners), max(corners))

    def where(self, condition: str, otherwise: Cut | None = None) -> Cut:
        """x where the condition holds, else another value, or 0."""
        other = otherwise or Cut("0", 0, 0)
        case = f"CASE WHEN {condition} THEN {self.sql} ELSE {other.sql} END"
        return Cut(case, min(self.low, other.low), max(self.high, other.high))

    def scaled(self, times: int, over: int) -> Cut:
        """x·times, or x // over, which cuts towards zero."""
        if over > 1:
            return Cut(f"({self.sql} // {over})", _towards_zero(self.low, over), _towards_zero(self.high, over))
        low, high = sorted((self.low * times, self.high * times))
        return Cut(
            f"({self.sql} * ({times}))" if times < 0 else f"({self.sql} * {times})" if times != 1 else self.sql,
            low,
            high,
        )

    def shrunk(self, factor: str) -> Cut:
        """x·factor, cut towards zero, for a factor below 1; x where there is none."""
        shrunk = f"CASE WHEN {factor} IS NULL THEN {self.sql} ELSE CAST(trunc({self.sql} * {factor}) AS BIGINT) END"
        return Cut(shrunk, min(self.low, 0), max(self.high, 0))

    def named(self, column: str) -> Cut:
        """The value by the name of a column that has it."""
        return Cut(column, self.low, self.high)


ONE = Cut("1", 1, 1)


def one_where(condition: str) -> Cut:
    """1 where the condition holds, else 0."""
    return ONE.where(condition)


def spread(full: int, held: str) -> Cut:
    """⌊full/√held⌋, where `held` is a whole number from 1 on, else 0: the root is not below 1."""
    return Cut(f"CAST(floor({double_sql(full)} / sqrt({held})) AS BIGINT)", 0, full).where(f"{held} >= 1")


def count_named(column: str) -> Cut:
    """A column that holds a COUNT: no table has 2^45 rows."""
    return Cut(column, 0, 2**45)


def cut(sql: str, low: int, high: int, neutral: int = 0) -> Cut:
    """Any integer expression, cut to [low, high], as 64 bits; NULL counts as `neutral`."""
    least, most = min(low, neutral), max(high, neutral)
    return Cut(f"CAST({_within(sql, str(least), str(most), str(neutral))} AS BIGINT)", least, most)


def cut_float(sql: str, step: Fraction, low: int, high: int, neutral: int = 0) -> Cut:
    """Any DOUBLE in whole steps, cut to [low, high] of them before it is one; NULL counts as `neutral`, NaN as `high`.

    Claim: the cast cannot fail. Proof: the step is a power of two and all bounds are below 2^52 steps, so that bounds
    and quotients are doubles, exactly, and rounding them to whole steps leaves them in place.
    """
    least, most = min(low, neutral), max(high, neutral)
    ends = (double_sql(min(max(each * step, -_LARGEST), _LARGEST)) for each in (least, most, neutral))
    whole = f"floor({_within(sql, *ends)} * {double_sql(1 / step)} + 0.5e0)"
    return Cut(f"CAST({whole} AS BIGINT)", least, most)


def _within(sql: str, low: str, high: str, neutral: str) -> str:
    """A number cut to two literals: by CASE, which is fastest, for a name; otherwise in a form that writes it once."""
    if not _NAME.fullmatch(sql):
        return f"least(greatest(coalesce({sql}, {neutral}), {low}), {high})"
    below = "" if low == neutral else f" WHEN {sql} < {low} THEN {low}"
    above = "" if high == neutral and below else f" WHEN {sql} > {high} THEN {high}"
    return f"CASE WHEN {sql} BETWEEN {low} AND {high} THEN {sql}{above}{below} ELSE {neutral} END"


def _towards_zero(value: int, over: int) -> int:
    return value // over if value >= 0 else -(-value // over)


def or_null(sql: str, low: str, high: str) -> str:
    """A value cut to two literals of its type, NULL for NULL: for use in further expressions, not in a sum."""
    return f"CASE WHEN {sql} < {low} THEN {low} WHEN {sql} > {high} THEN {high} ELSE {sql} END"


def total(*values: Cut) -> str:
    """The sum of these over one person's rows: in 128 bits, which cannot overflow."""
    first, *others = (value.sql for value in values)
    sizes = [value.size for value in values]
    if not sum(sizes) <= _ADDED:
        raise OverflowError("a sum of integers that are too large for many rows of them")
    if max(sizes) <= WORD < sum(sizes):
        first = f"CAST({first} AS HUGEINT)"
    return f"SUM({' + '.join([first, *others])})"


def word_sum(value: Cut) -> str:
    """The sum over people, to which noise is added: 64 bits, 0 where there are no people."""
    return word(total(value))


def word(sum_sql: str) -> str:
    """A sum, or a sum of sums, as 64 bits."""
    return f"CAST(least(greatest(coalesce({sum_sql}, 0), {-WORD}), {WORD}) AS BIGINT)"


def sum_of_words(name: str) -> str:
    """The sum of a column of words that were sums themselves."""
    return word_sum(Cut(name, -WORD, WORD))


def product_sum(first: str, second: str) -> str:
    """The sum of products of one person's kept totals, in double precision: for a norm, never for a released sum."""
    return f"SUM(CAST({first} AS DOUBLE) * CAST({second} AS DOUBLE))"


def sums(values: Sequence[Cut]) -> list[str]:
    """The sums over people of several columns, called y0 …."""
    return [f"{word_sum(value)} AS y{place}" for place, value in enumerate(values)]
