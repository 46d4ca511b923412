"""A description checked against the header of a file; DuckDB itself is the oracle for what can be read as what."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from tests.schema.clinic_file import CLINIC, read

from tacit.schema.catalogue import can_be_read, compare_header, compare_headers, natural_kind
from tacit.schema.kind import Kind

SAMPLES = {
    "TINYINT": "1",
    "UHUGEINT": "1",
    "FLOAT": "1",
    "DOUBLE": "1",
    "DECIMAL(10,2)": "1",
    "BOOLEAN": "true",
    "DATE": "'2020-01-01'",
    "TIMESTAMP": "'2020-01-01'",
    "TIMESTAMP_S": "'2020-01-01'",
    "TIMESTAMP_MS": "'2020-01-01'",
    "TIMESTAMP_NS": "'2020-01-01'",
    "TIMESTAMP WITH TIME ZONE": "'2020-01-01'",
    "TIME": "'10:00:00'",
    "INTERVAL": "'1 day'",
    "UUID": "'0e0e0e0e-0000-0000-0000-000000000000'",
    "BLOB": "'a'",
    "INTEGER[]": "[1]",
    "INTEGER[2]": "[1, 2]",
    "STRUCT(a INTEGER)": "{'a': 1}",
    "MAP(INTEGER, INTEGER)": "map {1: 1}",
}
TYPES = {
    Kind.INTEGER: "BIGINT",
    Kind.DECIMAL: "DECIMAL(18,3)",
    Kind.FLOAT: "DOUBLE",
    Kind.TEXT: "VARCHAR",
    Kind.BOOLEAN: "BOOLEAN",
    Kind.DATE: "DATE",
    Kind.TIMESTAMP: "TIMESTAMP",
}
VISITS = [
    ("patient_id", "BIGINT"), ("visit_id", "BIGINT"), ("AGE", "INTEGER"), ("cost", "VARCHAR"), ("dose", "FLOAT"),
    ("stay", "HUGEINT"), ("region", "ENUM('a', 'b')"), ("year", "SMALLINT"), ("ward", "INTEGER"), ("day", "TIMESTAMP"),
    ("seen", "DATE"), ("smoker", "TINYINT"), ("more", "BLOB"),
]  # fmt: skip


@pytest.mark.parametrize("engine_type", SAMPLES)
def test_what_can_be_read_is_what_duckdb_reads(engine_type: str) -> None:
    with duckdb.connect() as database:
        database.execute(f"CREATE TABLE t AS SELECT ({SAMPLES[engine_type]})::{engine_type} AS x")
        for kind, sql_type in TYPES.items():
            try:
                row = database.execute(f"SELECT try_cast(x AS {sql_type}) IS NOT NULL FROM t").fetchone()
            except duckdb.Error:
                row = (False,)
            assert row == (can_be_read(engine_type, kind),), kind
    natural = natural_kind(engine_type)
    assert natural is None or can_be_read(engine_type, natural[0])


@pytest.mark.parametrize("kind", Kind)
def test_text_may_spell_anything(kind: Kind) -> None:
    assert can_be_read("VARCHAR", kind)
    assert can_be_read("ENUM('a', 'b')", kind)


def test_a_header_that_fits_gives_no_sentence(tmp_path: Path) -> None:
    assert compare_header(read(tmp_path, CLINIC).tables["visits"], VISITS) == []


def test_a_missing_column_is_said_with_the_nearest(tmp_path: Path) -> None:
    visits = read(tmp_path, CLINIC).tables["visits"]
    header = [(name.replace("cost", "costs"), kind) for name, kind in VISITS if name != "patient_id"]
    said = compare_header(visits, header)
    assert [sentence.split(". ")[0].split()[-1] for sentence in said] == ["cost", "patient_id"]
    assert "costs, if that was meant" in said[0]


def test_a_type_that_cannot_be_read_is_said_without_values(tmp_path: Path) -> None:
    visits = read(tmp_path, CLINIC).tables["visits"]
    header = [(name, "STRUCT(secret INTEGER)" if name == "AGE" else kind) for name, kind in VISITS]
    (said,) = compare_header(visits, header)
    assert said.startswith("visits.age is STRUCT in the file and int in the description")
    assert "secret" not in said


def test_what_foreign_keys_lead_to_must_be_there(tmp_path: Path) -> None:
    clinic = read(tmp_path, CLINIC)
    headers = {
        "visits": [column for column in VISITS if column[0] != "visit_id"],
        "prescriptions": [("drug", "VARCHAR")],
        "wards": [("ward", "VARCHAR"), ("floor", "DATE")],
    }
    said = compare_headers(clinic, headers)
    assert [sentence.split(".")[0] for sentence in said[:2]] == [
        "visits has no column visit_id",
        "prescriptions has no column visit_id",
    ]
    assert said[2].startswith("wards.floor is DATE")
