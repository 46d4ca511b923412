"""The slowest tests and their purposes, as shown in `docs/tests.md`.

    pytest --junitxml=default.xml; pytest -m long --junitxml=long.xml
    python -m bench.slow_tests default.xml long.xml

writes the page anew. A test's time is that of all its cases together; its purpose is its docstring's first sentence, or
its name where it has none.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "tests.md"
MOST = 50
_PAGE = """\
# The slowest tests

`python -m bench.slow_tests default.xml long.xml` writes this page from the results of two runs (`--junitxml`, one
process). Seconds are those of all cases of a test together; with other work on the machine they are too many, and the
first test that needs Spark, PostgreSQL or Chromium pays for its start.

What keeps the tests short:

- One Spark cluster, one PostgreSQL server and one Chromium a process, each started by the first test that wants it; all
  tests of the cluster, and all of the browser, run in one process (`--dist loadgroup`). With pytest 9.2, pytest-xdist
  3.8 does not group, without a word: `tests/house/test_groups.py` fails there; `pyproject.toml` says which pytest.
- Bytecode is kept (`Makefile`): hundreds of tests start processes of their own.
- Collected tests are frozen for the garbage collector (`tests/conftest.py`).
- A broken twin is sought first where it was last seen, then everywhere (`tests/neighbours/test_neighbour_twins.py`).
- Neighbours of one data set share its plans and headers, for these know no row.
- Where a minute must pass, the next process has a clock that is a minute ahead (`tests/crash`).

## `make test`

{default}
## `make test-long`

Measured so far, on a busy machine (two to four times too long): crash, curator, ledger and attack whole (91 of 1,112
tests), and the first 28 of engines and neighbours. The rest is not in this table.

{long}"""
_HEAD = "| seconds | cases | test | for |\n|---:|---:|---|---|\n"


@cache
def sentences(file: Path) -> dict[str, str]:
    """The purpose of each test of a file."""
    found = [node for node in ast.parse(file.read_text()).body if isinstance(node, ast.FunctionDef)]
    return {node.name: _first(ast.get_docstring(node)) or _said(node.name) for node in found}


def _first(text: str | None) -> str:
    line = " ".join((text or "").partition("\n\n")[0].split())
    return line.partition(". ")[0].rstrip(".").replace("|", "\\|")


def _said(name: str) -> str:
    words = name.removeprefix("test_").replace("_s_", "'s ").replace("_", " ")
    return words[:1].upper() + words[1:]


def rows(results: Path) -> list[str]:
    """The lines of one run's table, the slowest test first."""
    taken: dict[tuple[str, str], list[float]] = defaultdict(list)
    for case in ElementTree.parse(results).iter("testcase"):
        taken[case.attrib["classname"], case.attrib["name"].partition("[")[0]].append(float(case.attrib["time"]))
    slowest = sorted(taken, key=lambda test: -sum(taken[test]))[:MOST]
    return [_row(*test, taken[test]) for test in slowest]


def _row(module: str, test: str, times: list[float]) -> str:
    file = ROOT / (module.replace(".", "/") + ".py")
    place = file.relative_to(ROOT / "tests").with_suffix("")
    return f"| {sum(times):.1f} | {len(times)} | `{place}::{test.removeprefix('test_')}` | {sentences(file)[test]} |\n"


def main(default: str, long: str) -> None:
    tables = {"default": default, "long": long}
    PAGE.write_text(_PAGE.format_map({name: _HEAD + "".join(rows(Path(file))) for name, file in tables.items()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
