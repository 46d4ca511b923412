"""Models as files: JSON, with the certificate that binds them. A file is data; nothing in it is ever run.

Claim: a model that is read is the one that was released, if its key is the steward's. Proof: the certificate signs the
digest of all fields of the model, and reading compares it with the digest of what was read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tacit.curator.model_kinds import read_fields
from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.learn.model_kind import ModelData
from tacit.ledger.certificate import Certificate
from tacit.ledger.signature import Verdict, verify

_MARK: Final = "model"
_ACCEPTED: Final = "a file that `tacit learn fit` wrote."


@frozen(eq=False)
class SignedModel:
    """A model and its certificate, as they stand in a file."""

    model: ModelData
    certificate: Certificate

    @property
    def verdict(self) -> Verdict:
        """Whether the certificate is of this model."""
        if self.certificate.statement.shown == self.model.digest:
            return Verdict(True, "The model is the one that was released, number by number.")
        return Verdict(False, "Not what was released: something in the model was changed.")

    @classmethod
    def parsed(cls, octets: bytes) -> SignedModel | None:
        """The model in a file, whether or not the certificate is of it; None for other files."""
        try:
            whole = json.loads(octets)
        except (ValueError, RecursionError):
            return None
        if not (isinstance(whole, Mapping) and whole.get("tacit") == _MARK and "model" in whole):
            return None
        spelled = json.dumps(whole.get("certificate"), sort_keys=True, indent=2)
        return cls(read_fields(whole["model"]), Certificate.from_json(spelled))

    def text(self, notes: str, cost: str) -> str:
        """The file."""
        whole: dict[str, Any] = {"tacit": _MARK, "model": self.model.fields(), "notes": notes, "price": cost}
        whole["certificate"] = json.loads(self.certificate.to_json())
        return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def read_signed_model(place: str | Path) -> SignedModel:
    """The model in a file, of whatever kind; refused where it is none, or is not what was signed."""
    try:
        found = SignedModel.parsed(Path(place).read_bytes())
    except OSError:
        found = None
    if found is None:
        raise Refused(f"the model in {place}", "It cannot be read.", _ACCEPTED)
    for verdict in (verify(found.certificate), found.verdict):
        if not verdict.holds:
            raise Refused(f"the model in {place}", verdict.sentence, _ACCEPTED)
    return found
