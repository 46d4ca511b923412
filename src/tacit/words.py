"""Numbers, percentages and paragraphs as people read them, and names and texts as a TOML file writes them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import ceil, floor, log10
from textwrap import fill

_HUGE, _TINY = 1e15, 1e-9  # numbers with larger or smaller errors are written with a power of ten
_GLUE = "\u00a0"
_TOGETHER = re.compile(r"[εδρ] = |[ερδ] (?=\d)|± (?=\d)| of (?=\d)")


def glued(text: str, glue: str = _GLUE) -> str:
    """The text with signs for spaces that a line must not be broken at, as in ± 5 and ε = 1."""
    return _TOGETHER.sub(lambda found: found[0].replace(" ", glue), text)


def folded(text: str, width: int, indent: str = "") -> str:
    """A paragraph at a width; what belongs together, such as ± 5 and ε = 1, stays on one line."""
    lines = fill(glued(text), width, initial_indent=indent, subsequent_indent=indent, break_long_words=False)
    return lines.replace(_GLUE, " ")


def shown(number: Fraction) -> str:
    """A fraction as a person writes it, to six significant digits, however small it is."""
    if float(number) or not number:
        return f"{float(number):g}"
    exponent = floor((number.numerator.bit_length() - number.denominator.bit_length()) * log10(2))
    mantissa, shift = f"{float(number / Fraction(10) ** exponent):e}".split("e")
    return f"{float(mantissa):g}e{exponent + int(shift):+d}"


def shown_up(value: float, digits: int = 6) -> str:
    """A number rounded up to six significant digits, or as many as asked."""
    return f"{float(Context(digits, ROUND_CEILING).create_decimal(Decimal(repr(value)))):g}"


def shown_down(value: float) -> str:
    """A number rounded down to six significant digits."""
    return f"{float(Context(6, ROUND_FLOOR).create_decimal(Decimal(repr(value)))):g}"


def counted(count: int, noun: str) -> str:
    """A count with its noun, as "1 table" or "3,000 tables"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def number(value: float, error: float) -> str:
    """A number with as many digits as its error leaves meaningful, and thousands set off or a power of ten."""
    if error >= _HUGE or 0 < error < _TINY:
        lead = floor(log10(abs(float(value)))) - floor(log10(error)) if value else 0
        return f"{float(value):.{max(0, lead) + 1}e}" if value else "0"
    if float(value).is_integer() and float(error).is_integer():
        return f"{int(value):,}"
    if not error > 0:
        return f"{value:,.6g}"
    digits = max(0, 1 - floor(log10(error)))
    return f"{value:z,.{digits}f}"  # what is rounded to 0 has no sign


def percent_up(share: Fraction | float) -> str:
    """A share in percent, to a tenth, rounded up."""
    return f"{shown(Fraction(ceil(Fraction(share) * 1000), 10))}%"


def percent_down(share: Fraction) -> str:
    """A share in percent, to a tenth, rounded down; below a tenth, "less than 0.1%"."""
    tenths = floor(share * 1000)
    return "less than 0.1%" if share and not tenths else f"{shown(Fraction(tenths, 10))}%"


def share_used(part: Fraction) -> str:
    """A share that was used, to a tenth of a percent, or to two digits where it is smaller."""
    hundredths = 100 * part
    return f"{float(hundredths):.1f}%" if hundredths >= Fraction(1, 10) or not part else f"{float(hundredths):.2g}%"


def share_left(part: Fraction) -> str:
    """A remaining share, rounded down, so that it is never overstated."""
    hundredths = 100 * part
    if hundredths >= Fraction(1, 10) or not part > 0:
        tenths = floor(10 * hundredths)
        return f"{tenths // 10}.{tenths % 10}%" if tenths > 0 else "0%"
    return "less than 0.1%"


_BARE = re.compile(r"[A-Za-z0-9_-]+")


def quoted(text: str) -> str:
    """A text between quotation marks, with every character that may not stand there escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def key_text(name: str) -> str:
    """A name as a key: bare where that is allowed, else quoted."""
    return name if _BARE.fullmatch(name) else quoted(name)


def dotted(parts: Sequence[str]) -> str:
    """The place of a value in a file, such as `tables.visits.columns.age.max`."""
    return ".".join(key_text(part) for part in parts)
