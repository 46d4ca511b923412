"""Losses and exact fractions in the ledger's format: four tags, and fractions "n/d" in lowest terms.

For instance `{"zcdp": {"rho": "1/8", "delta": "0/1"}}`. Reading evaluates and imports nothing: the tag selects a class
from a fixed table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Loss
from tacit.loss.families.zcdp import Zcdp

_DIGITS = 4000  # digits; below Python's limit for conversions of integers and text
_GRAMMAR = re.compile(r"(0|[1-9][0-9]*)/([1-9][0-9]*)")


def fraction_to_text(number: Fraction) -> str:
    """The text of an amount, which is never negative; refused if it is too long to be kept."""
    bits = max(number.numerator.bit_length(), number.denominator.bit_length())
    if not (number >= 0 and bits <= 3 * _DIGITS):
        raise Refused(
            "an amount that cannot be kept exactly",
            f"It is negative, or longer than {_DIGITS} digits.",
            "an amount that is a fraction of fewer digits, rounded up.",
        )
    return f"{number.numerator}/{number.denominator}"


def fraction_from_text(text: object) -> Fraction:
    """The amount that the text spells; ValueError for a text of another form."""
    found = _GRAMMAR.fullmatch(text) if isinstance(text, str) and len(text) <= 2 * _DIGITS + 1 else None
    if found is None or not max(map(len, found.groups())) <= _DIGITS:
        raise ValueError("not a fraction")
    number = Fraction(int(found[1]), int(found[2]))
    if not number.denominator == int(found[2]):
        raise ValueError("not in lowest terms")
    return number


@frozen
class _Tag:
    family: type[Pure] | type[Approx] | type[Zcdp] | type[Gdp]
    fields: tuple[tuple[str, str], ...]  # the name in the text, the attribute; in the order of the constructor


_TAGS: Mapping[str, _Tag] = {
    "pure": _Tag(Pure, (("epsilon", "exact_epsilon"),)),
    "approx": _Tag(Approx, (("epsilon", "exact_epsilon"), ("delta", "exact_delta"))),
    "zcdp": _Tag(Zcdp, (("rho", "rho"), ("delta", "exact_delta"))),
    "gdp": _Tag(Gdp, (("mu_squared", "mu_squared"),)),
}


def loss_to_json(loss: Loss) -> dict[str, dict[str, str]]:
    """The loss with its tag; refused for a loss without a tag, or one that is proven for one relation only."""
    if loss.relations:
        raise Refused(
            "a loss with its own neighbour relation in the ledger",
            "The ledger keeps amounts; their relation is that of the account.",
            "its numbers alone, in an account whose unit names the relation.",
        )
    for name, tag in _TAGS.items():
        if type(loss) is tag.family:
            return {name: {field: fraction_to_text(getattr(loss, attribute)) for field, attribute in tag.fields}}
    raise Refused(
        f"a loss of type {type(loss).__name__} in the ledger",
        "The ledger keeps amounts that add up.",
        "a loss as Pure, Approx, Zcdp or Gdp.",
    )


def loss_from_json(value: object) -> Loss:
    """The loss that the object spells.

    ValueError for an unknown tag, a missing or an extra field, or a bad fraction.
    """
    if not (isinstance(value, dict) and len(value) == 1):
        raise ValueError("not a loss")
    ((name, fields),) = value.items()
    tag = _TAGS.get(name)
    if tag is None or not (isinstance(fields, dict) and set(fields) == {field for field, _ in tag.fields}):
        raise ValueError("not a loss that the ledger knows")
    return tag.family(*(fraction_from_text(fields[field]) for field, _ in tag.fields))
