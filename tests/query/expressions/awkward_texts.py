"""Texts whose length is easily mistaken, and expressions that make texts of them."""

from __future__ import annotations

from tacit.query.sql.values.domains import LONGEST_MADE, MOST_PIECES
from tacit.query.sql.values.typed import LONGEST
from tacit.schema.description import Column
from tacit.schema.kind import Kind

NOTE = Column("note", Kind.TEXT)
REGION = Column("region", Kind.TEXT, keys=("ß", "ǰfive", "İ"))
AWKWARD = (
    *(
        "",
        " ",
        "ß",
        "İ",
        "ı",
        "ŉ",
        "ǰ",
        "ΐ",
        "ﬁ",
        "ﬃ",
        "ǅ",
        "ς",
        "ẞ",
        "e\u0301",
        "\u0345",
        "👩‍🔬",
        "𐐀𝔸",
    ),
    *("ǰfive", "x" * (LONGEST + 1), "ß" * (LONGEST + 3), "𝔸" * (LONGEST + 2), "İ" * LONGEST, " " * (LONGEST + 5)),
    *("ŉ" * LONGEST_MADE, "𐐨" * (LONGEST_MADE + 1), "e\u0301" * LONGEST_MADE, "x" * (LONGEST - 1), "ß" * 40_000),
)
"""Letters that change into several, letters of several code points, of two to four octets, short and very long."""

_ONE = ("note", "region", "LOWER({})", "UPPER({})", "TRIM({})", "LEFT({}, 9)", "RIGHT({}, 9)", "SUBSTRING({}, 2)")
_TWO = ("CONCAT({0}, {0})", "{0} || 'ß'", "UPPER({0}) || LOWER({0})", "COALESCE({0}, 'x')", "NULLIF({0}, 'x')")
_THREE = ("GREATEST({0}, 'é')", "CASE WHEN note = 'ß' THEN {0} ELSE 'abc' END", "SUBSTRING({0}, 3, 70000)")
_FORMS = (*_ONE[2:], *_TWO, *_THREE)
WIDEST = f"CONCAT({', '.join(['note'] * MOST_PIECES)})"
EXPRESSIONS = (
    *_ONE[:2],
    *(form.format(column) for form in _FORMS for column in _ONE[:2]),
    *(outer.format(f"({inner.format('note')})") for outer in _FORMS for inner in _FORMS),
    *("CONCAT(note, note, note, note)", WIDEST, "RTRIM(note, 'x')", "LTRIM(CONCAT(note, region))"),
)
