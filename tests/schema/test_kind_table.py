"""The table of kinds: a row for each, that engines, Arrow and readers agree with."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from tacit.errors import Refused
from tacit.query.engines.postgres.spelling import type_name as postgres_name
from tacit.query.engines.spark.spelling import type_name as spark_name
from tacit.query.sql.dialects.sql_type import PARSED_TYPES, SqlType
from tacit.schema.catalogue import natural_kind
from tacit.schema.kind import NUMBERS, PARSED, TIMES, Kind, kind_of


@pytest.mark.parametrize("kind", Kind)
def test_every_kind_has_a_row_that_fits_its_neighbours(kind: Kind) -> None:
    """Its words are words of Arrow, of headers and of casts."""
    traits = kind.traits
    assert isinstance(pa.type_for_alias(traits.arrow), pa.DataType)
    assert (traits.scale is not None) == kind.is_time == (kind in TIMES)
    assert kind.is_number == (kind in NUMBERS)
    assert all(PARSED[name] is kind for name in traits.parsed)
    if kind is not Kind.DECIMAL:
        assert all(natural_kind(header) == (kind, 0) for header in traits.headers)


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind.traits.sql is not None])
def test_every_engine_has_the_type_that_a_kind_is_kept_in(kind: Kind) -> None:
    """And lowered SQL may cast to it."""
    kept = SqlType(str(kind.traits.sql))
    assert kept.is_known
    assert kept.is_time == kind.is_time
    assert kept in PARSED_TYPES.values()
    assert postgres_name(kept)
    assert spark_name(kept)


@pytest.mark.parametrize("kind", TIMES)
def test_times_are_counted_from_the_first_to_the_last(kind: Kind) -> None:
    """From the start of 1970, and within the years 1 to 9999."""
    scale = kind.time_scale
    low, high = scale.limits
    assert (scale.time(low), scale.time(0), scale.time(high)) == (scale.first, scale.start, scale.last)
    assert scale.number(scale.time(low + 1)) == low + 1
    with pytest.raises(OverflowError):
        scale.time(high + 1)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (True, Kind.BOOLEAN),
        (1, Kind.INTEGER),
        (1.5, Kind.FLOAT),
        ("1", Kind.TEXT),
        (date(2024, 1, 31), Kind.DATE),
        (datetime(2024, 1, 31), Kind.TIMESTAMP),
    ],
)
def test_a_key_has_the_kind_of_its_nearest_type(value: Any, kind: Kind) -> None:
    """A boolean is no integer here, and a timestamp no date."""
    assert kind_of(value) is kind


def test_what_is_no_key_has_no_kind() -> None:
    """A decimal is compared as people read it in no engine."""
    value: Any = Decimal("1.5")
    with pytest.raises(Refused):
        kind_of(value)
