"""The front door: every public name opens, none is loaded before it is asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tacit


@pytest.mark.parametrize("name", tacit.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(tacit, name).__name__ == name
    assert name in dir(tacit)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Lapalce'"):
        _ = tacit.Lapalce


def test_importing_tacit_loads_nothing_heavy() -> None:
    code = "import sys, tacit; print(sorted({'numpy', 'flint', 'scipy', 'matplotlib'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
