"""A package's source files: lines, imports and classes. Nothing of it is run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "tacit"


@dataclass(frozen=True)
class Module:
    """One source file."""

    name: str
    path: Path
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, str(self.path))

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"

    @property
    def folder(self) -> str:
        """The package that its folder is."""
        return self.name if self.is_package else self.name.rpartition(".")[0]

    @cached_property
    def lines(self) -> int:
        return len(self.text.splitlines())

    @cached_property
    def _imports(self) -> list[ast.Import | ast.ImportFrom]:
        return [node for node in ast.walk(self.tree) if isinstance(node, (ast.Import, ast.ImportFrom))]

    @cached_property
    def _at_once(self) -> list[ast.Import | ast.ImportFrom]:
        """Imports that run when the module is loaded: neither in a function, nor for types alone."""
        return [node for node in _at_load(self.tree) if isinstance(node, (ast.Import, ast.ImportFrom))]

    @property
    def import_lines(self) -> int:
        """Lines of import statements, wherever they stand."""
        return sum((node.end_lineno or node.lineno) - node.lineno + 1 for node in self._imports)

    @cached_property
    def named(self) -> frozenset[str]:
        """Every dotted name that it imports: of `from a import b` both a and a.b."""
        return self._named(self._imports)

    @cached_property
    def loaded(self) -> frozenset[str]:
        """Those that it imports when it is loaded."""
        return self._named(self._at_once)

    def _named(self, imports: Iterable[ast.Import | ast.ImportFrom]) -> frozenset[str]:
        found: set[str] = set()
        for node in imports:
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
                continue
            base = self._base(node)
            found |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
        return frozenset(found)

    def _base(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = self.folder.split(".")[: len(self.folder.split(".")) - node.level + 1]
        return ".".join([*parts, *([node.module] if node.module else [])])

    @property
    def public_classes(self) -> list[str]:
        return [node.name for node in self.tree.body if isinstance(node, ast.ClassDef) and node.name[0] != "_"]


@dataclass(frozen=True)
class Tree:
    """All modules of a package by their names."""

    modules: Mapping[str, Module]

    @classmethod
    def read(cls, root: Path) -> Tree:
        """The package in this folder."""
        found = {}
        for path in sorted(root.rglob("*.py")):
            parts = [root.name, *path.relative_to(root).with_suffix("").parts]
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[name] = Module(name, path, path.read_text(encoding="utf-8"))
        return cls(found)

    @cached_property
    def imports(self) -> Mapping[str, frozenset[str]]:
        """For each module those of the package that it imports, now or when one of its functions runs."""
        return {name: frozenset(self._reached(module.named) - {name}) for name, module in self.modules.items()}

    @cached_property
    def loads(self) -> Mapping[str, frozenset[str]]:
        """For each module those of the package that it imports when it is loaded."""
        return {name: frozenset(self._reached(module.loaded) - {name}) for name, module in self.modules.items()}

    def _reached(self, named: frozenset[str]) -> set[str]:
        reached = {name for name in named if name in self.modules}
        return {name for name in reached if not (self.modules[name].is_package and self._is_way(name, named))}

    def _is_way(self, package: str, named: frozenset[str]) -> bool:
        """Whether a package is named only as a prefix of its modules."""
        inside = [name for name in named if name.startswith(f"{package}.")]
        return bool(inside) and all(self._is_module_in(name, package) for name in inside)

    def _is_module_in(self, name: str, package: str) -> bool:
        """Whether a dotted name is a module of the package, or a name in one."""
        return name in self.modules or (name.rpartition(".")[0] in self.modules and name.rpartition(".")[0] != package)

    @cached_property
    def importers(self) -> Mapping[str, frozenset[str]]:
        """For each module those that import it."""
        found: dict[str, set[str]] = {name: set() for name in self.modules}
        for name, reached in self.imports.items():
            for each in reached:
                found[each].add(name)
        return {name: frozenset(each) for name, each in found.items()}

    @cached_property
    def beside(self) -> Mapping[str, str]:
        """Each module that exactly one other imports, which lies in the same folder; and that other."""
        single = {name: next(iter(found)) for name, found in self.importers.items() if len(found) == 1}
        modules = self.modules
        return {
            name: one
            for name, one in single.items()
            if not modules[name].is_package and modules[one].folder == modules[name].folder
        }

    @cached_property
    def defined(self) -> Mapping[str, list[str]]:
        """For each public class name the modules that define it."""
        found: dict[str, list[str]] = {}
        for name, module in self.modules.items():
            for each in module.public_classes:
                found.setdefault(each, []).append(name)
        return found

    @cached_property
    def packages(self) -> Mapping[str, frozenset[str]]:
        """For each folder those that its files import from.

        `__init__.py` does not count, since it only re-exports. Neither does the top folder, which holds both
        what every file may import and the command that imports every room.
        """
        files = {name: module.folder for name, module in self.modules.items() if not module.is_package}
        inner = {name: folder for name, folder in files.items() if "." in folder}
        found: dict[str, set[str]] = {folder: set() for folder in inner.values()}
        for name, folder in inner.items():
            found[folder] |= {inner[each] for each in self.imports[name] if each in inner} - {folder}
        return {folder: frozenset(each) for folder, each in found.items()}


def _at_load(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a module that run when it is loaded."""
    for child in ast.iter_child_nodes(node):
        is_late = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef))
        if not is_late and not (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)):
            yield child
            yield from _at_load(child)


def knots(graph: Mapping[str, frozenset[str]]) -> Iterator[list[str]]:
    """The cycles of a graph: each largest set of nodes of which every one leads to every other (Tarjan 1972)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []

    def visit(node: str) -> Iterator[list[str]]:
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in order:
                yield from visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], order[other])
        if low[node] == order[node]:
            knot = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(knot) > 1:
                yield sorted(knot)

    for node in sorted(graph):
        if node not in order:
            yield from visit(node)
