"""Data frames as sources: the same answers as from a file, the same account for the same name, and no value in a
refusal (R26, R39, R43)."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.curator.dataset import Dataset, open_dataset
from tacit.errors import Refused
from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.engines.duckdb.frames import read_frame
from tacit.schema.names import RefusedDescription

DESCRIPTION = """\
[dataset]
name = "clinic"
unit = {{ id = "patient", hides = "one patient" }}
budget = {{ epsilon = 4, delta = 1e-7 }}
[tables.visits]
source = "{visits}"
limits = {{ rows = 6 }}
[tables.visits.columns]
region = {{ type = "text", keys = {{ lookup = "regions", column = "region" }} }}
ward = {{ type = "text" }}
cost = {{ type = "money", min = 0, max = 1000 }}
seen = {{ type = "timestamp" }}
day = {{ type = "date" }}
[lookups.regions]
source = "{regions}"
key = "region"
columns = {{ region = {{ type = "text" }}, coast = {{ type = "bool" }} }}
"""
SECRET = "MRS-SECRET-4711"
ASKED = "SELECT region, COUNT(*), AVG(cost), COUNT(DISTINCT patient) FROM visits GROUP BY region"
REGIONS = pa.table({"region": ["north", "south"], "coast": [True, False]})


def rows(count: int = 300) -> pa.Table:
    return duckdb.sql(
        f"""SELECT i % {count // 5} AS patient, CASE WHEN i % 3 = 0 THEN 'north' ELSE 'south' END AS region,
        'w' || (i % 3) AS ward, (i % 97)::DOUBLE AS cost, TIMESTAMP '2024-01-01' + INTERVAL (i) HOUR AS seen,
        DATE '2024-01-01' + (i % 90)::INTEGER AS day FROM range({count}) AS r(i)"""
    ).to_arrow_table()


FORMS: dict[str, Callable[[pa.Table], object]] = {
    "Arrow": lambda table: table,
    "Arrow in pieces": lambda table: pa.concat_tables([table.slice(0, 7), table.slice(7)]),
    "a reader": lambda table: table.to_reader(max_chunksize=50),
    "a record batch": lambda table: table.combine_chunks().to_batches()[0],
    "pandas": lambda table: table.to_pandas().set_index(np.arange(5, 5 + len(table))),
    "pandas of objects": lambda table: table.to_pandas().astype({"region": object, "day": object}),
    "pandas of categories": lambda table: table.to_pandas().astype({"region": "category", "ward": "category"}),
    "Polars": lambda table: pl.from_arrow(table),
    "Polars of categories": lambda table: pl.from_arrow(table).with_columns(pl.col("ward").cast(pl.Categorical)),
    "lazy Polars": lambda table: pl.from_arrow(table).lazy().filter(pl.col("cost") >= 0),
}


class Folder:
    """A clinic whose visits are a frame or a file."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def open(self, visits: str = "frame", regions: str = "frame", ledger: str = "ledger", **more: Any) -> Dataset:
        (self.place / "clinic.toml").write_text(DESCRIPTION.format(visits=visits, regions=regions))
        return open_dataset(self.place / "clinic.toml", ledger=self.place / f"{ledger}.sqlite", **more)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "elsewhere" / "witness"))
    pq.write_table(rows(), tmp_path / "visits.parquet")
    pq.write_table(REGIONS, tmp_path / "regions.parquet")
    return Folder(tmp_path)


def integers(data: Dataset, sql: str) -> list[tuple[object, ...]]:
    """What the engine adds up of the lowered rows, without noise."""
    opened = data._opened
    with opened.engine.session(opened.description, opened.catalogue.physical) as session:
        return sorted(session.run(sql).to_pylist(), key=str)


@pytest.mark.parametrize("form", FORMS)
def test_a_frame_answers_as_a_file_does(folder: Folder, form: str) -> None:
    """The rows that the plan's SQL gives are the same from every library and from Parquet."""
    frames = {"visits": FORMS[form](rows()), "regions": REGIONS}
    with (
        folder.open(frames=frames) as framed,
        folder.open("visits.parquet", "regions.parquet", ledger="other") as filed,
    ):
        for sql in (ASKED, "SELECT ward, COUNT(*) FROM visits WHERE seen > DATE '2024-01-05' GROUP BY ward"):
            plain = framed._planner.question(sql).rows.sql
            assert integers(framed, plain) == integers(filed, filed._planner.question(sql).rows.sql)
            assert len(integers(framed, plain)) > 100
        answer = framed.query(ASKED, epsilon=3)
        assert [row["region"] for row in answer.table.to_pylist()] == ["north", "south", None]


def test_the_same_rows_are_the_same_question(folder: Folder) -> None:
    """R43: a frame that was made again answers for free, however it is cut; one more row is another question."""
    with folder.open(frames={"visits": rows(), "regions": REGIONS}) as data:
        data.query(ASKED, epsilon=1)
    again = pa.concat_tables([rows().slice(0, 13), rows().slice(13)])
    with folder.open(frames={"visits": again, "regions": REGIONS}) as data:
        assert data.query(ASKED).price.free
        assert len(data.budget().entries) == 1
    changed = pa.concat_tables([rows(), rows().slice(0, 1)])
    with folder.open(frames={"visits": changed, "regions": REGIONS}) as data:
        assert len(data.budget().entries) == 1, "the account goes by the name"
        with pytest.raises(Refused, match="No earlier release"):
            data.query(ASKED)


@pytest.mark.parametrize(
    ("column", "value"), [("region", "south"), ("cost", 1.5), ("cost", None), ("day", datetime.date(2020, 1, 1))]
)
def test_a_changed_cell_is_another_version(column: str, value: object) -> None:
    """Also where what lies under a NULL does not change."""
    table = rows()
    cells = table.column(column).to_pylist()
    other = table.set_column(
        table.column_names.index(column), column, pa.array([value, *cells[1:]], table.schema.field(column).type)
    )
    assert read_frame("visits", table).version != read_frame("visits", other).version


def test_what_lies_under_a_missing_value_does_not_count() -> None:
    mask = pa.py_buffer(b"\x02")
    one, other = (
        pa.Array.from_buffers(pa.int64(), 2, [mask, pa.py_buffer(np.array([x, 7], np.int64).tobytes())]) for x in (1, 2)
    )
    assert one.equals(other)
    assert read_frame("a", pa.table({"x": one})).version == read_frame("a", pa.table({"x": other})).version


def test_a_table_without_its_frame_is_refused_with_the_cure(folder: Folder) -> None:
    with pytest.raises(RefusedDescription) as caught:
        folder.open(regions="regions.parquet")
    (problem,) = caught.value.problems
    assert problem.key == "tables.visits.source"
    assert problem.cure == 'tacit.open("clinic.toml", frames={"visits": df}).'
    with pytest.raises(Refused, match=r"frames=\{\"regions\": df\}"):
        folder.open(frames={"visits": rows()})


@pytest.mark.parametrize(
    ("frames", "said"),
    [
        ({"vists": rows()}, "visits, if that was meant"),
        ({"regions": REGIONS, "visits": rows()}, "The rows of this table are in a file"),
        ({"visits": [1, 2]}, "of the type list, and no data frame"),
        ({"visits": pa.table({"Patient": [1], "patient": [2]})}, "several of its columns are called"),
        ({"visits": pd.DataFrame([[1, 2]], columns=["a", "a"])}, "frames"),
        ({"visits": pa.table({"x": pa.array([1], pa.duration("s"))})}, "No engine reads the types of: x"),
    ],
)
def test_a_frame_that_does_not_belong_is_refused(folder: Folder, frames: dict[str, object], said: str) -> None:
    with pytest.raises(Refused, match=said):
        folder.open(regions="regions.parquet", frames=frames)


def test_the_same_rows_cannot_be_private_and_public(folder: Folder) -> None:
    with pytest.raises(Refused, match="These rows are private"):
        folder.open(frames={"visits": (table := rows()), "regions": table})


def test_a_source_of_frame_takes_no_other_key(folder: Folder, tmp_path: Path) -> None:
    with pytest.raises(RefusedDescription, match="A data frame is one table"):
        folder.open('frame"\ntable = "visits')


class Exploding:
    """A library's object whose error tells a secret."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        raise RuntimeError(SECRET)


def _bad_text() -> pa.Table:
    ends = pa.py_buffer(np.array([0, 2, 2 + len(SECRET)], np.int32).tobytes())
    letters = pa.py_buffer(b"\xff\xfe" + SECRET.encode())
    return pa.table({"patient": [1, 2], "ward": pa.Array.from_buffers(pa.string(), 2, [None, ends, letters])})


MIXED = pd.DataFrame({"patient": [1, 2], "ward": pd.Series([3, SECRET], dtype=object)})
NESTED = pd.DataFrame({"patient": [1, 2], "ward": pd.Series([SECRET, {"a": 1}], dtype=object)})
LAZY = pl.DataFrame({"patient": [1, 2], "ward": [SECRET, "x"]}).lazy().with_columns(pl.col("ward").cast(pl.Int64))
SPEAKING: dict[str, tuple[object, Callable[[], object]]] = {
    "mixed": (MIXED, lambda: pa.Table.from_pandas(MIXED)),
    "nested": (NESTED, lambda: pa.Table.from_pandas(NESTED)),
    "lazy": (LAZY, LAZY.collect),
    "exploding": (Exploding(), lambda: pa.table(Exploding())),
    "no text": (_bad_text(), lambda: _bad_text().validate(full=True)),
}


@pytest.mark.parametrize("case", SPEAKING)
def test_a_refusal_holds_no_value(folder: Folder, case: str) -> None:
    """R26, R39: a library's message about data it cannot read is not passed on; the message does contain the canary."""
    frame, spoken = SPEAKING[case]
    with pytest.raises(Refused) as caught:
        folder.open(regions="regions.parquet", frames={"visits": frame})
    assert SECRET not in f"{caught.value} {caught.value.args} {caught.value.__cause__}"
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    with pytest.raises((pa.ArrowException, pl.exceptions.PolarsError, RuntimeError, TypeError)):
        spoken()


def test_what_the_engine_shows_of_itself_holds_no_row() -> None:
    engine = DuckDBEngine(frames={"visits": read_frame("visits", pa.table({"x": [SECRET]}))})
    assert SECRET not in f"{engine!r} {engine.frames!r}"


def test_the_digest_of_the_rows_stays_inside(folder: Folder) -> None:
    """R43: the version of the rows is keyed with the ledger's secret before it is stored or signed."""
    with folder.open(frames={"visits": rows(), "regions": REGIONS}) as data:
        certificate = data.query(ASKED, epsilon=1).certificate.to_json()
        version = data._opened.engine.version(data._opened.description.tables["visits"].source)
    kept = b"".join(path.read_bytes() for path in folder.place.rglob("*") if path.is_file())
    assert len(version) == 64
    assert version[:16].encode() not in kept
    assert version[:16] not in str(certificate)


def test_an_engine_is_given_the_frames_to_read(folder: Folder) -> None:
    frames = {"visits": rows(), "regions": REGIONS}
    with folder.open(engine=DuckDBEngine(threads=1), frames=frames) as data:
        assert data._opened.engine.threads == 1
        assert data.query("SELECT COUNT(*) FROM visits", epsilon=1).table.num_rows == 1
    with pytest.raises(Refused, match="This engine reads rows where they lie"):
        folder.open(engine=DatabaseElsewhere(), frames=frames)


class DatabaseElsewhere:
    """An engine of a server."""
