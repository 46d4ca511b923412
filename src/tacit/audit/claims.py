"""What somebody says of their own mechanism, as words: `epsilon=1 delta=1e-5`, `rho=0.1`, `mu=0.5`."""

from __future__ import annotations

from tacit.errors import Refused
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Loss
from tacit.loss.families.zcdp import Zcdp

_ACCEPTED = '"epsilon=1", "epsilon=1 delta=1e-5", "rho=0.1" or "mu=0.5".'


def read_claim(words: str) -> Loss:
    """The loss that is claimed."""
    parts = [part.partition("=") for part in words.replace(",", " ").split()]
    given = {name.strip(): value.strip() for name, _, value in parts}
    if len(given) != len(parts) or not all(value for value in given.values()):
        raise Refused(f"a claim “{words[:60]}”", "It cannot be read.", _ACCEPTED)
    if set(given) == {"epsilon"}:
        return Pure(given["epsilon"])
    if set(given) == {"epsilon", "delta"}:
        return Approx(given["epsilon"], given["delta"])
    if set(given) == {"rho"}:
        return Zcdp(given["rho"])
    if set(given) == {"mu"}:
        return Gdp.from_mu(given["mu"])
    raise Refused(f"a claim “{words[:60]}”", "It names no loss.", _ACCEPTED)
