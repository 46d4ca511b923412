"""The command starts fast: each command loads what it needs and no more."""

from __future__ import annotations

import subprocess
import sys

import pytest
from click.testing import CliRunner
from tests.curator.clinic_command import BY_REGION, Clinic

from tacit.cli.main import COMMANDS, app

HEAVY = (
    *("numpy", "flint", "scipy", "sqlglot", "duckdb", "pyarrow", "pydantic", "matplotlib", "pandas", "cryptography"),
    *("polars", "ibis", "psycopg", "pyspark", "rich.console", "click", "numpy.ma", "sqlglot.optimizer.simplify"),
    *(
        "tacit.loss.accountant",
        "tacit.loss.composition",
        "tacit.mechanisms.selection",
        "tacit.query.sql.simplification.sub_selects",
    ),
)


def _loaded(*words: str) -> set[str]:
    """Which heavy libraries a command has loaded when it ends."""
    code = (
        "import atexit, sys; from tacit.cli.main import app; "
        f"atexit.register(lambda: print(*(set({HEAVY!r}) & sys.modules.keys()), file=sys.stderr)); app({list(words)!r})"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return set(done.stderr.split()) & set(HEAVY)


def test_listing_the_commands_loads_none_of_them() -> None:
    assert _loaded("--help") == {"click"}


@pytest.mark.parametrize(("command", "more"), [("query", {"cryptography"}), ("explain", set())])
def test_a_question_loads_the_planner_the_engine_and_the_arithmetic(
    clinic: Clinic, command: str, more: set[str]
) -> None:
    """An explanation draws no noise and signs nothing."""
    loaded = _loaded(command, "clinic.toml", BY_REGION, "--epsilon", "1")
    assert loaded == {"click", "duckdb", "flint", "numpy", "sqlglot"} | more


def test_a_budget_loads_neither_planner_nor_engine(clinic: Clinic) -> None:
    clinic.tacit("query", "clinic.toml", BY_REGION, "--epsilon", "1")
    assert _loaded("budget", "clinic.toml") == {"click", "flint"}


def test_importing_the_package_loads_no_library() -> None:
    code = f"import sys, tacit; print(*(set({HEAVY!r}) & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "account"])
def test_every_command_has_help_with_an_example(name: str) -> None:
    done = CliRunner().invoke(app, [name, "--help"])
    assert done.exit_code == 0
    assert f"tacit {name}" in done.output.partition("Example")[2]


def test_the_list_says_what_each_command_is_for() -> None:
    shown = CliRunner().invoke(app, ["--help"]).output
    for name, (_, purpose) in COMMANDS.items():
        assert f"{name} " in shown
        assert purpose[:30] in shown
