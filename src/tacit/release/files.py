"""A release in the formats of files: CSV, JSON and Parquet."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import csv, parquet

from tacit.errors import Refused
from tacit.printable import printable_json

if TYPE_CHECKING:
    from tacit.release.release import Release


def csv_text(table: pa.Table) -> str:
    """The table as CSV with a header; a null is empty, an empty text is quoted."""
    sink = pa.BufferOutputStream()
    csv.write_csv(table, sink)
    return str(sink.getvalue().to_pybytes().decode())


def json_text(release: Release) -> str:
    """The release as one JSON object: its rows, at which confidence, what is to be known and what it cost."""
    price = release.price
    whole: dict[str, Any] = {
        "confidence": float(release.confidence),
        "rows": release.table.to_pylist(),
        "notes": list(release.notes),
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
    """Dates and moments, the only values of a table that JSON does not know."""
    return value.isoformat()
