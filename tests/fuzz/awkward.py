"""Awkward values: where types, calendars, doubles and alphabets have edges, and dense windows of values around them."""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta
from decimal import Decimal
from random import Random

ROWS = 72
"""The values of a window: so many lie side by side."""

_POWERS = [2**k for k in (0, 1, 7, 8, 15, 16, 23, 24, 31, 32, 52, 53, 54, 62, 63)] + [10**k for k in range(19)]
INTEGERS = sorted({sign * (power + off) for power in _POWERS for off in (-1, 0, 1) for sign in (1, -1)})
"""Powers of two and ten, one below and one above."""

FLOATS = (
    *(0.0, 5e-324, 2.2250738585072014e-308, 1e-300, 1e-9, 0.1, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 10.0, 100.0, 1e3),
    *(float(2**k) for k in (23, 24, 31, 32, 52, 53, 54, 62, 63, 64, 100, 120)),
    *(float(10**k) for k in range(4, 38, 1)),
    *(0.05, 0.005, 0.045, 1.005, 2.675, 1e-5, 1e-7, 709.78, 700.0, 745.0, 1e154, 1e200, 1e280, 8.98e307, 1.79e308),
)
_YEARS = (1, 2, 4, 100, 400, 1582, 1899, 1900, 1969, 1970, 1999, 2000, 2023, 2024, 2025, 2038, 2100, 9996, 9998, 9999)
MOMENTS = tuple(
    datetime(year, month, day, hour, minute, second, micro)
    for year in _YEARS
    for month, day in ((1, 1), (1, 31), (2, 28), (3, 1), (4, 30), (10, 31), (12, 30), (12, 31))
    for hour, minute, second, micro in ((0, 0, 0, 0), (23, 59, 59, 0), (23, 59, 59, 999999))
) + tuple(datetime(year, 2, 29, 12) for year in (4, 400, 2000, 2024, 9996))
"""Ends of months, leap days, the first and the last years."""


def integers(random: Random) -> list[int]:
    """Every integer of a stretch, or every so many-th, around an edge; within 64 bits."""
    centre = random.choice((0, 0, *INTEGERS))
    step = random.choice((1, 1, 1, 2, 3, 7, 10, 60, 100, 1000))
    start = centre - step * random.randrange(ROWS)
    return [min(max(start + step * place, -(2**63)), 2**63 - 1) for place in range(ROWS)]


def decimals(random: Random, width: int, scale: int) -> list[Decimal]:
    """Neighbouring decimals around an edge of a DECIMAL(width, scale)."""
    most = 10**width - 1
    places = [0, most, -most, *(sign * 10**k for k in range(width) for sign in (1, -1)), 5 * 10 ** max(scale - 1, 0)]
    centre, step = random.choice(places), random.choice((1, 1, 5, 10 ** min(scale, width - 1)))
    start = centre - step * random.randrange(ROWS)
    return [Decimal(min(max(start + step * place, -most), most)).scaleb(-scale) for place in range(ROWS)]


def floats(random: Random) -> list[float]:
    """Neighbouring doubles around an edge, equal steps, or the same digits on many scales; some are −0.0 or wild."""
    centre = random.choice(FLOATS) * random.choice((1, 1, 1, -1, 3, 7))
    found: list[float] = []
    style = random.choice(("ulps", "ulps", "steps", "scales"))
    if style == "ulps":
        below = random.randrange(ROWS)
        number = centre
        for _ in range(below):
            number = math.nextafter(number, -math.inf)
        for _ in range(ROWS):
            found.append(number)
            number = math.nextafter(number, math.inf)
    elif style == "steps":
        step = random.choice((0.1, 0.25, 0.5, 1.0, 1e-3, abs(centre) / 64 or 1e-310))
        found = [centre + step * (place - ROWS // 2) for place in range(ROWS)]
    else:
        found = [centre * 2.0 ** (place - ROWS // 2) for place in range(ROWS)]
    found = [number if math.isfinite(number) else 1.7976931348623157e308 for number in found]
    found[random.randrange(ROWS)] = -0.0
    return found


def near(random: Random) -> float:
    """An edge of the doubles, or one of its neighbours."""
    number = random.choice(FLOATS)
    for _ in range(random.choice((0, 0, 1, 1, 2, 3))):
        number = math.nextafter(number, random.choice((-math.inf, 0.0, math.inf)))
    return number


def wild(random: Random) -> float:
    """Values that a file may have, but no double of a plan."""
    return random.choice((math.nan, math.inf, -math.inf))


_STEPS = tuple(
    timedelta(**{unit: count})
    for unit, count in (
        *(("microseconds", 1), ("seconds", 1), ("seconds", 1), ("seconds", 37), ("minutes", 1), ("minutes", 47)),
        *(
            ("hours", 1),
            ("hours", 1),
            ("hours", 5),
            ("hours", 7),
            ("hours", 7),
            ("days", 1),
            ("hours", 25),
            ("days", 31),
        ),
    )
)
_FIRST, _LAST = datetime.min, datetime.max


def moments(random: Random) -> list[datetime]:
    """Moments in equal steps around an edge of the calendar."""
    centre, step = random.choice(MOMENTS), random.choice(_STEPS)
    back = random.randrange(ROWS)
    return [_moved(centre, step * (place - back)) for place in range(ROWS)]


def _moved(moment: datetime, by: timedelta) -> datetime:
    try:
        return moment + by
    except OverflowError:
        return _LAST if by > timedelta(0) else _FIRST


def days(random: Random) -> list[date]:
    """Days side by side around an edge of the calendar."""
    centre, step = random.choice(MOMENTS), timedelta(days=random.choice((1, 1, 1, 7, 29, 31, 365)))
    back = random.randrange(ROWS)
    return [_moved(centre, step * (place - back)).date() for place in range(ROWS)]
