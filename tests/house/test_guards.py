"""Each rule of the source tree is broken by a small tree, and by no other; the exceptions of today's are minimal."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.house_guards import EXCEPTIONS, RULES, exceptions, faults
from bench.house_tree import SOURCE, Tree, knots

SOUND = {
    "__main__.py": "import tacit.cli.commands\n",
    "errors.py": "class Refused(Exception): ...\n",
    "cli/commands.py": "import click\nfrom rich import table\nfrom tacit.query.plan import Plan\n",
    "query/plan.py": "from tacit.errors import Refused\nfrom tacit.query.engines import duck\nclass Plan: ...\n"
    + "#\n" * 40,
    "query/engines/duck.py": "import duckdb\nfrom pyspark import sql\n",
    "ledger/postgres.py": "def opened():\n    import psycopg\n",
}
BROKEN = {
    "package_cycles": (
        {"query/engines/duck.py": "import duckdb\ndef late():\n    from tacit.query import plan\n"},
        {"tacit.query", "tacit.query.engines"},
    ),
    "class_names": ({"ledger/plan.py": "class Plan: ...\nclass _Hidden: ...\n"}, {"Plan"}),
    "small_parts": (
        {"ledger/seal.py": "VALUE = 1\n", "ledger/chain.py": "from tacit.ledger.seal import VALUE\n"},
        {"tacit.ledger.seal"},
    ),
    "long_files": ({"ledger/long.py": "#\n" * 251}, {"tacit.ledger.long"}),
    "screens": (
        {"ledger/shown.py": "import click\n", "query/shown.py": "from rich.table import Table\n"},
        {"tacit.ledger.shown", "tacit.query.shown"},
    ),
    "drivers": (
        {"query/run.py": "def late():\n    import duckdb\n", "ledger/rows.py": "from pyspark import sql\n"},
        {"tacit.query.run", "tacit.ledger.rows"},
    ),
}


def tree_of(files: dict[str, str], folder: Path) -> Tree:
    for name, text in files.items():
        path = folder / "tacit" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        (path.parent / "__init__.py").touch()
    return Tree.read(folder / "tacit")


def test_a_sound_tree_breaks_no_rule(tmp_path: Path) -> None:
    assert faults(tree_of(SOUND, tmp_path), {}) == []


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_is_broken_and_no_other(rule: str, tmp_path: Path) -> None:
    files, names = BROKEN[rule]
    tree = tree_of({**SOUND, **files}, tmp_path)
    assert {name for name, check in RULES.items() if check(tree)} == {rule}
    assert RULES[rule](tree).keys() == names
    assert len(faults(tree, {})) == len(names)
    assert faults(tree, {rule: names}) == []


@pytest.mark.parametrize("rule", RULES)
def test_an_exception_that_is_not_needed_is_a_fault(rule: str, tmp_path: Path) -> None:
    (told,) = faults(tree_of(SOUND, tmp_path), {rule: ["tacit.gone"]})
    assert "tacit.gone no longer breaks it" in told


def test_the_tree_keeps_its_rules_but_for_the_exceptions_it_needs() -> None:
    assert faults(Tree.read(SOURCE), exceptions()) == [], f"see {EXCEPTIONS.name}"
    assert exceptions().keys() == RULES.keys()


def test_a_package_named_on_the_way_is_not_imported(tmp_path: Path) -> None:
    """`from tacit.query.plan import Plan` is an import of plan.py; `from tacit import query` one of the package."""
    files = {
        **SOUND,
        "ledger/a.py": "from tacit.query.plan import Plan\n",
        "ledger/b.py": "from tacit import errors, query\n",
    }
    imports = tree_of(files, tmp_path).imports
    assert imports["tacit.ledger.a"] == {"tacit.query.plan"}
    assert imports["tacit.ledger.b"] == {"tacit.errors", "tacit.query"}


def test_knots_are_the_largest_cycles() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": {"d"}, "f": {"a", "f"}}
    assert list(knots({node: frozenset(each) for node, each in graph.items()})) == [["d", "e"], ["a", "b", "c"]]
