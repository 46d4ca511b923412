"""A release as an Arrow table, and as CSV, JSON and Parquet: typed keys, and each number with its two ends."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

from tacit.errors import Refused
from tacit.printable import printable_json
from tacit.query.post_noise.estimates import Estimates, Floats, Keys, Rendered
from tacit.schema.kind import Kind

if TYPE_CHECKING:
    from tacit.release.release import Release

_BEYOND = 2.0**63


def arrow_table(rendered: Rendered) -> pa.Table:
    """Each key column under its name; each number `c` as `c`, `c_low` and `c_high`, null where a number is unknown.

    Where there are bounded intervals too, they follow as `c_bounded`, `c_bounded_low` and `c_bounded_high`.
    """
    columns: dict[str, pa.Array] = {}
    for column in rendered.columns:
        if isinstance(column.values, Keys):
            columns[column.name] = _keys(column.values)
        else:
            columns |= _numbers(column.name, column.values)
        if column.bounded is not None:
            columns |= _numbers(f"{column.name}_bounded", column.bounded)
    return pa.table(columns)


def _numbers(name: str, numbers: Estimates) -> dict[str, pa.Array]:
    if numbers.time is not None:
        ends = zip(("", "_low", "_high"), numbers.times, strict=True)
        return {f"{name}{end}": _keys(times) for end, times in ends}
    return {name: _points(numbers), f"{name}_low": _floats(numbers.low), f"{name}_high": _floats(numbers.high)}


def _keys(keys: Keys) -> pa.Array:
    values: list[Any] = list(keys.values)
    if keys.type is Kind.INTEGER:  # Arrow has no integers beyond 64 bits
        values = [None if value is None or not -_BEYOND <= value < _BEYOND else value for value in values]
    return pa.array(values, pa.type_for_alias(keys.type.traits.arrow))


def _points(numbers: Estimates) -> pa.Array:
    if not numbers.whole:
        return _floats(numbers.value)
    fits = np.abs(numbers.value) < _BEYOND
    return pa.array(np.where(fits, numbers.value, 0).astype(np.int64), mask=~fits)


def _floats(values: Floats) -> pa.Array:
    return pa.array(values, mask=~np.isfinite(values))


def csv_text(table: pa.Table) -> str:
    """The table as CSV with a header; a null is empty, an empty text is quoted."""
    sink = pa.BufferOutputStream()
    csv.write_csv(table, sink)
    return str(sink.getvalue().to_pybytes().decode())


def json_text(release: Release) -> str:
    """The release as one JSON object: its rows, the confidence, the remarks and the price."""
    price = release.price
    whole: dict[str, Any] = {
        "confidence": float(release.confidence),
        **(
            {"interval": release.intervals.kind, "means": f"{release.interval_words}."}
            if release.intervals.kind
            else {}
        ),
        "rows": release.table.to_pylist(),
        "notes": [*release.notes, *release.intervals.further],
        "price": {
            "loss": price.loss_words,
            "currency": price.currency_words,
            "share": float(price.share),
            "left": float(price.left),
            "free": price.free,
        },
    }
    return printable_json(json.dumps(whole, ensure_ascii=False, indent=2, default=_moment)) + "\n"


def parquet_octets(table: pa.Table) -> bytes:
    """The table as Parquet."""
    sink = pa.BufferOutputStream()
    parquet.write_table(table, sink)
    return bytes(sink.getvalue().to_pybytes())


def written(release: Release, form: str) -> bytes:
    """The octets of a release in a format; refused where the format is not known."""
    if form == "csv":
        return csv_text(release.table).encode()
    if form == "json":
        return json_text(release).encode()
    if form == "parquet":
        return parquet_octets(release.table)
    raise Refused(f"an answer as {form}", "The format is not known.", "table, csv, json or parquet.")


def _moment(value: date) -> str:
    """Dates and timestamps as text: the only values of a table that JSON does not have."""
    return value.isoformat()
