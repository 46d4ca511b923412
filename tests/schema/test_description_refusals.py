"""Everything a steward can get wrong is refused at its key, with the cure (R08, R15)."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from tests.schema.clinic_file import AGE, BUDGET, CLINIC, ROWS, changed, read, refused_at, written

from tacit.errors import Refused
from tacit.schema.names import RefusedDescription
from tacit.schema.reader import read_description

UNIT = '{ id = "patient_id", hides = "one patient, all visits" }'
LIMITS = "{ rows = 40, keys = 5, totals = { cost = 5000.5 } }"
AT_MOST = "{ rows = 400, totals = { cost = 90000 } }"
THROUGH = '{ column = "visit_id", table = "visits", key = "visit_id" }'
V = "tables.visits.columns"

PLACES = [
    (UNIT, '{ hides = "x" }', "dataset.unit", "one column"),
    (UNIT, '{ id = "p", row = true, hides = "x" }', "dataset.unit", "one column"),
    (UNIT, '{ row = false, hides = "x" }', "dataset.unit.row", "True"),
    (UNIT, '{ id = "p" }', "dataset.unit.hides", "in words"),
    (UNIT, '{ id = "p", hides = " " }', "dataset.unit.hides", "empty"),
    (UNIT, '{ id = "__p", hides = "x" }', "dataset.unit.id", "reserved"),
    (UNIT, '{ id = "", hides = "x" }', "dataset.unit.id", "empty"),
    (UNIT, '{ id = 3, hides = "x" }', "dataset.unit.id", "quotation marks"),
    (UNIT, '{ id = "p", hides = "x", relation = "swap" }', "dataset.unit.relation", "'add/remove' or 'replace'"),
    (UNIT, '{ id = "age", hides = "x" }', f"{V}.age", "merge people"),
    (UNIT, '{ id = "region", hides = "x" }', f"{V}.region", "merge people"),
    (UNIT, '{ id = "smoker", hides = "x" }', f"{V}.smoker.type", "int or text"),
    (UNIT, '{ id = "AGE", hides = "x" }', f"{V}.age", "same spelling"),
    (THROUGH, '{ column = "v", table = "visit", key = "v" }', "tables.prescriptions.unit.table", "visits"),
    (THROUGH, '{ column = "visit_id", table = "wards", key = "ward" }', "tables.prescriptions.unit.table", "private"),
    (THROUGH, '{ column = "visit_id", table = "prescriptions", key = "x" }', "tables.prescriptions.unit", "circle"),
    (THROUGH, '{ column = "visit_id", table = "visits" }', "tables.prescriptions.unit", "whole foreign key"),
    (THROUGH, '{ id = "p", column = "q" }', "tables.prescriptions.unit", "whole foreign key"),
    (THROUGH, "{ }", "tables.prescriptions.unit", "whole foreign key"),
    (THROUGH, "{ row = true }", "tables.prescriptions.unit.row", "no such key"),
    (THROUGH, '{ column = "__v", table = "visits", key = "v" }', "tables.prescriptions.unit", "reserved"),
    (THROUGH, '{ column = "v", table = "visits", key = "age" }', f"{V}.age", "merge people"),
    ('visit_id = { type = "int" }', 'visit_id = { type = "int", nullable = false }',
     "tables.prescriptions.columns.visit_id.nullable", "leave nullable out"),
    (LIMITS, "{ rows = 0 }", "tables.visits.limits.rows", "integer ≥ 1"),
    (LIMITS, "{ rows = -3 }", "tables.visits.limits.rows", "integer ≥ 1"),
    (LIMITS, "{ rows = 1.5 }", "tables.visits.limits.rows", "whole number"),
    (LIMITS, "{ rows = true }", "tables.visits.limits.rows", "integer"),
    (LIMITS, '{ keys = "5" }', "tables.visits.limits.keys", "whole number"),
    (LIMITS, "{ totals = { cost = 0 } }", "tables.visits.limits.totals.cost", "greater than zero"),
    (LIMITS, "{ totals = { cost = nan } }", "tables.visits.limits.totals.cost", "finite"),
    (LIMITS, "{ totals = { region = 5 } }", "tables.visits.limits.totals.region", "added up"),
    (LIMITS, "{ totals = { cots = 5 } }", "tables.visits.limits.totals.cots", "cost, if that was meant"),
    (LIMITS, "{ totals = 5 }", "tables.visits.limits.totals", "table of names"),
    (LIMITS, "{ visits = 5 }", "tables.visits.limits.visits", "rows"),
    (LIMITS, "{ rows = 401 }", "tables.visits.limits.rows", "more than at_most says"),
    (LIMITS, "{ totals = { cost = 90000.01 } }", "tables.visits.limits.totals.cost", "more than at_most says"),
    (AT_MOST, "{ rows = 39 }", "tables.visits.limits.rows", "at most what at_most says"),
    (AT_MOST, "{ rows = 0 }", "tables.visits.at_most.rows", "integer ≥ 1"),
    (AT_MOST, "{ rows = 1.5 }", "tables.visits.at_most.rows", "whole number"),
    (AT_MOST, "{ keys = 5 }", "tables.visits.at_most.keys", "rows"),
    (AT_MOST, "{ totals = { cost = -1 } }", "tables.visits.at_most.totals.cost", "greater than zero"),
    (AT_MOST, "{ totals = { region = 5 } }", "tables.visits.at_most.totals.region", "added up"),
    (AT_MOST, "{ totals = { cots = 5 } }", "tables.visits.at_most.totals.cots", "cost, if that was meant"),
    ('alice = "50%"', 'alice = "0%"', "dataset.analysts.alice", "share"),
    ('alice = "50%"', 'alice = "101%"', "dataset.analysts.alice", "share"),
    ('alice = "50%"', "alice = -0.1", "dataset.analysts.alice", "share"),
    ('alice = "50%"', "alice = nan", "dataset.analysts.alice", "finite"),
    ('alice = "50%"', "alice = true", "dataset.analysts.alice", "not a number"),
    ('alice = "50%"', 'alice = "half"', "dataset.analysts.alice", "finite"),
    ('alice = "50%"', "steward = 0.5", "dataset.analysts.steward", "another name"),
    ('alice = "50%"', "Steward = 0.5", "dataset.analysts.Steward", "another name"),
    ('alice = "50%"', "BOB = 0.5", "dataset.analysts.bob", "by more than case"),
    ('name = "clinic"', 'name = ""', "dataset.name", "empty"),
    ('name = "clinic"', 'title = "clinic"', "dataset.name", "missing"),
    ('"ledger.sqlite"', '""', "dataset.ledger", "not a path"),
    ('"ledger.sqlite"', '"mysql://host/books"', "dataset.ledger", "not a path"),
    ("smoker =", "AGE =", f"{V}.AGE", "same name as age"),
    ("smoker =", "__smoker =", f"{V}.__smoker", "reserved"),
    ("smoker =", '"" =', f'{V}.""', "empty"),
    ("smoker =", '"a\\nb" =', f'{V}."a\\nb"', "printed"),
    ("smoker =", f"{'a' * 201} =", f"{V}.{'a' * 201}", "longer"),
    ("[tables.patients]", "[tables.Visits]", "tables.Visits", "same name as visits"),
    ("[tables.patients]", "[tables.__patients]", "tables.__patients", "reserved"),
    ("[tables.patients]", "[tables.wards]", "lookups.wards", "another name"),
    ("[tables.patients]", "[tables.Wards]", "lookups.wards", "same name as Wards"),
    ("[tables.patients]", "[table.patients]", "table", "tables, if that was meant"),
    ('key = "ward"\n', 'key = "wrd"\n', "lookups.wards.key", "ward, if that was meant"),
    ('key = "ward"\n', "", "lookups.wards.key", "tells its rows apart"),
    ('ward = { type = "text" }, floor', 'ward = { type = "float" }, floor', "lookups.wards.key", "need not be equal"),
    ('{ type = "int", min = 0, max = 9 }', '{ type = "int", keys = { lookup = "wards", column = "ward" } }',
     "lookups.wards.columns.floor.keys", "own list"),
    ('source = "wards.csv"', 'source = "patients.csv"', "lookups.wards.source", "private"),
    ('source = "wards.csv"', 'source = "visits.parquet"', "lookups.wards.source", "private"),
    ('source = "wards.csv"', 'source = "*.parquet"', "lookups.wards.source", "private"),
    ('source = "patients.csv"\ndelimiter = ";"', 'source = "visits.parquet"', "tables.patients.unit", "same unit"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "key", "said"), PLACES)
def test_what_does_not_fit_together_is_refused(tmp_path: Path, old: str, new: str, key: str, said: str) -> None:
    refused = refused_at(tmp_path, changed(old, new))
    assert said in refused[key]


@pytest.mark.parametrize(
    ("more", "key"),
    [
        ('unit = { id = "pid" }', "tables.answers.unit"),
        ('unit = { column = "a", table = "answers", key = "b" }', "tables.answers.unit"),
        ("limits = { rows = 2 }", "tables.answers.limits.rows"),
        ("limits = { keys = 2 }", "tables.answers.limits.keys"),
        ("at_most = { rows = 2 }", "tables.answers.at_most.rows"),
    ],
)
def test_where_each_row_is_a_person_no_other_owner_or_limit_stands(tmp_path: Path, more: str, key: str) -> None:
    assert key in refused_at(tmp_path, f"{ROWS}{more}\n")
    assert read(tmp_path, f"{ROWS}limits = {{ rows = 1 }}\n").tables["answers"].limits.rows == 1


def test_a_longer_circle_of_foreign_keys_is_refused(tmp_path: Path) -> None:
    more = '\n[tables.notes]\nsource = "notes.csv"\nunit = { column = "p", table = "prescriptions", key = "p" }\n'
    assert read(tmp_path, CLINIC + more).tables["notes"]
    circle = changed(THROUGH, '{ column = "n", table = "notes", key = "n" }', CLINIC + more)
    assert {"tables.prescriptions.unit", "tables.notes.unit"} <= refused_at(tmp_path, circle).keys()


def test_every_problem_is_said_at_once(tmp_path: Path) -> None:
    text = changed(BUDGET, "{ epsilon = -1 }")
    text = changed(AGE, '{ type = "int", min = 3, max = 1 }', text)
    text = changed('alice = "50%"', "alice = 2", text)
    assert list(refused_at(tmp_path, text)) == [
        "dataset.budget.epsilon",
        f"{V}.age.max",
        "dataset.analysts.alice",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[dataset",
        "a = 1\na = 2",
        "a = " + "[" * 5000 + "]" * 5000,
        "a = " + "9" * 5000,
        "[[dataset]]",
        "tables = 3",
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path: Path, text: str) -> None:
    """R42: a closed grammar; whatever else the file holds is a refusal and nothing is evaluated."""
    with pytest.raises(Refused):
        read_description(written(tmp_path, text))


def test_a_file_that_is_not_there_or_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="There is no such file"):
        read_description(tmp_path / "none.toml")
    with pytest.raises(Refused, match="cannot be read"):
        read_description(tmp_path)
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(Refused, match="not TOML"):
        read_description(tmp_path / "binary.toml")


def test_keys_of_a_lookup_need_a_reader(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="nothing was given to read it with"):
        read_description(written(tmp_path, CLINIC))


@pytest.mark.parametrize("wrong", [1, 2])
def test_a_refusal_travels_between_processes(tmp_path: Path, wrong: int) -> None:
    text = changed(BUDGET, "{ epsilon = -1 }")
    if wrong == 2:
        text = changed(AGE, '{ type = "int", min = 3, max = 1 }', text)
    with pytest.raises(RefusedDescription) as caught:
        read(tmp_path, text)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.problems) == (str(caught.value), caught.value.problems)
