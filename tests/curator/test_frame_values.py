"""Whatever values a data frame holds, questions of it do not fail (R26)."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from tacit.curator.dataset import open_dataset
from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.engines.duckdb.frames import read_frame
from tacit.schema.catalogue import can_be_read
from tacit.schema.description import Source
from tacit.schema.kind import Kind

EXTREME = {
    "s": pa.array([2**62, -(2**63), 2**63 - 1, 1_700_000_000, None], pa.timestamp("s")),
    "ms": pa.array([2**62, -(2**63), 2**63 - 1, 1_700_000_000_000, None], pa.timestamp("ms", "Europe/Berlin")),
    "us": pa.array([2**62, -(2**63), 2**63 - 1, 1_700_000_000_000_000, None], pa.timestamp("us")),
    "ns": pa.array([2**62, -(2**63), 2**63 - 1, 1_700_000_000_000_000_000, None], pa.timestamp("ns", "UTC")),
    "days": pa.array([2**30, -(2**31), 2**31 - 1, 19_675, None], pa.date32()),
    "date64": pa.array([86_400_000 * 2**30, -(86_400_000 * 2**36), 86_400_000 * 2**36, 86_400_000, None], pa.date64()),
    "half": pa.array(np.array([np.nan, np.inf, 1, 2, 3], np.float16)),
    "money": pa.array([Decimal("1.23"), None, Decimal("-9"), Decimal(4), Decimal("99999999.99")], pa.decimal128(10, 2)),
    "times": pa.array([2**62, 1, 2, 1, None], pa.timestamp("s")).dictionary_encode(),
    "list": pa.array([[1], [], None, [2, None], [3]]),
    "octets": pa.array([b"\xff", b"", None, b"a", b"\x00"]),
    "words": pa.array(["\0", "", None, "1e999", "2024-01-01"], pa.large_string()),
    "nothing": pa.nulls(5),
}
BOUNDS = ", min = 0, max = 9"
POISON = """
[dataset]
name = "poison"
unit = { id = "person", hides = "one person" }
budget = { rho = 1000, delta = 1e-9 }
floor = 0
breaker = "off"
[tables.t]
source = "frame"
limits = { rows = 3 }
[tables.t.columns]
"""


@pytest.mark.parametrize("column", EXTREME)
def test_no_value_of_a_frame_breaks_a_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, column: str) -> None:
    """R26: whatever a frame holds, every way to read it is total, or refused by its type."""
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "elsewhere" / "witness"))
    values = EXTREME[column]
    header = DuckDBEngine(frames={"t": read_frame("t", pa.table({"x": values}))}).header(Source("frame", Path(), "t"))
    kinds = [kind for kind in Kind if can_be_read(header[0][1], kind)]
    lines = [f'{kind} = {{ type = "{kind}"{BOUNDS if kind.is_number else ""} }}' for kind in kinds]
    lines = [line.replace('decimal"', 'decimal", scale = 2') for line in lines]
    (tmp_path / "p.toml").write_text(POISON + "\n".join(lines))
    frame = pa.table({"person": [1, 2, 3, 4, 5], **{str(kind): values for kind in kinds}})
    with open_dataset(tmp_path / "p.toml", ledger=tmp_path / "ledger.sqlite", frames={"t": frame}) as data:
        counts = ", ".join(f"COUNT({kind}), COUNT(DISTINCT {kind})" for kind in kinds)
        data.query(f"SELECT {counts} FROM t", epsilon=1)
        data.query(f"SELECT COUNT(*) FROM t WHERE {' OR '.join(f'{kind} = {kind}' for kind in kinds)}", epsilon=1)
        keys = ", ".join(str(kind) for kind in kinds if kind is not Kind.FLOAT)
        data.query(f"SELECT {keys}, COUNT(*) FROM t GROUP BY {keys}", epsilon=1)


@pytest.mark.parametrize("column", ["s", "ms"])
def test_the_poison_would_be_deadly(column: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin of the test above: without plain types DuckDB gives up on these."""
    monkeypatch.setattr("tacit.query.engines.duckdb.frames.as_plain", lambda table: table)
    engine = DuckDBEngine(frames={"t": read_frame("t", pa.table({"x": EXTREME[column]}))})
    with pytest.raises(duckdb.Error):
        engine.database.register("t", engine.frames["t"].table).execute("SELECT TRY_CAST(x AS VARCHAR) FROM t")
