"""The second line against failing rows: DuckDB's TRY around what an analyst wrote, whatever the first line proves.

The first line are the total forms that every rule emits. This one does not believe them: where a function, a cast or
an operator raises an error on a row, TRY makes NULL of the row's value. It does not catch sums that overflow, memory,
or texts that no engine holds, and a row that fails costs time: so it stands behind total forms, never instead of them.
"""

from __future__ import annotations

import re

from tacit.schema.kind import TIMES

IS_ON = True  # tests turn it off to see the first line alone; no setting reaches it

_TIMES = "|".join(str(kind.traits.sql) for kind in TIMES)  # which stand before the text of a literal
_HARMLESS = re.compile(
    rf"""(?:"(?:[^"]|"")*" | '(?:[^']|'')*'              # names and texts
    | \(-(?=\d) | \d+(?:\.\d+)?(?:e[+-]?\d+)?\b          # numbers
    | ::(?:BIGINT|HUGEINT|DOUBLE)\b | CAST\(NULL\ AS\ [A-Z]+\)
    | \b(?:CASE|WHEN|THEN|ELSE|END|AND|OR|NOT|IS|NULL|IN|BETWEEN|TRUE|FALSE|DISTINCT|FROM|{_TIMES})\b
    | \b(?:coalesce|COALESCE|least|greatest)\(           # choices among values of one type
    | [<>]=? | <> | = | [(),.\s])*+""",
    re.VERBOSE,
)


def tried(sql: str) -> str:
    """The expression such that no row can make it fail: as it is where nothing in it computes, else within TRY.

    Names, literals, comparisons, logic and choices do not fail. TRY around them would only cost time: around a bare
    column more than twice, and around a whole condition of a join the join itself, which would be a nested loop.
    """
    return sql if not IS_ON or _HARMLESS.fullmatch(sql) else f"TRY({sql})"
