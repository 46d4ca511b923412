"""Expressions for releases, such as `gaussian(sigma=1.1, q=256/60000) x 14100`, and the loss of each.

The grammar is closed: a name, named numbers in brackets, and perhaps how many times. Python's own parser
reads the call; nothing is evaluated.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Mapping
from fractions import Fraction

from tacit.errors import Refused, pointing
from tacit.exact import exact, positive, probability, whole
from tacit.frozen import frozen
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Loss, Relation
from tacit.loss.families.zcdp import Zcdp
from tacit.loss.pairs.additive_noise import DiscreteGaussianPair, DiscreteLaplacePair, LaplacePair
from tacit.loss.pairs.finite_pair import FinitePair
from tacit.loss.pairs.response_pairs import kary_response
from tacit.loss.sampling.amplification import Sampling
from tacit.loss.sampling.subsampled import Base, Subsampled

_TIMES = re.compile(r"(?P<call>.*\))(?P<gap>\s*(?:[x×*]\s*)(?P<times>\S.*?)?)?\s*", re.DOTALL)
_FORM = "name(parameter=number, …) x times, as in gaussian(sigma=1.1, q=256/60000) x 14100."


@frozen
class Term:
    """One release as written: its family, its parameters exactly, how many times (None if not said), and the text."""

    family: str
    arguments: Mapping[str, Fraction]
    times: int | None
    text: str

    def refusal(self, name: str, why: str, accepted: str) -> Refused:
        """A refusal that points at a parameter, or at the family where there is no such parameter."""
        found = re.search(rf"\b{re.escape(name)}\s*=", self.text)
        return pointing(self.text, found.start() if found else self.text.find(self.family), why, accepted)


def parse(text: str) -> Term:
    """Read one release; what cannot be read is refused with a mark under the character."""
    found = _TIMES.fullmatch(text)
    if found is None:
        raise pointing(text, len(text.rstrip()), "A release is a name with brackets.", _FORM)
    call = found["call"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        try:
            node = ast.parse(call.lstrip(), mode="eval").body
        except (SyntaxError, ValueError) as error:
            column = (getattr(error, "offset", None) or 1) - 1
            raise pointing(text, _shift(call) + column, "This cannot be read.", _FORM) from None
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        raise pointing(text, _shift(call), "A release is a name with brackets.", _FORM)
    if node.args:
        raise pointing(text, _shift(call) + node.args[0].col_offset, "This number has no name.", _FORM)
    arguments: dict[str, Fraction] = {}
    for keyword in node.keywords:
        place = _shift(call) + keyword.col_offset
        if keyword.arg is None or keyword.arg in arguments:
            raise pointing(text, place, "Each parameter has a name and comes once.", _FORM)
        arguments[keyword.arg] = _number(text, call, keyword.value, keyword.arg)
    return Term(node.func.id, arguments, _times(text, found), text)


def _shift(call: str) -> int:
    return len(call) - len(call.lstrip())


def _number(text: str, call: str, node: ast.expr, name: str) -> Fraction:
    written = ast.get_source_segment(call.lstrip(), node) or ""
    try:
        return exact(re.sub(r"[\s_]", "", written), name)
    except Refused as refused:
        raise pointing(text, _shift(call) + node.col_offset, refused.why, f"{name} = {refused.accepted}") from None


def _times(text: str, found: re.Match[str]) -> int | None:
    if found["gap"] is None:
        return None
    written = re.sub(r"[,_\s]", "", found["times"] or "")
    try:
        return whole(int(written), "times", least=1)
    except (ValueError, Refused):
        place = found.start("times") if found["times"] else len(text)
        raise pointing(text, place, "How many times is a whole number.", "x 1 or more, as in x 1000.") from None


_ONE = Fraction(1)


@frozen
class ReleaseFamily:
    """A kind of release: its required and optional parameters, and its loss."""

    required: tuple[str, ...]
    optional: Mapping[str, Fraction]
    loss: Callable[..., Loss]

    def form(self, name: str) -> str:
        """How a release of this kind is written."""
        said = [*self.required, *(f"{key}={value}" for key, value in self.optional.items())]
        return f"{name}({', '.join(said)})"


def _gaussian(sigma: Fraction, sensitivity: Fraction) -> Gdp:
    return Gdp((positive(sensitivity, "sensitivity") / positive(sigma, "sigma")) ** 2)


def _laplace(scale: Fraction, sensitivity: Fraction) -> LaplacePair:
    return LaplacePair(positive(sensitivity, "sensitivity") / positive(scale, "scale"))


def _discrete_laplace(scale: Fraction, sensitivity: Fraction) -> DiscreteLaplacePair:
    return DiscreteLaplacePair(1 / positive(scale, "scale"), _whole(sensitivity, "sensitivity"))


def _discrete_gaussian(sigma: Fraction, sensitivity: Fraction) -> DiscreteGaussianPair:
    return DiscreteGaussianPair(positive(sigma, "sigma") ** 2, _whole(sensitivity, "sensitivity"))


def _response(epsilon: Fraction, options: Fraction) -> FinitePair:
    return kary_response(epsilon, _whole(options, "options"))


def _whole(value: Fraction, name: str) -> int:
    if not (value.denominator == 1 and value >= 1):
        raise Refused(f"{name} = {value}", "It is not a whole number.", f"{name} of 1, 2, 3, …")
    return int(value)


def _sampled(family: Callable[..., Base]) -> Callable[..., Loss]:
    """The same release on a Poisson sample of rate q, under add/remove."""

    def build(q: Fraction, **others: Fraction) -> Loss:
        base, rate = family(**others), probability(q, "q")
        return base if rate == 1 else Subsampled(base, rate, Sampling.POISSON, Relation.ADD_REMOVE)

    return build


FAMILIES: Mapping[str, ReleaseFamily] = {
    "gaussian": ReleaseFamily(("sigma",), {"sensitivity": _ONE, "q": _ONE}, _sampled(_gaussian)),
    "laplace": ReleaseFamily(("scale",), {"sensitivity": _ONE, "q": _ONE}, _sampled(_laplace)),
    "discrete_laplace": ReleaseFamily(("scale",), {"sensitivity": _ONE, "q": _ONE}, _sampled(_discrete_laplace)),
    "discrete_gaussian": ReleaseFamily(("sigma",), {"sensitivity": _ONE, "q": _ONE}, _sampled(_discrete_gaussian)),
    "response": ReleaseFamily(("epsilon",), {"options": Fraction(2), "q": _ONE}, _sampled(_response)),
    "pure": ReleaseFamily(("epsilon",), {"q": _ONE}, _sampled(Pure)),
    "approx": ReleaseFamily(("epsilon", "delta"), {"q": _ONE}, _sampled(Approx)),
    "zcdp": ReleaseFamily(("rho",), {"delta": Fraction(0)}, Zcdp),
    "gdp": ReleaseFamily(("mu",), {}, lambda mu: Gdp.from_mu(mu)),
}


def family_of(term: Term) -> ReleaseFamily:
    """The family that a term names, its parameters known; refused with a mark otherwise."""
    family = FAMILIES.get(term.family)
    if family is None:
        raise term.refusal(term.family, f"There is no release called {term.family}.", ", ".join(FAMILIES) + ".")
    for name in term.arguments:
        if name not in family.required and name not in family.optional:
            raise term.refusal(name, f"{term.family} has no parameter {name}.", family.form(term.family) + ".")
    return family


def loss_of(term: Term, **chosen: Fraction) -> Loss:
    """The loss of one release as written, with parameters that are still open chosen."""
    family = family_of(term)
    given = {**family.optional, **term.arguments, **chosen}
    missing = [name for name in family.required if name not in given]
    if missing:
        why = f"{term.family} needs {' and '.join(missing)}."
        raise term.refusal(term.family, why, family.form(term.family) + ".")
    try:
        return family.loss(**given)
    except Refused as refused:
        raise term.refusal(refused.asked.split()[0], refused.why, refused.accepted) from None
