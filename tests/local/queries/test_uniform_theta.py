"""The example of exercise 7.36 runs, and its four ways keep their order and their rates."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

EXAMPLE = Path(__file__).parents[3] / "examples" / "uniform_theta.py"


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = spec_from_file_location("uniform_theta", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_four_ways_differ_as_theory_says(
    example: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    errors = example.main(tmp_path / "figure.png", (400, 40_000), 8)
    for size in range(2):
        sample, central, local, queries = (errors[name][size] for name in ("sample", "central", "local", "queries"))
        assert sample < central < min(local, queries)
        assert max(local, queries) < errors["largest + noise"][size]
    assert errors["central"][1] < errors["central"][0] / 30, "a hundred times the people: about a hundredth"
    assert errors["local"][0] / 40 < errors["local"][1] < errors["local"][0] / 3, "and here about a tenth"
    assert (tmp_path / "figure.png").stat().st_size > 10_000
    assert "root mean square error" in capsys.readouterr().out
