"""Awkward texts: letters of several code points, cases that change lengths, what looks like a number, and long ones."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.fuzz.awkward import ROWS, integers

LONG = 65_536
_WORDS = ("", " ", "a", "north", "North", "NORTH ", "it's", "a%b_c", "\\", "100%", "__", "x" * 50)
_LETTERS = (
    *(
        "é",
        "e\u0301",
        "ǅ",
        "ﬁ",
        "Σς",
        "ß",
        "ẞ",
        "İ",
        "ı",
        "😀",
        "𐐀",
        "𐐨",
        "a\u0323\u0307",
        "ŉ",
        "ΐ",
        "\u200d",
        "👩\u200d👩\u200d👧",
    ),
    *("\u00a0x\u00a0", "\u3000", "\u2028", "\t", "\n", "١٢", "12", "\U0010ffff", "\ufffd", "\u1f80", "\u0130\u0307"),
)
_NUMBERS = (
    *("0", "-0", "+1", "1", "1.5", ".5", "5.", "-.5", "1e3", "1E+3", "1e-3", "1e400", "-1e400", "1e-400", "1_000"),
    *(
        "1_0_0",
        "_1",
        "1_",
        "1__0",
        "1_000.5_0",
        "1e1_0",
        " 1",
        "1 ",
        " 1.5 ",
        "\t1\n",
        "1 2",
        "0x10",
        "0b1",
        "1e",
        "e1",
    ),
    *("nan", "inf", "-inf", "Infinity", "1,000", "127", "128", "-128", "-129", "255", "32767", "32768", "2147483647"),
    *("2147483648", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809"),
    *("170141183460469231731687303715884105727", "1" + "0" * 40, "0." + "9" * 20, "0." + "0" * 30 + "1", "9" * 18),
    *(
        "0.9999999999999999",
        "99.995",
        "-99.995",
        "4.9e-324",
        "2e308",
        "1.7976931348623157e308",
        "9" * 16 + ".5",
        "+",
        "-",
    ),
    *(
        "0.5",
        "1.5",
        "2.5",
        "-0.5",
        "127.5",
        "-128.5",
        "0.05",
        "0.005",
        "00001",
        "1e0000001",
        "1.e3",
        "true",
        "TRUE",
        "t",
    ),
)
_DATES = (
    *("2024-02-29", "2023-02-29", "2024-02-30", "2024-2-9", "0001-01-01", "0000-01-01", "9999-12-31", "10000-01-01"),
    *("2024-12-31 23:59:59", "2024-12-31 23:59:60", "2024-12-31T23:59:59.999999", "2024-01-31 24:00:00", "infinity"),
    *("2024-01-31 10:00:00+02", "2024-01-31Z", " 2024-01-31 ", "2024/01/31", "20240131", "epoch", "today", "now", "f"),
    *("2024-12-31 23:59:59.9999999", "1969-12-31 23:59:59.5", "-infinity", "0044-03-15 (BC)", "2024-01-31 1:2:3"),
)


def _joined(random: Random) -> list[str]:
    return ["".join(random.choices((*_WORDS, *_LETTERS), k=random.randrange(4))) for _ in range(ROWS)]


def _long(random: Random) -> list[str]:
    """A few texts of equal pieces by the thousand, as long as a column may be read, and longer; the others short.

    One of them is a number in groups of digits.
    """
    piece = random.choice(("x", "é", "😀", "1_", "9", "a\u0301", " ", "ŉ", "%a"))
    letters = [random.choice((LONG - 1, LONG, LONG + 1, 3000, 200_000)) for _ in range(3)]
    found = ["1" + unit * (count // len(unit)) for unit, count in zip((piece, piece, "_1"), letters, strict=True)]
    return (found + _joined(random))[:ROWS]


_TEXTS: tuple[Callable[[Random], list[str]], ...] = (
    _joined,
    lambda random: random.choices(_NUMBERS, k=ROWS),
    lambda random: random.choices(_NUMBERS, k=ROWS),
    lambda random: random.choices(_DATES, k=ROWS),
    lambda random: random.choices((*_WORDS, *_LETTERS), k=ROWS),
    lambda random: [f"{number}{random.choice(('', 'e1', '_0', ' ', '.5'))}" for number in integers(random)],
    _long,
    _long,
)


def texts(random: Random) -> list[str]:
    """Texts of one sort: words, awkward letters, what looks like a number or a date, a few very long ones."""
    return random.choice(_TEXTS)(random)
