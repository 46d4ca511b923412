"""What is said of the size of numbers holds of every number: it decides which guards PostgreSQL's words leave out."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from random import Random

import pytest

from tacit.query.engines.expression_walk import TranslatedColumn, TranslatedRelation
from tacit.query.engines.postgres.dialect import Postgres
from tacit.query.engines.translation import translate
from tacit.query.sql.dialects.sql_type import BIGINT, BOOLEAN, DOUBLE, Reach, hull, of_number, type_named
from tacit.query.sql.dialects.translator import natural_reach

_TABLE = {
    "t": TranslatedRelation(
        '"t"', (TranslatedColumn("p", BOOLEAN), TranslatedColumn("n", BIGINT, natural_reach(BIGINT)))
    ),
}
_BASES = (1.0, 1.5, 2.0, 3.0, 0.1, 1e-5, 1e9, 2.0**53, 1e150, 1e-150, 1e300)


def _holds(reach: Reach, value: float) -> bool:
    return value == 0 or not math.isfinite(value) or reach.least <= abs(value) <= reach.most


def _values(random: Random) -> list[float]:
    """A few neighbouring doubles, of either sign."""
    found = [random.choice(_BASES) * random.choice((1, -1))]
    for _ in range(3):
        found.append(math.nextafter(found[-1], random.choice((-math.inf, math.inf))))
    return found


@pytest.mark.parametrize(
    "function", [lambda a, b: a + b, lambda a, b: a * b, lambda a, b: a / b], ids=["sum", "product", "quotient"]
)
def test_of_neighbouring_doubles(function: Callable[..., float | Reach]) -> None:
    """R26: large numbers that all but cancel out leave a small one."""
    random = Random(5)
    for _ in range(2000):
        left, right = _values(random), _values(random)
        reach = function(hull(map(of_number, left)), hull(map(of_number, right)))
        assert isinstance(reach, Reach)
        for a in left:
            for b in right:
                value = function(a, b)
                assert isinstance(value, float)
                assert _holds(reach, value), (a, b)


@pytest.mark.parametrize("target", ["BIGINT", "SMALLINT", "DECIMAL(5,0)", "DECIMAL(9,3)", "DECIMAL(38,9)", "DOUBLE"])
@pytest.mark.parametrize("value", ["1.5e0", "2.5e0", "0.5e0", "0.9995e0", "0.0005e0", "7e0", "1.5", "0.5", "2.9999"])
def test_of_what_a_cast_rounds(value: str, target: str) -> None:
    """R26: a cast rounds away from zero, by up to a half of its last digit."""
    for word in ("CAST", "TRY_CAST"):
        said = translate(f"SELECT {word}(CASE WHEN p THEN {value} END AS {target}) AS v FROM t", _TABLE, Postgres())
        kind = type_named(target)
        steps = Fraction(10) ** kind.scale
        exact = Fraction(value)
        rounded = exact if kind == DOUBLE else Fraction(math.floor(exact * steps + Fraction(1, 2))) / steps
        assert _holds(said.columns[0].reach, float(rounded))
