"""Every expression has the same value on every engine, to the last bit, whatever the rows hold.

Expressions with transcendental functions are in it too: both engines call the same library on this machine.
"""

from __future__ import annotations

from collections.abc import Sequence

import duckdb
import pytest
from tests.engines.engines import DuckDBUnderTest
from tests.engines.expression_world import ExpressionWorld, typed_expression
from tests.engines.postgres_server import PostgresUnderTest

from tacit.curator.open_data import Translating
from tacit.errors import Failed, Refused
from tacit.query.sql.values.typed import Typed

Pair = tuple[ExpressionWorld, ExpressionWorld]


@pytest.fixture(scope="module")
def pair(postgres: PostgresUnderTest, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """DuckDB and PostgreSQL with the same rows of poison."""
    folder = tmp_path_factory.mktemp("expressions")
    with duckdb.connect() as rows:
        rows.execute("SET TimeZone = 'UTC'")
        one = ExpressionWorld.of(DuckDBUnderTest(), rows, folder / "duckdb")
        return one, ExpressionWorld.of(postgres, rows, folder / "postgresql")


def _compare(pair: Pair, texts: Sequence[str], variant: int) -> None:
    said = [(text, typed) for text in texts if (typed := typed_expression(text, variant)) is not None]
    said = [(text, typed) for text, typed in said if _is_said(typed, variant, pair[1])]
    one, other = (world.values([typed for _, typed in said], variant) for world in pair)
    for (text, _), first, second in zip(said, one, other, strict=True):
        assert first == second, text


def _is_said(typed: Typed, variant: int, world: ExpressionWorld) -> bool:
    assert isinstance(world.engine, Translating)
    try:
        world.engine.said(f'SELECT {typed.sql} AS v FROM "t{variant}"', world.headers)
    except Refused:
        return False
    return True


_ALL = (
    *("x * x", "x * x * x", "x / w", "x / (x * 1e-300)", "x + x", "x - 1e308", "x * 1e-300", "1e-300 / x", "x * w * s"),
    *(
        "ROUND(x)",
        "ROUND(x, 3)",
        "ROUND(x, -3)",
        "ROUND(x * -0.0, -3)",
        "ROUND(n / debt, -2)",
        "ROUND(x * -0.0, 3)",
        "ROUND(x * -0.0)",
        "ROUND(w, 15)",
        "FLOOR(x)",
        "CEIL(x)",
        "TRUNC(x)",
        "EXP(x)",
        "EXP(-x)",
    ),
    *("POWER(x, 2)", "POWER(x, 3)", "POWER(x, 16)", "SQRT(x)", "LN(x)", "LOG10(x)", "SIGN(x)", "SIGN(n)", "ABS(x)"),
    *(
        "CAST(x AS BIGINT)",
        "CAST(x AS INTEGER)",
        "CAST(x AS TINYINT)",
        "CAST(x AS HUGEINT)",
        "CAST(x AS DECIMAL(18, 4))",
        "CAST(1e3 AS TINYINT)",
        "CAST(1e30 AS INTEGER)",
        "CAST(POWER(1e3, 4) AS INTEGER)",
        "CAST(-1e30 AS DECIMAL(10, 2))",
    ),
    *("CAST(x AS DECIMAL(28, 9))", "CAST(x AS VARCHAR)", "CAST(w AS VARCHAR)", "CAST(n AS VARCHAR)", "n * n", "n // z"),
    *("CAST(n * 2 AS DOUBLE)", "CAST(cost AS DOUBLE)", "CAST(any_cost AS DOUBLE)", "n % 7", "-n", "n * 3 // 7"),
    *("n % -1", "n // -1", "n % z", "MOD(n * 2, -1)", "any_cost % -0.01"),
    *("CAST(cost AS VARCHAR)", "CAST(day AS VARCHAR)", "CAST(moment AS VARCHAR)", "CAST(ok AS VARCHAR)"),
    *(
        "LOWER(note)",
        "UPPER(note)",
        "LOWER(region)",
        "TRIM(note)",
        "note ILIKE '%É%'",
        "note LIKE '%\\%'",
        "note < region",
    ),
    *(
        "LENGTH(note)",
        "LEFT(note, 2)",
        "RIGHT(note, 3)",
        "SUBSTRING(note, 2, 3)",
        "CONTAINS(note, 'n')",
        "note || region",
    ),
    *(f"date_diff('{unit}', day, moment)" for unit in ("year", "quarter", "month", "week", "day", "hour", "second")),
    *(f"date_part('{part}', moment)" for part in ("year", "week", "doy", "dow", "isodow", "hour", "minute", "second")),
    *(f"date_trunc('{unit}', moment)" for unit in ("year", "quarter", "month", "week", "day", "hour", "second")),
    *("day + INTERVAL 9000 YEAR", "day - INTERVAL 9000 YEAR", "day + INTERVAL 1 MONTH", "moment - INTERVAL 3 HOUR"),
    *(
        "day - visit",
        "moment > day",
        "GREATEST(day, moment)",
        "LEAST(x, n, z)",
        "COALESCE(x, z)",
        "WIDTH_BUCKET(x, 0, 1, 7)",
    ),
)


@pytest.mark.parametrize("variant", [0, 1])
def test_every_word_of_the_vocabulary_has_the_same_values(pair: Pair, variant: int) -> None:
    """R07, R26: each function and operator once, on every poison value of each type."""
    for start in range(0, len(_ALL), 10):
        _compare(pair, _ALL[start : start + 10], variant)


@pytest.mark.parametrize(
    ("text", "guard", "broken"),
    [
        ("x * x", "isfinite", None),
        ("CAST(x AS BIGINT)", "TRY_CAST", "CAST"),
        ("note < region", None, None),
    ],
)
def test_a_missing_guard_would_be_seen(pair: Pair, text: str, guard: str | None, broken: str | None) -> None:
    """Broken twins: values that differ, or a failure, are noticed (R46)."""
    typed = typed_expression(text, 0)
    assert typed is not None
    if broken is not None and guard is not None:
        twin = Typed(typed.kind, typed.sql.replace(guard, broken), typed.low, typed.high)
        with pytest.raises(Failed):
            pair[1].values([twin], 0)
        return
    other = typed_expression(text.replace("*", "+").replace("<", ">"), 0)
    assert other is not None
    assert pair[0].values([typed], 0) != pair[1].values([other], 0)
