"""The second line against failing rows: DuckDB's TRY around an analyst's expressions, independent of the first.

The first line is the total forms that every rule emits. The second line does not rely on them: where a function, a cast
or an operator raises an error on a row, TRY makes the row's value NULL. It does not catch overflowing sums, lack of
memory, or texts that no engine holds, and a row that fails costs time: so it supplements total forms and does not
replace them.
"""

from __future__ import annotations

import re

from tacit.schema.kind import TIMES

IS_ON = True  # tests turn it off to test the first line alone; it is not a setting

_TIMES = "|".join(str(kind.traits.sql) for kind in TIMES)  # which precede the text of a literal
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
    """The expression in a form that cannot fail on any row: unchanged where nothing in it can fail, else within TRY.

    Names, literals, comparisons, logic and choices do not fail. TRY around them would only cost time: around a bare
    column more than twice, and around a whole condition of a join the join itself, which would be a nested loop.
    """
    return sql if not IS_ON or _HARMLESS.fullmatch(sql) else f"TRY({sql})"
