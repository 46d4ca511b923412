"""A first description lacks the budget and nothing else (R15: no bound or key comes from the data)."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.schema.clinic_file import written

from tacit.errors import Refused
from tacit.schema.description import AtMost, EachRow, OwnColumn, Source
from tacit.schema.first_description import FirstFile, first_description
from tacit.schema.kind import Kind
from tacit.schema.names import RefusedDescription
from tacit.schema.reader import read_description
from tacit.schema.sources import read_source

HEADER = [
    ("patient_id", "BIGINT"),
    ("age", "INTEGER"),
    ("cost", "DECIMAL(10,2)"),
    ("stay_days", "DOUBLE"),
    ("region", "VARCHAR"),
    ("ward", "ENUM('secret ward', 'other')"),
    ("key", "UUID"),
    ("smoker", "BOOLEAN"),
    ("day", "DATE"),
    ("seen", "TIMESTAMP WITH TIME ZONE"),
    ("tags", "VARCHAR[]"),
    ("at", "TIME"),
    ("__row", "INTEGER"),
    ("Age", "INTEGER"),
    ('odd "name"\n= #', "INTEGER"),
    ("größe, in cm", "UBIGINT"),
    ("fine", "DECIMAL(38,20)"),
    ("units", "DECIMAL(5,0)"),
]
BUDGET_LINE = "# budget = { epsilon = 1, delta = 1e-7 }"


def first(folder: Path, unit: str | None = "patient_id") -> FirstFile:
    return first_description(read_source("visits.parquet", folder), HEADER, unit, "clinic", folder)


def test_it_is_refused_for_the_budget_alone(tmp_path: Path) -> None:
    with pytest.raises(RefusedDescription) as caught:
        read_description(written(tmp_path, first(tmp_path).text))
    assert [problem.key for problem in caught.value.problems] == ["dataset.budget"]
    assert "missing" in str(caught.value)


def test_with_the_budget_it_is_read_by_name_and_type(tmp_path: Path) -> None:
    file = first(tmp_path)
    clinic = read_description(written(tmp_path, file.text.replace(BUDGET_LINE, BUDGET_LINE.removeprefix("# "))))
    visits = clinic.tables["visits"]
    assert visits.owner == OwnColumn("patient_id")
    assert visits.source.path == tmp_path / "visits.parquet"
    assert {name: (column.kind, column.scale) for name, column in visits.columns.items()} == {
        "age": (Kind.INTEGER, 0),
        "cost": (Kind.DECIMAL, 2),
        "stay_days": (Kind.FLOAT, 0),
        "region": (Kind.TEXT, 0),
        "ward": (Kind.TEXT, 0),
        "key": (Kind.TEXT, 0),
        "smoker": (Kind.BOOLEAN, 0),
        "day": (Kind.DATE, 0),
        "seen": (Kind.TIMESTAMP, 0),
        "größe, in cm": (Kind.INTEGER, 0),
        "fine": (Kind.FLOAT, 0),
        "units": (Kind.INTEGER, 0),
    }
    declared = [(column.low, column.high, column.keys, column.nullable) for column in visits.columns.values()]
    assert set(declared) == {(None, None, None, True)}


def test_it_says_what_is_left_to_declare(tmp_path: Path) -> None:
    file = first(tmp_path)
    assert file.bounds == ("age", "cost", "stay_days", "day", "seen", "größe, in cm", "fine", "units")
    assert file.keys == ("region", "ward")
    assert file.left_out == ("tags", "at", "__row", "Age", 'odd "name"\n= #')
    assert file.columns == tuple(name for name, _ in HEADER)
    assert all(
        line in file.text for line in ("# limits", "# at_most", "# analysts", BUDGET_LINE, "min = ..., max = ...")
    )
    assert "secret" not in file.text  # the values of an enumeration are data


def test_its_example_of_at_most_is_read(tmp_path: Path) -> None:
    """Without the sign of a comment it is right, and where each row is a person there is none."""
    text = first(tmp_path).text.replace("# at_most", "at_most").replace(BUDGET_LINE, BUDGET_LINE.removeprefix("# "))
    assert read_description(written(tmp_path, text)).tables["visits"].at_most == AtMost(366, {"cost": Fraction(90000)})
    assert "at_most" not in first(tmp_path, unit=None).text


def test_a_row_may_be_the_unit(tmp_path: Path) -> None:
    text = first(tmp_path, unit=None).text.replace(BUDGET_LINE, "budget = { rho = 1 }")
    clinic = read_description(written(tmp_path, text))
    assert (clinic.unit.identifier, clinic.tables["visits"].owner) == (None, EachRow())
    assert "patient_id" in clinic.tables["visits"].columns


def test_an_unknown_unit_is_refused_with_the_columns_there_are(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"patient_id, if that was meant; there are: .*age"):
        first(tmp_path, unit="patient")
    with pytest.raises(Refused, match="reserved"):
        first(tmp_path, unit="__row")


@pytest.mark.parametrize(
    ("source", "table"),
    [
        (Source("parquet", Path("/d/visits.parquet")), "visits"),
        (Source("parquet", Path("/d/visits 2020/*.parquet")), "visits_2020"),
        (Source("csv", Path("/d/2020.csv"), delimiter="\t"), "table_2020"),
        (Source("csv", Path("/d/__x.csv")), "x"),
        (Source("duckdb", Path("/d/all.duckdb"), table="my visits"), "my_visits"),
        (Source("csv", Path("/d/---.csv")), "table"),
    ],
)
def test_the_source_is_read_back(tmp_path: Path, source: Source, table: str) -> None:
    text = first_description(source, HEADER, None, "clinic").text.replace(BUDGET_LINE, "budget = { rho = 1 }")
    assert read_description(written(tmp_path, text)).tables[table].source == source


@given(names=st.lists(st.text(st.characters(codec="utf-8"), max_size=6), max_size=5), unit=st.integers(0, 4))
def test_any_header_gives_a_file_that_lacks_only_the_budget(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], unit: int
) -> None:
    folder = tmp_path_factory.getbasetemp()
    unit_column = names[unit] if unit < len(names) else None
    header = [(name, "INTEGER") for name in names]
    try:
        file = first_description(Source("csv", Path("/d/x.csv")), header, unit_column, "clinic")
    except Refused:
        assert unit_column is not None  # a name that cannot stand
        return
    assert "budget" not in tomllib.loads(file.text)["dataset"]
    text = file.text.replace(BUDGET_LINE, "budget = { rho = 1 }")
    assert set(file.bounds) == read_description(written(folder, text, "any.toml")).tables["x"].columns.keys()
