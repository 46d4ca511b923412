"""What a release rests on, kept with its noisy numbers: the part of a certificate that the ledger does not say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.frozen import frozen


@frozen
class Grounds:
    """The digest of the plan, whom it hides, its mechanisms in plain JSON, its price in words, and its claims."""

    plan: str
    unit: str
    mechanisms: tuple[Mapping[str, Any], ...]
    price: str
    claims: tuple[str, ...]

    def fields(self) -> dict[str, Any]:
        """The grounds as JSON knows them."""
        listed = {"mechanisms": [dict(each) for each in self.mechanisms], "claims": list(self.claims)}
        return {"plan": self.plan, "unit": self.unit, "price": self.price, **listed}

    @classmethod
    def from_fields(cls, stated: Mapping[str, Any]) -> Grounds:
        """The grounds that JSON says, among other things perhaps: those of a certificate too."""
        listed = tuple(stated["mechanisms"]), stated["price"], tuple(stated["claims"])
        return cls(stated["plan"], stated["unit"], *listed)
