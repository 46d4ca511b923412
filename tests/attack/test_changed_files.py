"""Files that change under an open data set move no answer beyond its price, and no answer of other rows is shown."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from tests.attack.small_clinic import open_clinic, write_rows

from tacit.errors import Failed
from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.schema.description import Source
from tacit.schema.reader import read_description

_ROWS = """
[dataset]
name = "rows"
unit = { row = true, hides = "one row" }
budget = { epsilon = 1e8, delta = 1e-3 }
floor = 0
breaker = "off"
ledger = "ledger.sqlite"
[tables.t]
source = "t.parquet"
columns.a = { type = "int", min = -40000, max = 40000 }
"""


def _number(table: pa.Table) -> float:
    return float(table.column(0)[0].as_py())


@pytest.mark.parametrize(
    "after", ["1000000000000", "1e300", "'1000000000000'", "1e30::FLOAT", "NULL", "DATE '2024-01-31'"]
)
def test_a_wider_type_carries_no_value_past_its_bounds(tmp_path: Path, after: str) -> None:
    """R15, R16: values that need no cut in the planned type are cut if the file's type changes later."""
    with open_clinic(tmp_path, _ROWS, t="SELECT 1::SMALLINT AS a") as rows:
        rows.explain("SELECT SUM(a) FROM t")  # this reads the header
        write_rows(tmp_path / "t.parquet", f"SELECT {after} AS a")
        try:
            answer = rows.query("SELECT SUM(a) FROM t", epsilon=1e6)
        except Failed:
            return  # a type without a conversion to the planned one
        assert abs(_number(answer.table)) < 50_000


_TWO = """
[dataset]
name = "two"
unit = {{ id = "pid", hides = "one patient" }}
budget = {{ epsilon = 1e8, delta = 1e-3 }}
floor = 0
breaker = "off"
ledger = "ledger.sqlite"
[tables.{0}]
source = "many.parquet"
limits = {{ rows = 1 }}
[tables.{1}]
source = "few.parquet"
limits = {{ rows = 1 }}
"""


def test_names_that_were_swapped_get_their_own_answer(tmp_path: Path) -> None:
    """R43: a table's name does not identify its rows: the stored answer of another table is not shown for it."""
    many, few = "SELECT i AS pid FROM range(1000) t(i)", "SELECT i AS pid FROM range(10) t(i)"
    with open_clinic(tmp_path, _TWO.format("a", "b"), many=many, few=few) as first:
        assert _number(first.query("SELECT COUNT(*) FROM a", epsilon=1e4).table) == pytest.approx(1000, abs=5)
    with open_clinic(tmp_path, _TWO.format("b", "a"), unused="SELECT 1 AS a") as second:
        assert _number(second.query("SELECT COUNT(*) FROM a", epsilon=1e4).table) == pytest.approx(10, abs=5)


def test_a_file_deep_in_a_folder_is_part_of_the_version(tmp_path: Path) -> None:
    """R43: a pattern that reads folders in folders notices a change in any of them."""
    deep = tmp_path / "parts" / "year" / "month"
    deep.mkdir(parents=True)
    write_rows(deep / "a.parquet", "SELECT 1 AS a")
    source, engine = Source("parquet", tmp_path / "parts" / "**" / "*.parquet"), DuckDBEngine()
    before = engine.version(source)
    write_rows(deep / "b.parquet", "SELECT 1 AS a")
    assert engine.version(source) != before


@pytest.mark.long
def test_new_lines_in_cells_lose_no_row_of_a_long_file(tmp_path: Path) -> None:
    """R18, R24: a CSV file is read from its beginning, so no cell of one person decides where others' rows end."""
    cells = ["x", '"a\nb"', '"1,2,3\n4,5,6\n"', '"he said ""hi\n"""', '"\n\n\n"']
    many = 1_000_000
    lines = (f"{i},{cells[i * 7919 % 5]}\n" for i in range(many))
    (tmp_path / "t.csv").write_text("id,b\n" + "".join(lines))
    file, engine = tmp_path / "t.toml", DuckDBEngine(threads=4)
    file.write_text(_ROWS.replace("t.parquet", "t.csv").replace("columns.a", "columns.id"))
    with engine.session(read_description(file, engine.public_values)) as session:
        found = session.run("SELECT COUNT(*) AS n, SUM(TRY_CAST(id AS BIGINT)) AS s FROM t").to_pylist()
    assert found == [{"n": many, "s": many * (many - 1) // 2}]
