"""Hierarchies, impossible cells and public totals as a file declares them, and every fault named at its key (R08)."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from tacit.schema.description import Description, Impossible, KeyHierarchy, PublicTotal
from tacit.schema.names import RefusedDescription
from tacit.schema.reader import read_description

FILE = """\
[dataset]
name = "people"
unit = { row = true, hides = "one person" }
budget = { epsilon = 4, delta = 1e-6 }

[tables.people]
source = "people.parquet"
impossible = [{ sex = "m", ward = ["w1", "w3"] }]

[tables.people.hierarchies]
place = { levels = ["region", "ward"], members = { north = ["w1", "w2"], south = ["w3"] } }
time = { levels = ["year", "urgent", "day"], members = { 2024 = { true = [2024-01-01], false = [2024-01-02] } } }

[[tables.people.totals]]
count = 100

[[tables.people.totals]]
keys = { region = "north", sex = "f" }
count = 60

[tables.people.columns]
region = { type = "text", keys = ["north", "south"] }
ward = { type = "text", keys = ["w1", "w2", "w3"], nullable = false }
sex = { type = "text", keys = ["f", "m"] }
year = { type = "int", keys = [2024] }
urgent = { type = "bool", keys = [true, false] }
day = { type = "date", keys = { from = 2024-01-01, to = 2024-01-02 } }
town = { type = "text" }
"""
DAYS = ((2024, True, date(2024, 1, 1)), (2024, False, date(2024, 1, 2)))
PLACE = 'levels = ["region", "ward"], members = { north = ["w1", "w2"], south = ["w3"] }'
TOTAL = 'keys = { region = "north", sex = "f" }\ncount = 60'
H, X, T = (f"tables.people.{part}" for part in ("hierarchies.place", "impossible", "totals"))


def read(folder: Path, text: str) -> Description:
    (folder / "people.toml").write_text(text, encoding="utf-8")
    return read_description(folder / "people.toml")


def test_structure_is_read_as_it_is_written(tmp_path: Path) -> None:
    table = read(tmp_path, FILE).tables["people"]
    assert table.hierarchies == (
        KeyHierarchy("place", ("region", "ward"), (("north", "w1"), ("north", "w2"), ("south", "w3"))),
        KeyHierarchy(
            "time", ("year", "urgent", "day"), ((2024, True, date(2024, 1, 1)), (2024, False, date(2024, 1, 2)))
        ),
    )
    assert table.impossible == (Impossible({"sex": ("m",), "ward": ("w1", "w3")}),)
    assert table.totals == (PublicTotal({}, 100), PublicTotal({"region": "north", "sex": "f"}, 60))


@pytest.mark.parametrize(
    ("old", "new", "key", "said"),
    [
        (PLACE, PLACE.replace('"w2"], south', '"w2", "w3"], south'), f"{H}.members", "stands more than once"),
        (PLACE, PLACE.replace(', "w2"', ""), f"{H}.members", "is left out"),
        (PLACE, PLACE.replace("north", "nort"), f"{H}.members", "no key of region"),
        (PLACE, PLACE.replace('"w2"', '"w9"'), f"{H}.members", "no key of ward"),
        (PLACE, PLACE.replace('"w2"', "2"), f"{H}.members.north", "not of the column's type"),
        (PLACE, PLACE.replace('["w3"]', '{ x = ["w3"] }'), f"{H}.members.south", "a list of values"),
        (PLACE, PLACE.replace('{ north = ["w1", "w2"], south = ["w3"] }', "[]"), f"{H}.members", "what lies in it"),
        (PLACE, PLACE.replace('"ward"]', '"wart"]'), f"{H}.levels", "There is no column 'wart'"),
        (PLACE, PLACE.replace('"ward"]', '"town"]'), f"{H}.levels", "its values are private"),
        (PLACE, PLACE.replace('"region", "ward"', '"region", "region"'), f"{H}.levels", "two or more different"),
        (PLACE, PLACE.replace('levels = ["region", "ward"], ', ""), f"{H}.levels", "It is missing"),
        ('["year", "urgent", "day"]', '["year", "urgent", "ward"]', "tables.people.hierarchies.time.levels", "already"),
        ("2024 = {", "twenty = {", "tables.people.hierarchies.time.members.twenty", "not of the column's type"),
        ('{ sex = "m", ward', '{ sex = "x", ward', f"{X}.1.sex", "x is no key of it"),
        ('{ sex = "m", ward', '{ town = "m", ward', f"{X}.1.town", "its values are private"),
        ('{ sex = "m", ward', '{ sexe = "m", ward', f"{X}.1.sexe", "There is no such column"),
        ('[{ sex = "m", ward = ["w1", "w3"] }]', "[{}]", f"{X}.1", "names no column"),
        ('[{ sex = "m", ward = ["w1", "w3"] }]', '["sex"]', f"{X}.1", "not a table"),
        (TOTAL, TOTAL.replace("60", "-1"), f"{T}.2.count", "too small"),
        (TOTAL, TOTAL.replace("60", "6.5"), f"{T}.2.count", "whole number"),
        (TOTAL, TOTAL.replace("60", "2000000000000000000"), f"{T}.2.count", "more than can be counted"),
        (TOTAL, TOTAL.replace('"north"', '"west"'), f"{T}.2.keys.region", "west is no key"),
        (TOTAL, TOTAL.replace("60", "101"), T, "contradict each other"),
        (TOTAL, 'keys = { region = "north", ward = "w3" }\ncount = 1', T, "contradict each other"),
        (TOTAL, 'keys = { ward = "w1", sex = "m" }\ncount = 1', T, "contradict each other"),
        (TOTAL, f"{TOTAL}\n[[tables.people.totals]]\n{TOTAL.replace('60', '61')}", f"{T}.3", "another count"),
        (TOTAL, "\n[[tables.people.totals]]\n".join(f'keys = {{ ward = "w{k}" }}\ncount = 34' for k in (1, 2, 3)), T,
         "contradict each other"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused_at_its_key(tmp_path: Path, old: str, new: str, key: str, said: str) -> None:
    assert old in FILE
    with pytest.raises(RefusedDescription) as refused:
        read(tmp_path, FILE.replace(old, new))
    found = [problem for problem in refused.value.problems if problem.key == key and said in str(problem)]
    assert found, [str(problem) for problem in refused.value.problems]


def test_all_faults_are_said_at_once(tmp_path: Path) -> None:
    text = FILE.replace('"w2"], south', '"w9"], south').replace('{ sex = "m"', '{ sex = "x"').replace("60", "6.5")
    with pytest.raises(RefusedDescription) as refused:
        read(tmp_path, text)
    keys = {problem.key for problem in refused.value.problems}
    assert {f"{H}.members", f"{X}.1.sex", f"{T}.2.count"} <= keys
