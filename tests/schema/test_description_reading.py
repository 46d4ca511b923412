"""A description is read as written: every number exact, every kind in its own units."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from fractions import Fraction
from pathlib import Path

import pytest
from tests.schema.clinic_file import BUDGET, CLINIC, ROWS, changed, read, written

from tacit.loss.calibration import budget_from
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.loss import Loss, Relation
from tacit.loss.families.zcdp import Zcdp
from tacit.schema.description import AtMost, Column, EachRow, Limits, OwnColumn, Through, Unit
from tacit.schema.kind import Kind
from tacit.schema.reader import read_description

EPOCH = datetime(1970, 1, 1)


def test_the_whole_file_is_read(tmp_path: Path) -> None:
    clinic = read(tmp_path, CLINIC)
    assert (clinic.name, clinic.steward, clinic.path) == ("clinic", "steward", tmp_path / "clinic.toml")
    assert clinic.unit == Unit(Relation.ADD_REMOVE, "one patient, all visits", "patient_id")
    assert clinic.analysts == {"alice": Fraction(1, 2), "bob": Fraction(1, 4)}
    assert clinic.ledger == tmp_path / "ledger.sqlite"
    assert [table.owner for table in clinic.tables.values()] == [
        OwnColumn("patient_id"),
        Through("visit_id", "visits", "visit_id"),
        OwnColumn("pid"),
    ]
    assert clinic.tables["visits"].limits == Limits(40, 5, {"cost": Fraction(10001, 2)})
    assert clinic.tables["patients"].limits == Limits()
    assert clinic.tables["visits"].at_most == AtMost(400, {"cost": Fraction(90000)})
    assert clinic.tables["patients"].at_most == AtMost()
    assert clinic.tables["patients"].source.delimiter == ";"
    assert (clinic.lookups["wards"].key, list(clinic.lookups["wards"].columns)) == ("ward", ["ward", "floor"])


def test_columns_are_read_exactly(tmp_path: Path) -> None:
    days = [(day - EPOCH.date()).days for day in (date(2020, 1, 1), date(2024, 12, 31))]
    wanted = [
        Column("age", Kind.INTEGER, Fraction(0), Fraction(110)),
        Column("cost", Kind.DECIMAL, Fraction(1, 10), Fraction(20000), scale=2),
        Column("dose", Kind.DECIMAL, None, Fraction(1, 8), scale=3),
        Column("stay", Kind.FLOAT, Fraction(0), Fraction(365), nullable=False),
        Column("region", Kind.TEXT, keys=("north", "south")),
        Column("year", Kind.INTEGER, keys=tuple(range(2015, 2025))),
        Column("ward", Kind.TEXT, keys=("east", "west")),
        Column("day", Kind.DATE, Fraction(days[0]), Fraction(days[1])),
        Column("seen", Kind.TIMESTAMP, Fraction(24 * 3600 * 10**6)),
        Column("smoker", Kind.BOOLEAN),
    ]
    assert list(read(tmp_path, CLINIC).tables["visits"].columns.values()) == wanted


def test_days_and_moments_before_1970_count_backwards(tmp_path: Path) -> None:
    text = changed("min = 2020-01-01, max = 2024-12-31", "min = 0001-01-01, max = 1969-12-31")
    text = changed("1970-01-02T00:00:00", "1969-12-31T23:59:59.999999", text)
    columns = read(tmp_path, text).tables["visits"].columns
    assert (columns["day"].low, columns["day"].high) == ((date.min - EPOCH.date()) // timedelta(days=1), -1)
    assert columns["seen"].low == -1


@pytest.mark.parametrize(
    ("budget", "kept", "promise"),
    [
        ("{ epsilon = 0.1 }", Pure("0.1"), Pure("0.1")),
        ('{ epsilon = "1/3", currency = "sums" }', Pure("1/3"), Pure("1/3")),
        ('{ epsilon = 4, delta = 1e-7, currency = "sums" }', Approx(4, "1e-7"), Approx(4, "1e-7")),
        ("{ epsilon = 4, delta = 1e-7 }", budget_from(4, "1e-7"), Approx(4, "1e-7")),
        ('{ epsilon = 4, delta = 1e-7, currency = "zcdp" }', budget_from(4, "1e-7"), Approx(4, "1e-7")),
        ("{ rho = 0.1 }", Zcdp("0.1"), Zcdp("0.1")),
        ('{ rho = 0.1, delta = 1e-9, currency = "zcdp" }', Zcdp("0.1", "1e-9"), Zcdp("0.1", "1e-9")),
    ],
)
def test_the_budget_is_kept_in_its_currency(tmp_path: Path, budget: str, kept: Loss, promise: Loss) -> None:
    """R35: what is written as one tenth is one tenth; R36: the currency is fixed by the file."""
    clinic = read(tmp_path, changed(BUDGET, budget))
    assert (clinic.budget, clinic.promise) == (kept, promise)
    assert type(clinic.budget) is type(kept)


def test_each_row_may_be_a_person(tmp_path: Path) -> None:
    survey = read_description(written(tmp_path, ROWS))
    assert survey.unit == Unit(Relation.REPLACE, "one answer", None)
    assert survey.tables["answers"].owner == EachRow()
    assert survey.ledger is None


def test_days_make_a_range(tmp_path: Path) -> None:
    text = changed('keys = ["north", "south"]', "keys = { from = 2024-02-28, to = 2024-03-01 }").replace(
        'region = { type = "text"', 'region = { type = "date"'
    )
    keys = read(tmp_path, text).tables["visits"].columns["region"].keys
    assert keys == (date(2024, 2, 28), date(2024, 2, 29), date(2024, 3, 1))


def test_an_identifier_may_carry_a_type_and_odd_names_may_stand(tmp_path: Path) -> None:
    text = changed("smoker =", 'patient_id = { type = "text" }\n"größe, in cm" =')
    assert {"patient_id", "größe, in cm"} <= read(tmp_path, text).tables["visits"].columns.keys()


def test_a_link_to_a_description_means_what_the_file_means(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    real = written(tmp_path, ROWS)
    (elsewhere / "link.toml").symlink_to(real)
    assert read_description(elsewhere / "link.toml") == read_description(real)
