"""Columns of a Parquet or CSV file to attack: the steward's own data on the steward's own machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.exact import whole


def read_bits(path: Path, column: str, people: int, seed: int = 0) -> NDArray[np.bool_]:
    """So many values of a yes-or-no column, of rows drawn at random; rows without a value are skipped."""
    wanted = whole(people, "people", 8)
    values = [value for value in read_column(path, column) if value is not None]
    if not values or any(value not in (0, 1) for value in values):
        raise Refused(f"the column {column} of {path}", "It is no yes or no.", "truth values, or 0 and 1.")
    order = np.random.default_rng(seed).permutation(np.array(values, np.bool_))
    bits = order[:wanted]
    if bits.all() or not bits.any():
        why = "All people drawn have the same value: who guesses it is right about everybody, without any attack."
        accepted = "a column in which both values occur."
        if (others := np.flatnonzero(order != order[0])).size:
            accepted = f"--people {others[0] + 1}, with which both values occur, or another --seed."
        raise Refused(f"the column {column} of {path}", why, accepted)
    return bits


def read_column(path: Path, column: str) -> list[Any]:
    """All values of one column of a Parquet or CSV file."""
    table = read_table(path)
    if column not in table:
        raise Refused(f"the column {column} of {path}", "There is none of that name.", f"one of {', '.join(table)}.")
    return table[column]


def read_table(path: Path) -> dict[str, list[Any]]:
    """Every column of a Parquet or CSV file, by its name."""
    import pyarrow.csv as arrow_csv  # a second to load
    import pyarrow.parquet as arrow_parquet

    try:
        table = arrow_csv.read_csv(path) if path.suffix == ".csv" else arrow_parquet.read_table(path)
    except (OSError, ValueError) as error:
        words = "It is not there." if isinstance(error, FileNotFoundError) else "It cannot be read."
        raise Refused(f"the file {path}", words, "a Parquet or CSV file.") from None
    found: dict[str, list[Any]] = table.to_pydict()
    return found
