"""`tacit init`: a first description of a data set, from its header alone."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from tacit.cli.terminal import say
from tacit.curator.engine_choice import engine_of
from tacit.errors import Refused
from tacit.schema.first_description import FirstFile, first_description
from tacit.schema.sources import read_source
from tacit.words import counted

_DELIMITERS: Final = (";", "\t", "|", ",")


@click.command()
@click.argument("data")
@click.option("--unit", help="The column that identifies the unit of privacy, as a person.")
@click.option("--row", is_flag=True, help="Each row is a unit of its own.")
@click.option("--out", type=click.Path(path_type=Path), help="Where to write; the data's name with .toml if not given.")
@click.option("--name", help="What to call the data set.")
@click.option("--table", help="The table in a DuckDB file.")
@click.option("--delimiter", help="What stands between the values of a CSV file.")
def init(
    data: str,
    unit: str | None,
    row: bool,
    out: Path | None,
    name: str | None,
    table: str | None,
    delimiter: str | None,
) -> None:
    """Write a first description of a data set. Only names and types of columns are read, no value.

    DATA is a Parquet file or folder, a CSV file, or a DuckDB file.

    Example: `tacit init visits.parquet --unit patient_id --out clinic.toml`
    """
    if (unit is None) == (not row):
        raise Refused(
            "a description without a unit of privacy" if unit is None else "both --unit and --row",
            "What is hidden must be said: all rows of one person, or one row.",
            "--unit patient_id, the column that tells people apart; or --row, where each row is a person.",
        )
    source = read_source(data, Path.cwd(), table, delimiter)
    place = out or Path(f"{name or source.table or source.path.stem.strip('*') or 'data'}.toml")
    found = first_description(source, engine_of([source]).header(source), unit, name or place.stem, place.parent)
    try:
        with place.open("x", encoding="utf-8") as file:
            file.write(found.text)
    except FileExistsError:
        raise Refused(f"to write {place}", "There is such a file, and it may be somebody's work.", "--out.") from None
    except OSError:
        raise Refused(
            f"to write {place}", "It cannot be written there.", "--out with a folder that is there."
        ) from None
    say(_what_next(found, place, source.path))


def _what_next(found: FirstFile, place: Path, data: Path) -> str:
    described = f"{counted(len(found.columns), 'column')} of {data.name} by name and type only"
    lines = [f"Wrote {place}. It describes {described}; no value was read."]
    if data.suffix.lower() == ".csv":
        lines.append("A CSV file has no types: replace text by int, money, float, date … where a column holds them.")
        if len(found.columns) == 1 and (marks := [mark for mark in _DELIMITERS if mark in found.columns[0]]):
            sign = "\\t" if marks[0] == "\t" else marks[0]
            lines.append(f"Its one column has {sign} in its name: if that stands between values, --delimiter '{sign}'.")
    if found.bounds:
        lines.append(f"Declare bounds for: {', '.join(found.bounds)}.")
    if found.keys:
        lines.append(f"Declare public keys for: {', '.join(found.keys)} (or leave them private).")
    if found.left_out:
        lines.append(f"Left out, for their types are not known: {', '.join(found.left_out)}.")
    lines.append(f"Choose a budget. Then: tacit check {place}")
    return "\n".join(lines)
