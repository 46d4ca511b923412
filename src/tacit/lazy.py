"""Public names that load their module when they are first used, so that importing a package is fast."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazily(package: str, home: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """A package's `__getattr__` and `__dir__`, from the module that each public name lives in; module:name renames."""

    def load(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, inner = home[name].partition(":")
        return getattr(import_module(f"{package}.{module}"), inner or name)

    return load, lambda: sorted(home)
