"""The example of the hybrid argument runs; its mechanism is private as it says, and meets the bound exactly."""

from __future__ import annotations

from fractions import Fraction
from importlib.util import module_from_spec, spec_from_file_location
from itertools import product
from pathlib import Path
from types import ModuleType

import pytest
from tests.audit.teaching.published_row import least_error

EXAMPLE = Path(__file__).parents[3] / "examples" / "small_delta.py"


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = spec_from_file_location("small_delta", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("share", [Fraction(1, 10), Fraction(1, 2), Fraction(1)])
def test_all_neighbours_differ_by_exactly_delta(example: ModuleType, share: Fraction) -> None:
    """All data sets of five rows, exactly: total variation δ for each replacement, nδ between the ends."""
    delta = share / 5
    for rows in product((0, 1), repeat=5):
        for place in range(5):
            other = [*rows[:place], 1 - rows[place], *rows[place + 1 :]]
            assert abs(example.tell_row(rows, delta) - example.tell_row(other, delta)) == delta
    ends = example.chain(5, delta)
    assert ends[-1] - ends[0] == share
    assert example.failure(ends[0], ends[-1]) == example.least_failure(5, delta) == least_error(5, delta)


def test_a_mechanism_that_does_better_is_not_private(example: ModuleType) -> None:
    """Twice as often a row, at the same δ claimed: it beats the bound, and some neighbours are 2δ apart."""
    delta = Fraction(1, 20)
    ends = example.chain(5, 2 * delta)
    assert example.failure(ends[0], ends[-1]) < example.least_failure(5, delta)
    assert ends[1] - ends[0] == 2 * delta


def test_epsilon_does_what_delta_cannot(
    example: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = example.main(tmp_path / "figure.png", 200)
    assert found["ε = 0, δ = 1/4n"] == 0.375
    assert found["ε = 0, δ = 1/2n"] == 0.25
    assert found["ε = 1/10, δ = 0"] < 1e-4
    assert (tmp_path / "figure.png").stat().st_size > 10_000
    assert "somebody's row" in capsys.readouterr().out
