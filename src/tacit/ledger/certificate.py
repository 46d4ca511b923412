"""The certificate of an answer: what was asked, what it cost, the claims it rests on, and the numbers shown.

`Grounds` are stored with the noisy numbers of a release: the part of a certificate that is not in the ledger.
`Presentation` is a signed line for each file of the answer and binds its octets. Files have no canonical form: CSV has
no types, and the compression of Parquet depends on the library. So the writer of a file signs its octets together with
the certificate of the answer.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final, NoReturn

from tacit.errors import Refused
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
        """The grounds as fields for JSON."""
        listed = {"mechanisms": [dict(each) for each in self.mechanisms], "claims": list(self.claims)}
        return {"plan": self.plan, "unit": self.unit, "price": self.price, **listed}

    @classmethod
    def from_fields(cls, stated: Mapping[str, Any]) -> Grounds:
        """The grounds read from JSON fields; other fields are ignored."""
        listed = tuple(stated["mechanisms"]), stated["price"], tuple(stated["claims"])
        return cls(stated["plan"], stated["unit"], *listed)


_PRESENTATION_PURPOSE: Final = b"tacit presentation\n"
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
        """The signed octets; `certificate` are the signed octets of the certificate."""
        return presented_bytes(self.format, self.digest, certificate)

    def fields(self) -> dict[str, str]:
        """The line as fields for JSON."""
        return {"format": self.format, "digest": self.digest, "signature": self.signature.hex()}

    @classmethod
    def from_fields(cls, stated: Mapping[str, Any]) -> Presentation:
        """The line read from JSON fields; ValueError for another form."""
        if stated.keys() != _FIELDS or not all(isinstance(value, str) for value in stated.values()):
            raise ValueError("not a presentation")
        return cls(stated["format"], stated["digest"], bytes.fromhex(stated["signature"]))


def presented_bytes(form: str, digest: str, certificate: bytes) -> bytes:
    """The octets to sign: their purpose, the format and digest of the file, and the digest of the certificate."""
    whole = {"certificate": hashlib.sha256(certificate).hexdigest(), "digest": digest, "format": form}
    return _PRESENTATION_PURPOSE + json.dumps(whole, sort_keys=True, separators=(",", ":")).encode("ascii")


_VERSION: Final = 2
_ENTRIES: Final = 2**63  # the largest entry number of a ledger
_PURPOSE: Final = b"tacit certificate\n"  # so that the signature is not valid for another purpose
_NUMBERS: Final = ("asked", "ledger", "shown", "stored")  # fields that version 1 did not have


@frozen
class Statement:
    """The certified statement. It has no field for a row count or a hash of data.

    About the release that was paid for: `query`, the digest of its `plan`, `mechanisms` and `loss` in plain JSON. About
    its place: the `ledger` by its first seal, `entry` and `chain`, the number of the charge and its hash, which seals
    every entry before it; the `time` of the charge; and `stored`, the hash of the noisy release as it is kept there.
    About the answer: the question `asked` of that release, and `shown`, the digest of the canonical answer.

    Version 1 had no `ledger`, `stored`, `asked` and `shown`, so it bound no numbers. Its time was that of signing.
    """

    query: str
    plan: str
    unit: str
    mechanisms: tuple[Mapping[str, Any], ...]
    loss: Mapping[str, Any]
    price: str
    entry: int
    chain: str
    claims: tuple[str, ...]
    time: str
    asked: str | None = None
    ledger: str | None = None
    shown: str | None = None
    stored: str | None = None
    version: int = _VERSION

    def __post_init__(self) -> None:
        texts = (self.query, self.plan, self.unit, self.price, self.chain, self.time, *_listed(self.claims))
        maps = (*_listed(self.mechanisms), self.loss)
        whole = (self.entry, self.version)
        numbers = [getattr(self, name) for name in _NUMBERS]
        if not (
            all(isinstance(text, str) for text in texts)
            and all(isinstance(entry, Mapping) for entry in maps)
            and all(isinstance(number, int) and not isinstance(number, bool) for number in whole)
            and 0 < self.entry < _ENTRIES
            and self.version in (1, _VERSION)
            and all(isinstance(text, str) if self.version == _VERSION else text is None for text in numbers)
        ):
            raise unreadable("a field is missing, of another type, or of another version")
        object.__setattr__(self, "mechanisms", tuple(_copy(entry) for entry in self.mechanisms))
        object.__setattr__(self, "loss", _copy(self.loss))
        object.__setattr__(self, "claims", tuple(self.claims))

    @property
    def binds_numbers(self) -> bool:
        """Whether it binds the numbers shown; version 1 does not."""
        return self.shown is not None

    def fields(self) -> dict[str, Any]:
        """The statement as fields for JSON."""
        stated = {field.name: getattr(self, field.name) for field in fields(self)}
        stated |= {"mechanisms": list(self.mechanisms), "claims": list(self.claims)}
        if self.version == 1:
            stated["issued"] = stated.pop("time")
            return {name: value for name, value in stated.items() if name not in _NUMBERS}
        return stated

    @classmethod
    def from_fields(cls, stated: Mapping[str, Any]) -> Statement:
        """The statement read from JSON fields."""
        said = dict(stated)
        if said.get("version") == 1:
            said["time"] = said.pop("issued")
        return cls(**said)


@frozen
class Certificate:
    """A statement, the public key of its signer, the signature over both, and a signed line for each file."""

    statement: Statement
    public_key: bytes
    signature: bytes
    presentations: tuple[Presentation, ...] = ()

    def __post_init__(self) -> None:
        if self.presentations and not self.statement.binds_numbers:
            raise unreadable("its version knows no tables")

    def signed_bytes(self) -> bytes:
        """The signed octets: the canonical spelling of statement and key."""
        return signed_bytes(self.statement, self.public_key)

    def to_json(self) -> str:
        """The certificate as JSON text: keys sorted, indented by two spaces, canonical."""
        whole: dict[str, Any] = {"statement": self.statement.fields()}
        whole |= {"public_key": self.public_key.hex(), "signature": self.signature.hex()}
        if self.statement.binds_numbers:
            whole["presentations"] = [each.fields() for each in self.presentations]
        return json.dumps(whole, sort_keys=True, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Certificate:
        """The certificate in a file; refused unless it is spelled exactly as `to_json` does."""
        try:
            whole = json.loads(text, parse_constant=_refuse_constant)
            statement = Statement.from_fields(whole.pop("statement"))
            key, signature = bytes.fromhex(whole.pop("public_key")), bytes.fromhex(whole.pop("signature"))
            lines = tuple(map(Presentation.from_fields, whole.get("presentations", ())))
            certificate = cls(statement, key, signature, lines)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            if isinstance(error, Refused):
                raise
            raise unreadable("it does not have the form of one") from None
        if not certificate.to_json().strip() == text.strip():
            raise unreadable("it is spelled in another way")
        return certificate


def signed_bytes(statement: Statement, public_key: bytes) -> bytes:
    """The bytes to sign: their purpose, then the canonical spelling of statement and key."""
    whole = {"statement": statement.fields(), "public_key": public_key.hex()}
    return _PURPOSE + json.dumps(whole, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def unreadable(why: str) -> Refused:
    """The refusal of a text that is not a certificate."""
    return Refused("this certificate", f"It cannot be read: {why}.", "a certificate as `to_json` writes it.")


def _listed(value: Any) -> tuple[Any, ...]:
    if not isinstance(value, (tuple, list)):
        raise unreadable("a list is missing")
    return tuple(value)


def _copy(value: Mapping[str, Any]) -> dict[str, Any]:
    try:
        copied: dict[str, Any] = json.loads(json.dumps(dict(value), allow_nan=False))
    except (TypeError, ValueError):
        raise unreadable("a mechanism or a loss is not plain JSON") from None
    return copied


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError("not a number")
