"""A signed line of a certificate for each way in which its answer was written: this file, octet by octet, is it.

A file has no canonical form of its own: CSV says no types, and Parquet is compressed as its library likes. So who
writes one signs its octets, together with the certificate that says what they show.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from tacit.frozen import frozen

_PURPOSE: Final = b"tacit presentation\n"
_FIELDS: Final = {"format", "digest", "signature"}


@frozen
class Presentation:
    """The format of a file, the SHA-256 of its octets, and the signature over both and the certificate."""

    format: str
    digest: str
    signature: bytes

    def shows(self, octets: bytes) -> bool:
        """Whether these are the octets of the file."""
        return hashlib.sha256(octets).hexdigest() == self.digest

    def signed_bytes(self, certificate: bytes) -> bytes:
        """What the signature is over; `certificate` are the signed octets of the certificate."""
        return presented_bytes(self.format, self.digest, certificate)

    def fields(self) -> dict[str, str]:
        """The line as JSON knows it."""
        return {"format": self.format, "digest": self.digest, "signature": self.signature.hex()}

    @classmethod
    def from_fields(cls, stated: Mapping[str, Any]) -> Presentation:
        """The line that JSON says; ValueError for another form."""
        if stated.keys() != _FIELDS or not all(isinstance(value, str) for value in stated.values()):
            raise ValueError("not a presentation")
        return cls(stated["format"], stated["digest"], bytes.fromhex(stated["signature"]))


def presented_bytes(form: str, digest: str, certificate: bytes) -> bytes:
    """The octets to sign: what they are for, then format and digest of the file, and the certificate's own digest."""
    whole = {"certificate": hashlib.sha256(certificate).hexdigest(), "digest": digest, "format": form}
    return _PURPOSE + json.dumps(whole, sort_keys=True, separators=(",", ":")).encode("ascii")
