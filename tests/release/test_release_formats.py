"""A release in tables and files: types fixed by the plan, values that come back as they went (R24)."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date, datetime
from math import inf, nan
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.release.samples import clinic, keys, numbers, release, usual

from tacit.errors import Refused
from tacit.query.post_noise.estimates import Estimates
from tacit.release.release import Release
from tacit.schema.kind import Kind


def every_kind() -> Release:
    return release(
        {
            "i": keys(1, None),
            "t": keys('a,"b"\n', ""),
            "b": keys(True, None),
            "d": keys(date(2024, 1, 31), None),
            "m": keys(datetime(2024, 1, 31, 12, 30), None),
            "f": keys(0.5, None),
            "n": Estimates(np.array([3.0, nan]), np.array([-2.0, -inf]), np.array([8.0, inf]), whole=True),
            "x": Estimates(np.array([0.25, nan]), np.array([0.0, 0.0]), np.array([1.0, inf])),
        }
    )


def test_each_column_has_its_type() -> None:
    assert every_kind().to_arrow().schema == pa.schema(
        [
            ("i", pa.int64()),
            ("t", pa.string()),
            ("b", pa.bool_()),
            ("d", pa.date32()),
            ("m", pa.timestamp("us")),
            ("f", pa.float64()),
            ("n", pa.int64()),
            ("n_low", pa.float64()),
            ("n_high", pa.float64()),
            ("x", pa.float64()),
            ("x_low", pa.float64()),
            ("x_high", pa.float64()),
        ]
    )


@pytest.mark.parametrize("kind", list(Kind))
def test_a_type_does_not_depend_on_which_keys_there_are(kind: Kind) -> None:
    """R24: an answer of no groups, or of NULL alone, has the plan's types."""
    empty, null = (release({"k": keys(*values, kind=kind)}).table.schema for values in ((), (None,)))
    assert empty == null
    assert empty.field("k").type != pa.null()


def test_what_is_unknown_is_null() -> None:
    assert every_kind().to_arrow().slice(1).to_pylist() == [
        dict.fromkeys(("i", "b", "d", "m", "f", "n", "n_low", "n_high", "x", "x_high")) | {"t": "", "x_low": 0.0}
    ]


def test_whole_numbers_beyond_64_bits_are_null_rather_than_wrong() -> None:
    table = release({"k": keys(2**70, 1), "n": numbers([2.0**70, -(2.0**62)], 1, whole=True)}).table
    assert table["k"].to_pylist() == [None, 1]
    assert table["n"].to_pylist() == [None, -(2**62)]
    assert table["n_low"].to_pylist()[0] == 2.0**70 - 1


def test_parquet_comes_back(tmp_path: Path) -> None:
    answer = every_kind()
    answer.to_parquet(tmp_path / "answer.parquet")
    assert parquet.read_table(tmp_path / "answer.parquet") == answer.table


def test_csv_comes_back(tmp_path: Path) -> None:
    answer = every_kind()
    text = answer.to_csv(tmp_path / "answer.csv")
    assert (tmp_path / "answer.csv").read_bytes().decode() == text
    columns = ", ".join(f"'{field.name}': '{_duckdb_type(field.type)}'" for field in answer.table.schema)
    sql = f"FROM read_csv('{tmp_path}/answer.csv', header = true, columns = {{{columns}}}, allow_quoted_nulls = false)"
    rows = duckdb.sql(sql).fetchall()
    assert rows == [tuple(row.values()) for row in answer.table.to_pylist()]


def test_json_comes_back(tmp_path: Path) -> None:
    answer = every_kind()
    text = answer.to_json(tmp_path / "answer.json")
    assert (tmp_path / "answer.json").read_text(encoding="utf-8") == text
    told = json.loads(text)
    assert told["rows"][0] | {"d": None, "m": None} == answer.table.to_pylist()[0] | {"d": None, "m": None}
    assert (told["rows"][0]["d"], told["rows"][0]["m"]) == ("2024-01-31", "2024-01-31T12:30:00")
    assert told["rows"][1]["n"] is None
    assert told["price"] == {
        "loss": "ε = 0.5, δ = 1e-9",
        "currency": "ρ 0.0042 of 0.266",
        "share": 0.016,
        "left": 0.964,
        "free": False,
    }
    assert (told["confidence"], told["notes"]) == (0.95, [])


def test_usual_numbers_stand_beside_those_of_the_noise_alone(tmp_path: Path) -> None:
    answer = usual({"k": keys("a"), "n": numbers([5], 2, whole=True)}, {"n": numbers([4], 1, whole=True)})
    names = ["k", "n", "n_low", "n_high", "n_bounded", "n_bounded_low", "n_bounded_high"]
    assert answer.table.column_names == names
    assert answer.table.to_pylist() == [dict(zip(names, ("a", 5, 3.0, 7.0, 4, 3.0, 5.0), strict=True))]
    assert answer.to_csv().splitlines()[1] == '"a",5,3,7,4,3,5'
    told = json.loads(answer.to_json())
    assert told["rows"] == answer.table.to_pylist()
    assert told["interval"] == "usual"
    assert told["means"].startswith("95% intervals for all rows that fit the description, assuming")
    assert told["notes"] == ["With at_most declared, they could be guaranteed."]
    answer.to_parquet(tmp_path / "answer.parquet")
    assert parquet.read_table(tmp_path / "answer.parquet") == answer.table


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_library_that_is_missing_is_named(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacit.release.release.find_spec", lambda name: None)
    with pytest.raises(Refused, match=f"pip install {library}"):
        getattr(clinic(), f"to_{library}")()


def test_pandas_where_it_is_installed() -> None:
    pandas = pytest.importorskip("pandas")
    frame = clinic().to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame["region"])[:2] == ["east", "north"]


def test_polars_where_it_is_installed() -> None:
    polars = pytest.importorskip("polars")
    frame = clinic().to_polars()
    assert isinstance(frame, polars.DataFrame)
    assert frame["count"].to_list() == [98412, 120305, 12]


def test_a_release_prints_without_the_heavy_libraries() -> None:
    """The command starts fast: Arrow and matplotlib are loaded when they are used."""
    code = (
        "import sys; from tests.release.samples import clinic; str(clinic()); clinic()._repr_html_(); "
        "print([name for name in ('pyarrow', 'matplotlib', 'pandas', 'sqlglot', 'duckdb') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def _duckdb_type(kind: pa.DataType) -> str:
    names = {"int64": "BIGINT", "string": "VARCHAR", "bool": "BOOLEAN", "date32[day]": "DATE", "double": "DOUBLE"}
    return names.get(str(kind), "TIMESTAMP")
