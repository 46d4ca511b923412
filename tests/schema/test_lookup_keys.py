"""Keys from a public table: distinct, in order, of the column's kind, or refused."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from tests.schema.clinic_file import CLINIC, changed, written

from tacit.errors import Refused
from tacit.schema.description import Source
from tacit.schema.kind import Kind
from tacit.schema.lookups import lookup_keys
from tacit.schema.reader import read_description

DAY, MIDNIGHT, NOON = date(2020, 1, 2), datetime(2020, 1, 2), datetime(2020, 1, 2, 12)
LATER = NOON.replace(microsecond=500000)


@pytest.mark.parametrize(
    ("kind", "values", "keys"),
    [
        (Kind.TEXT, ["b", None, "a", "b", "B", "é"], ("B", "a", "b", "é")),
        (Kind.TEXT, [10, 9, True, DAY, NOON], ("10", "2020-01-02", "2020-01-02 12:00:00", "9", "true")),
        (Kind.INTEGER, [10, "9", None, 9, Decimal("-3"), 4.0, " +7 "], (-3, 4, 7, 9, 10)),
        (Kind.BOOLEAN, [True, False, "TRUE"], (False, True)),
        (Kind.DATE, ["2020-01-03", DAY, datetime(2020, 1, 2)], (DAY, date(2020, 1, 3))),
        (Kind.TIMESTAMP, [NOON, DAY, "2020-01-02 12:00:00.5"], (MIDNIGHT, NOON, LATER)),
    ],
)  # fmt: skip
def test_values_become_keys(kind: Kind, values: list[object], keys: tuple[object, ...]) -> None:
    read = lookup_keys(values, kind)
    assert read == keys
    assert [type(key) for key in read] == [type(key) for key in keys]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (Kind.TEXT, 1.5),
        (Kind.TEXT, b"a"),
        (Kind.TEXT, "a\0"),
        (Kind.INTEGER, "1_000"),
        (Kind.INTEGER, "a"),
        (Kind.INTEGER, True),
        (Kind.INTEGER, 0.5),
        (Kind.INTEGER, float("nan")),
        (Kind.INTEGER, float("inf")),
        (Kind.INTEGER, Decimal("NaN")),
        (Kind.INTEGER, 2**63),
        (Kind.INTEGER, "9" * 19),
        (Kind.BOOLEAN, 1),
        (Kind.DATE, "20200102"),
        (Kind.DATE, "2020-02-30"),
        (Kind.DATE, NOON),
        (Kind.TIMESTAMP, "noon"),
        (Kind.TIMESTAMP, NOON.replace(tzinfo=UTC)),
    ],
)
def test_a_value_of_another_kind_is_refused(kind: Kind, value: object) -> None:
    with pytest.raises(Refused, match=f"cannot be read as {kind}"):
        lookup_keys([value], kind)


@pytest.mark.parametrize(
    ("kind", "values", "said"),
    [
        (Kind.TEXT, [None], "none"),
        (Kind.FLOAT, [1], "need not be equal"),
        (Kind.DECIMAL, [1], "need not be equal"),
        (Kind.INTEGER, range(100_001), "more than 100,000"),
    ],
)
def test_keys_that_cannot_serve_are_refused(kind: Kind, values: list[object], said: str) -> None:
    with pytest.raises(Refused, match=said):
        lookup_keys(values, kind)


def test_a_refusal_of_the_reader_is_said_at_the_key(tmp_path: Path) -> None:
    def unreadable(source: Source, column: str) -> list[object]:
        raise Refused("wards.csv", "The file is not there.", "the file.")

    with pytest.raises(Refused, match=r"tables\.visits\.columns\.ward\.keys in clinic\.toml\. The file is not there\."):
        read_description(written(tmp_path, CLINIC), unreadable)


def test_nothing_private_is_ever_asked_for(tmp_path: Path) -> None:
    """R15: keys come from the file or a public table; the reader is called for nothing else."""
    asked: list[tuple[str, str]] = []

    def note(source: Source, column: str) -> list[object]:
        asked.append((source.path.name, column))
        return ["a"]

    read_description(written(tmp_path, CLINIC), note)
    assert asked == [("wards.csv", "ward")]
    asked.clear()
    with pytest.raises(Refused, match="a table has the same source"):
        read_description(written(tmp_path, changed('"wards.csv"', '"patients.csv"')), note)
    assert asked == []
    read_description(written(tmp_path, changed('keys = { lookup = "wards", column = "ward" }', 'keys = ["a"]')), note)
    assert asked == []
