"""Releases as written: read exactly, or refused with a mark under the character (R42)."""

from __future__ import annotations

import contextlib
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import Refused
from tacit.loss.families.approx import Approx
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.zcdp import Zcdp
from tacit.loss.pairs.additive_noise import LaplacePair
from tacit.loss.plans.release_expression import FAMILIES, loss_of, parse
from tacit.loss.sampling.subsampled import Subsampled


def test_parameters_are_read_exactly() -> None:
    term = parse("gaussian(sigma=1.1, q=256/60000) x 14100")
    assert (term.family, term.times) == ("gaussian", 14_100)
    assert term.arguments == {"sigma": Fraction(11, 10), "q": Fraction(256, 60_000)}
    assert isinstance(loss_of(term), Subsampled)


@pytest.mark.parametrize(
    ("text", "loss"),
    [
        ("gaussian(sigma=2)", Gdp("1/4")),
        ("gaussian(sigma=2, sensitivity=4)", Gdp(4)),
        ("laplace(scale=10)", LaplacePair(Fraction(1, 10))),
        ("approx(epsilon=0.1, delta=0.001)", Approx("0.1", "0.001")),
        ("zcdp(rho=1e-1, delta=1/1000)", Zcdp("0.1", "0.001")),
        ("gdp(mu=0.5)", Gdp("0.25")),
    ],
)
def test_each_family_stands_for_its_loss(text: str, loss: object) -> None:
    assert loss_of(parse(text)) == loss


@pytest.mark.parametrize("times", ["x 30", "x30", "× 30", "* 30", " x  3_0 ", "x 30 "])
def test_times_may_be_written_in_several_ways(times: str) -> None:
    assert parse(f"pure(epsilon=1) {times}").times == 30


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("gaussian(sgma=1)", "sgma"),
        ("gauss(sigma=1)", "gauss"),
        ("gaussian(1)", "1)"),
        ("gaussian(sigma=nan)", "nan"),
        ("gaussian(sigma=__import__('os').system('true'))", "__import__"),
        ("gaussian(sigma=1+1)", "1+1"),
        ("gaussian(sigma=-1)", "sigma"),
        ("gaussian(sigma=1, q=2)", "q="),
        ("laplace(scale=1, scale=2)", "scale=2"),
        ("gaussian(sigma=1) x 1.5", "1.5"),
        ("gaussian(sigma=1) x 0", "0"),
        ("  gaussian(sigma=1) x -3", "-3"),
        ("approx(epsilon=1)", "approx"),
        ("response(epsilon=1, options=2.5)", "options"),
        ("a.b(c=1)", "a.b"),
    ],
)
def test_the_mark_stands_under_what_is_wrong(text: str, marked: str) -> None:
    with pytest.raises(Refused) as caught:
        loss_of(parse(text))
    _, shown, mark, *_ = caught.value.asked.split("\n")
    assert shown[mark.index("^") :].startswith(marked)
    assert shown == f"  {text}"


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(Refused):
        loss_of(parse(text))


@given(st.sampled_from(sorted(FAMILIES)), st.lists(st.sampled_from(["nan", "inf", "-1", "1e999", "True", "''", "0"])))
def test_hostile_parameters_are_read_or_refused(name: str, values: list[str]) -> None:
    family = FAMILIES[name]
    names = (*family.required, *family.optional)
    said = ", ".join(f"{key}={value}" for key, value in zip(names, values, strict=False))
    with contextlib.suppress(Refused):
        loss_of(parse(f"{name}({said})"))
