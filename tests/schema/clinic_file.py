"""A whole description that is right, and a way to change one thing in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit.schema.description import Description, Source
from tacit.schema.names import RefusedDescription
from tacit.schema.reader import read_description

CLINIC = """\
[dataset]
name = "clinic"
unit = { id = "patient_id", hides = "one patient, all visits" }
budget = { epsilon = 4, delta = 1e-7 }
analysts = { alice = "50%", bob = 0.25 }
ledger = "ledger.sqlite"

[tables.visits]
source = "visits.parquet"
limits = { rows = 40, keys = 5, totals = { cost = 5000.5 } }
at_most = { rows = 400, totals = { cost = 90000 } }

[tables.visits.columns]
age = { type = "int", min = 0, max = 110 }
cost = { type = "money", min = 0.1, max = 20000 }
dose = { type = "decimal", scale = 3, max = 0.125 }
stay = { type = "float", min = 0, max = 365, nullable = false }
region = { type = "text", keys = ["north", "south"] }
year = { type = "int", keys = { from = 2015, to = 2024 } }
ward = { type = "text", keys = { lookup = "wards", column = "ward" } }
day = { type = "date", min = 2020-01-01, max = 2024-12-31 }
seen = { type = "timestamp", min = 1970-01-02T00:00:00 }
smoker = { type = "bool" }

[tables.prescriptions]
source = "prescriptions.parquet"
unit = { column = "visit_id", table = "visits", key = "visit_id" }
columns = { drug = { type = "text" }, visit_id = { type = "int" } }

[tables.patients]
source = "patients.csv"
delimiter = ";"
unit = { id = "pid" }

[lookups.wards]
source = "wards.csv"
key = "ward"
columns = { ward = { type = "text" }, floor = { type = "int", min = 0, max = 9 } }
"""

BUDGET = "{ epsilon = 4, delta = 1e-7 }"
AGE = '{ type = "int", min = 0, max = 110 }'

ROWS = """\
[dataset]
name = "survey"
unit = { row = true, hides = "one answer", relation = "replace" }
budget = { rho = 0.1 }

[tables.answers]
source = "answers.parquet"
columns = { age = { type = "int", min = 0, max = 110 } }
"""


def read_wards(source: Source, column: str) -> list[object]:
    """The public column, as an engine would hand it over."""
    assert (source.format, column) == ("csv", "ward")
    return ["west", "east", None, "west"]


def written(folder: Path, text: str, name: str = "clinic.toml") -> Path:
    """The text as a file."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def read(folder: Path, text: str) -> Description:
    """The text, read as a description in this folder."""
    return read_description(written(folder, text), read_wards)


def changed(old: str, new: str, text: str = CLINIC) -> str:
    """The text with one place changed."""
    assert text.count(old) == 1, (old, text.count(old))
    return text.replace(old, new)


def refused_at(folder: Path, text: str) -> dict[str, str]:
    """The keys at which the text is refused, with all that is said about each."""
    with pytest.raises(RefusedDescription) as caught:
        read(folder, text)
    said: dict[str, str] = {}
    for problem in caught.value.problems:
        assert problem.why.endswith(".")
        assert problem.cure.endswith(".")
        assert problem.key in str(caught.value)
        said[problem.key] = f"{said.get(problem.key, '')}{problem.why} {problem.cure}"
    return said
