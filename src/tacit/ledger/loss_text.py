"""Losses as they are written down: four tags, exact fractions, and no other way to say it.

For instance `{"zcdp": {"rho": "1/8", "delta": "0/1"}}`. Reading never evaluates or imports: the tag picks a class from
a closed table.
"""

from __future__ import annotations

from collections.abc import Mapping

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.ledger.fraction_text import fraction_from_text, fraction_to_text
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Loss
from tacit.loss.families.zcdp import Zcdp


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
    """The loss by its tag; refused for a loss that has none, or that is proven for one relation only."""
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
    """The loss that was written down; ValueError for an unknown tag, a missing or an extra field, or a bad fraction."""
    if not (isinstance(value, dict) and len(value) == 1):
        raise ValueError("not a loss")
    ((name, fields),) = value.items()
    tag = _TAGS.get(name)
    if tag is None or not (isinstance(fields, dict) and set(fields) == {field for field, _ in tag.fields}):
        raise ValueError("not a loss that the ledger knows")
    return tag.family(*(fraction_from_text(fields[field]) for field, _ in tag.fields))
