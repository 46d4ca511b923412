"""No line of a CSV file decides how, or whether, the others are read (R07, R26)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engines.poisoned_world import World

_LINES = {
    "too few cells": b"2\n",
    "too many cells": b"2,3,4,5,6,7\n",
    "a quote inside": b'2,ab"cd,4\n',
    "octets that are no text": b"2,\xff\xfe,4\n",
    "a NUL": b"2,a\x00b,4\n",
    "a long cell": b"2," + b"x" * 3_000_000 + b",4\n",
    "a return in a cell": b'2,"a\r\nb",4\n',
    "an empty line": b"\n",
    "another end of line": b"2,3,4\r\n",
    "an open quote at the end": b'2,"abc',
}


@pytest.mark.parametrize("line", _LINES)
def test_no_line_of_a_csv_file_stops_the_others(tmp_path: Path, line: str) -> None:
    """R07, R26: whatever a line holds, the file is opened and the other lines are counted."""
    (tmp_path / "poison.csv").write_bytes(b"person,t,x\n1,a,5\n1,b,6\n" + _LINES[line])
    file = tmp_path / "lines.toml"
    file.write_text(
        '[dataset]\nname = "lines"\nunit = { id = "person", hides = "one" }\nbudget = { rho = 10, delta = 0.1 }\n'
        'floor = 0\nbreaker = "off"\n'
        '[tables.t]\nsource = "poison.csv"\nlimits = { rows = 5 }\n'
        'columns = { t = { type = "text" }, x = { type = "int", min = 0, max = 9 } }\n'
    )
    world = World.opened(file)
    assert world.noisy("SELECT COUNT(*), SUM(x), COUNT(DISTINCT t) FROM t").columns
    with world.engine.session(world.catalogue.description) as session:
        found = session.run("SELECT SUM(TRY_CAST(x AS INTEGER)) AS s FROM t WHERE person = '1'")
    assert found.column("s").to_pylist() == [11]
