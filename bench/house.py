"""Figures of the source tree, beside those of the earlier tree of 731 files.

`python -m bench house` prints them. `python -m bench.house --guard` (part of `make lint`) names violations of the
tree's rules and exits with 1; `--prune` removes exceptions that are no longer needed. `house_trace` defines the files
and re-entries of a query.
"""

from __future__ import annotations

import ast
import json
import sys
from collections import Counter
from dataclasses import dataclass
from statistics import median

from rich.console import Console
from rich.table import Table

from bench.house_guards import EXCEPTIONS, LONGEST, SHORT, exceptions, faults, prune
from bench.house_trace import Trace
from bench.house_tree import SOURCE, Module, Tree, knots
from bench.house_walks import walk

PARTS = {"Measure", "Ranks", "Distinct"}


@dataclass(frozen=True)
class Figure:
    """A figure of the tree, its value in the tree of 731 files, and its upper limit."""

    name: str
    now: float
    then: float
    most: float | None = None

    @property
    def ratio(self) -> float | None:
        return round(self.now / self.then, 3) if self.then else None

    @property
    def holds(self) -> bool | None:
        return None if self.most is None else self.now <= self.most


def figures(tree: Tree, query: Trace) -> list[Figure]:
    """All figures, and the targets of those that have one."""
    modules = list(tree.modules.values())
    sizes = [module.lines for module in modules]
    lines = sum(sizes)
    stems = Counter(module.path.stem for module in modules if not module.is_package)
    tests = [_part_tests(module) for module in modules]
    return [
        Figure("files", len(modules), 731),
        Figure("lines", lines, 54_505),
        Figure("files a thousand lines", round(1000 * len(modules) / lines, 2), 13.4),
        Figure("lines of the median file", median(sizes), 70),
        Figure("lines of the largest file", max(sizes), 248, LONGEST),
        Figure(f"files under {SHORT} lines", _short(modules), 110),
        Figure("files that one neighbour alone imports", len(tree.beside), 151, 59),
        Figure("public class names defined twice or more", _twice(tree), 46, 0),
        Figure("cycles of modules, as they load", len(list(knots(tree.loads))), 0, 0),
        Figure("with types and imports in functions", len(list(knots(tree.imports))), 5),
        Figure("cycles of folders", len(list(knots(tree.packages))), 5, 0),
        Figure("import lines, % of all", round(100 * sum(each.import_lines for each in modules) / lines, 1), 12.2, 8),
        Figure("file names used three times or more", sum(count >= 3 for count in stems.values()), 25),
        Figure("files that a query runs through", len(query.files), 160, 100),
        Figure("rooms that a query enters again", query.reentries, 36, 15),
        Figure("files that name TIMESTAMP", sum(map(_names_timestamp, modules)), 37, 9),
        Figure("isinstance tests of a Part", sum(tests), 32),
        Figure("files with such a test", sum(count > 0 for count in tests), 12),
    ]


def main() -> None:
    tree = Tree.read(SOURCE)
    listed = figures(tree, walk("tacit query"))
    table = Table(title="The source tree")
    for column in ("figure", "then", "now", "now/then", "target", "holds"):
        table.add_column(column, justify="left" if column in ("figure", "holds") else "right")
    for each in listed:
        target = "" if each.most is None else f"≤ {each.most:g}"
        holds = {None: "", True: "yes", False: "NO"}[each.holds]
        ratio = "" if each.ratio is None else f"{each.ratio:.2f}x"
        table.add_row(each.name, f"{each.then:g}", f"{each.now:g}", ratio, target, holds)
    Console(width=120).print(table)
    for kind, graph in (("modules", tree.imports), ("folders", tree.packages)):
        for knot in knots(graph):
            print(f"cycle of {kind}: {', '.join(knot)}")
    told = {
        each.name: {"now": each.now, "then": each.then, "ratio": each.ratio, "target": each.most, "holds": each.holds}
        for each in listed
    }
    print(json.dumps(told))


def guard() -> int:
    """Print the violations, or the number of exceptions."""
    allowed = exceptions()
    told = faults(Tree.read(SOURCE), allowed)
    print("\n".join(told) if told else f"The tree keeps its rules; {sum(map(len, allowed.values()))} exceptions.")
    if told:
        print(f"Exceptions stand in {EXCEPTIONS.name}; `python -m bench.house --prune` drops those not needed.")
    return 1 if told else 0


def _short(modules: list[Module]) -> int:
    return sum(module.lines < SHORT for module in modules if not module.is_package)


def _twice(tree: Tree) -> int:
    return sum(len(places) > 1 for places in tree.defined.values())


def _part_tests(module: Module) -> int:
    calls = [node for node in ast.walk(module.tree) if isinstance(node, ast.Call) and len(node.args) == 2]
    tests = [call.args[1] for call in calls if isinstance(call.func, ast.Name) and call.func.id == "isinstance"]
    return sum(any(isinstance(node, ast.Name) and node.id in PARTS for node in ast.walk(kinds)) for kinds in tests)


def _names_timestamp(module: Module) -> bool:
    """In code, as a name or within a text; a docstring does not count."""
    texts = {id(node.value) for node in ast.walk(module.tree) if isinstance(node, ast.Expr)}
    names = (
        getattr(node, "id", None) or getattr(node, "attr", None) or getattr(node, "value", None)
        for node in ast.walk(module.tree)
        if isinstance(node, (ast.Name, ast.Attribute, ast.Constant)) and id(node) not in texts
    )
    return any(isinstance(name, str) and "TIMESTAMP" in name for name in names)


if __name__ == "__main__":
    if "--prune" in sys.argv[1:]:
        prune()
    if "--guard" in sys.argv[1:] or "--prune" in sys.argv[1:]:
        sys.exit(guard())
    main()
