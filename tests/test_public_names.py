"""The public names: every one can be imported, and none is loaded before it is used."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from inspect import isabstract
from pkgutil import walk_packages
from types import ModuleType

import pytest

import tacit
from tacit import local, loss, mechanisms
from tacit.curator.dataset import open_dataset


@pytest.mark.parametrize(
    ("package", "name"), [(package, name) for package in (tacit, local, loss, mechanisms) for name in package.__all__]
)
def test_every_public_name_is_there(package: ModuleType, name: str) -> None:
    assert getattr(package, name).__name__ == name
    assert name in dir(package)


def test_open_is_there_and_a_star_does_not_hide_the_built_in() -> None:
    assert tacit.open is open_dataset
    assert "open" in dir(tacit)
    assert "open" not in tacit.__all__


def test_every_mechanism_has_a_public_name() -> None:
    for module in walk_packages(mechanisms.__path__, "tacit.mechanisms."):
        import_module(module.name)
    kinds, found = [mechanisms.Mechanism], set()
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        if not isabstract(kind) and kind.__module__.startswith("tacit."):
            found.add(kind.__name__)
    assert found <= set(mechanisms.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Lapalce'"):
        _ = tacit.Lapalce


def test_importing_tacit_loads_nothing_heavy() -> None:
    code = "import sys, tacit; print(sorted({'numpy', 'flint', 'scipy', 'matplotlib', 'duckdb'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
