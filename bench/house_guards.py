"""Rules of the source tree. Known violations are listed in `house_exceptions.json`, which may only shrink.

A rule returns its violations: folders, classes or files. It fails for a name that is not listed, and for a listed name
that no longer violates it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from bench.house_tree import SOURCE, Module, Tree, knots

EXCEPTIONS: Final = Path(__file__).with_name("house_exceptions.json")
LONGEST: Final = 250
SHORT: Final = 40
SCREEN: Final = ("click", "rich")
DRIVERS: Final = ("duckdb", "psycopg", "pyspark", "py4j")
STORE: Final = ("ledger", "psycopg")  # the ledger has a store of its own in PostgreSQL, beside no data

Broken: TypeAlias = Mapping[str, str]
"""The violations of a rule, each with a sentence about it."""


def package_cycles(tree: Tree) -> Broken:
    """No folder imports, by way of others, from itself."""
    return {each: f"is in a cycle of {len(knot)} folders" for knot in knots(tree.packages) for each in knot}


def class_names(tree: Tree) -> Broken:
    """A public class name occurs once."""
    return {name: f"is defined in {', '.join(places)}" for name, places in tree.defined.items() if len(places) > 1}


def small_parts(tree: Tree) -> Broken:
    """A short file that only one neighbour imports is a part of that neighbour."""
    short = {name: one for name, one in tree.beside.items() if tree.modules[name].lines < SHORT}
    return {name: f"has {tree.modules[name].lines} lines, and only {one} imports it" for name, one in short.items()}


def long_files(tree: Tree) -> Broken:
    """No file has more than 250 lines."""
    return {name: f"has {each.lines} lines" for name, each in tree.modules.items() if each.lines > LONGEST}


def screens(tree: Tree) -> Broken:
    """Only the command line imports click or rich."""
    return _foreign(tree, SCREEN, lambda room, _: room == "cli")


def drivers(tree: Tree) -> Broken:
    """Only engines import a database driver."""
    return _foreign(tree, DRIVERS, lambda room, library: room == "query.engines" or (room, library) == STORE)


RULES: Final[Mapping[str, Callable[[Tree], Broken]]] = {
    rule.__name__: rule for rule in (package_cycles, class_names, small_parts, long_files, screens, drivers)
}


def _foreign(tree: Tree, libraries: Collection[str], is_at_home: Callable[[str, str], bool]) -> Broken:
    found = {}
    for name, module in tree.modules.items():
        wrong = [each for each in _libraries(module) if each in libraries and not _is_within(name, each, is_at_home)]
        if wrong:
            found[name] = f"imports {', '.join(wrong)}"
    return found


def _libraries(module: Module) -> list[str]:
    return sorted({name.partition(".")[0] for name in module.named})


def _is_within(name: str, library: str, is_at_home: Callable[[str, str], bool]) -> bool:
    """Whether one of a module's folders may import the library."""
    parts = name.split(".")[1:]
    return any(is_at_home(".".join(parts[:depth]), library) for depth in range(1, len(parts) + 1))


def faults(tree: Tree, allowed: Mapping[str, Collection[str]]) -> list[str]:
    """Every violation that is not an exception, and every exception that is not needed."""
    told = []
    for name, rule in RULES.items():
        broken, listed = rule(tree), allowed.get(name, ())
        told += [f"{name}: {each} {why}. {rule.__doc__}" for each, why in sorted(broken.items()) if each not in listed]
        told += [f"{name}: {each} no longer breaks it: take it off the list." for each in listed if each not in broken]
    return told


def exceptions() -> dict[str, list[str]]:
    """The exceptions of each rule, from the file."""
    listed: dict[str, list[str]] = json.loads(EXCEPTIONS.read_text(encoding="utf-8"))
    return listed


def write_exceptions(listed: Mapping[str, Collection[str]]) -> None:
    """The list as a file, one name per line."""
    EXCEPTIONS.write_text(json.dumps({name: sorted(each) for name, each in listed.items()}, indent=1) + "\n")


def prune() -> None:
    """Remove exceptions that are no longer needed; it never adds any."""
    tree = Tree.read(SOURCE)
    write_exceptions({name: set(exceptions()[name]) & RULES[name](tree).keys() for name in RULES})
