"""A total expression over one row: its kind, the bounds its SQL enforces, and the SQL itself."""

from __future__ import annotations

from fractions import Fraction

from tacit.frozen import frozen
from tacit.schema.kind import Key, Kind

LONGEST = 65_536  # letters of a text: a column is cut there when it is read


@frozen
class Typed:
    """An expression that has a value on every possible row.

    Claim: `sql` (DuckDB's dialect) never fails, and its value is NULL or of this kind within [low, high], because the
    SQL itself enforces it; NULL only if `nullable`. Bounds are numbers; for a date they count days since 1970-01-01,
    for a timestamp microseconds since then. `keys`, if not None, lists every value but NULL it has. In SQL an INTEGER
    is a BIGINT if its bounds fit 64 bits and else a HUGEINT, a DECIMAL of scale s is kept as the integer value·10^s in
    the same types, a FLOAT is a finite DOUBLE, TEXT a VARCHAR, TIMESTAMP has no time zone. A TEXT has at most `longest`
    letters (code points), again because the SQL itself enforces it. `weight` is the size of a sub-query column's
    definition, which engines substitute at each use (`values.domains.weighed`).
    """

    kind: Kind
    sql: str
    low: Fraction | None = None
    high: Fraction | None = None
    nullable: bool = True
    scale: int = 0
    keys: tuple[Key, ...] | None = None
    is_constant: bool = False
    longest: int = LONGEST
    weight: int = 0
