"""The releases that an expression can name, and the loss that each stands for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from tacit.errors import Refused
from tacit.exact import positive, probability
from tacit.frozen import frozen
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.zcdp import Zcdp
from tacit.loss.loss import Loss
from tacit.loss.pairs.discrete_gaussian_pair import DiscreteGaussianPair
from tacit.loss.pairs.discrete_laplace_pair import DiscreteLaplacePair
from tacit.loss.pairs.finite_pair import FinitePair
from tacit.loss.pairs.laplace_pair import LaplacePair
from tacit.loss.pairs.response import kary_response
from tacit.loss.plans.expression import Term
from tacit.loss.relation import Relation
from tacit.loss.sampling.sampling import Sampling
from tacit.loss.sampling.subsampled import Base, Subsampled

_ONE = Fraction(1)


@frozen
class Family:
    """A kind of release: what must be said of it, what may be, and its loss."""

    required: tuple[str, ...]
    optional: Mapping[str, Fraction]
    loss: Callable[..., Loss]

    def form(self, name: str) -> str:
        """How it is written."""
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
    """The same on a Poisson sample of rate q, under add/remove."""

    def build(q: Fraction, **others: Fraction) -> Loss:
        base, rate = family(**others), probability(q, "q")
        return base if rate == 1 else Subsampled(base, rate, Sampling.POISSON, Relation.ADD_REMOVE)

    return build


FAMILIES: Mapping[str, Family] = {
    "gaussian": Family(("sigma",), {"sensitivity": _ONE, "q": _ONE}, _sampled(_gaussian)),
    "laplace": Family(("scale",), {"sensitivity": _ONE, "q": _ONE}, _sampled(_laplace)),
    "discrete_laplace": Family(("scale",), {"sensitivity": _ONE, "q": _ONE}, _sampled(_discrete_laplace)),
    "discrete_gaussian": Family(("sigma",), {"sensitivity": _ONE, "q": _ONE}, _sampled(_discrete_gaussian)),
    "response": Family(("epsilon",), {"options": Fraction(2), "q": _ONE}, _sampled(_response)),
    "pure": Family(("epsilon",), {"q": _ONE}, _sampled(Pure)),
    "approx": Family(("epsilon", "delta"), {"q": _ONE}, _sampled(Approx)),
    "zcdp": Family(("rho",), {"delta": Fraction(0)}, Zcdp),
    "gdp": Family(("mu",), {}, lambda mu: Gdp.from_mu(mu)),
}


def family_of(term: Term) -> Family:
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
