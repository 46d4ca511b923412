"""Printed ends of brackets are still bounds; a calibrated number is printed exactly."""

from __future__ import annotations

import json
import math
from fractions import Fraction

from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from tacit.cli.main import account as app
from tacit.errors import Refused
from tacit.loss import Bracket
from tacit.words import shown_down, shown_up

_RUN = CliRunner()


@given(st.floats(min_value=1e-290, max_value=1e290))
def test_six_digits_keep_their_side(value: float) -> None:
    assert Fraction(shown_down(value)) <= Fraction(repr(value)) <= Fraction(shown_up(value))
    assert float(shown_up(value)) <= value * (1 + 2e-5)


def test_infinite_ends_are_shown() -> None:
    assert (shown_down(math.inf), shown_up(math.inf)) == ("inf", "inf")
    assert str(Bracket(1.0000004, 1.0000004)) == "between 1 and 1.00001"


def test_no_epsilon_is_said_in_words_and_as_null() -> None:
    asked = ["compose", "approx(epsilon=0.1, delta=0.1) x 3", "--delta", "1e-5"]
    said = _RUN.invoke(app, asked)
    assert said.exit_code == 0
    assert "No ε" in said.output
    assert json.loads(_RUN.invoke(app, [*asked, "--json"]).output)["upper"] is None
    compared = ["compare", "--epsilon", "0.4", "--delta", "0.1", "--times", "3", "--total-delta", "0.01", "--json"]
    assert "Infinity" not in _RUN.invoke(app, compared).output


def test_a_number_of_releases_is_shown_in_full() -> None:
    asked = ["calibrate", "gaussian(sigma=3000)", "--find", "times", "--epsilon", "2", "--delta", "1e-5"]
    value = int(json.loads(_RUN.invoke(app, [*asked, "--json"]).output)["value"])
    assert value > 10**6
    assert f"times = {value} " in _RUN.invoke(app, asked).output


def test_a_figure_that_cannot_be_written_is_refused() -> None:
    asked = ["compose", "gaussian(sigma=1)", "--delta", "1e-5", "--figure", "/nonexistent/x.png"]
    assert isinstance(_RUN.invoke(app, asked).exception, Refused)
