"""The certificate of a release: what was asked, what it cost, and the claims it rests on; nothing about the data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, NoReturn

from tacit.errors import Refused
from tacit.frozen import frozen

_VERSION = 1
_PURPOSE = b"tacit certificate\n"  # so that a signature under it can never pass for one of something else


@frozen
class Statement:
    """What is certified. It has no row count and no hash of data; there is no field for either.

    `plan` is the digest of the plan. `mechanisms` are described in plain JSON, `loss` too. `entry` and `chain` are the
    position in the ledger: the number of the charge, and its hash, which seals every entry before it.
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
    issued: str
    version: int = _VERSION

    def __post_init__(self) -> None:
        texts = (self.query, self.plan, self.unit, self.price, self.chain, self.issued, *_listed(self.claims))
        maps = (*_listed(self.mechanisms), self.loss)
        numbers = (self.entry, self.version)
        if not (
            all(isinstance(text, str) for text in texts)
            and all(isinstance(entry, Mapping) for entry in maps)
            and all(isinstance(number, int) and not isinstance(number, bool) for number in numbers)
            and self.version == _VERSION
        ):
            raise _unreadable("a field is missing, of another type, or of another version")
        object.__setattr__(self, "mechanisms", tuple(_copy(entry) for entry in self.mechanisms))
        object.__setattr__(self, "loss", _copy(self.loss))
        object.__setattr__(self, "claims", tuple(self.claims))

    def fields(self) -> dict[str, Any]:
        """The statement as JSON knows it."""
        stated = {field.name: getattr(self, field.name) for field in fields(self)}
        return stated | {"mechanisms": list(self.mechanisms), "claims": list(self.claims)}


@frozen
class Certificate:
    """A statement, the public key of who makes it, and the signature over both."""

    statement: Statement
    public_key: bytes
    signature: bytes

    def signed_bytes(self) -> bytes:
        """What the signature is over: the one spelling of statement and key."""
        return signed_bytes(self.statement, self.public_key)

    def to_json(self) -> str:
        """The certificate as a file: keys sorted, two spaces, one spelling."""
        signer = {"public_key": self.public_key.hex(), "signature": self.signature.hex()}
        return json.dumps({"statement": self.statement.fields()} | signer, sort_keys=True, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Certificate:
        """The certificate in a file; refused unless it is spelled exactly as `to_json` does."""
        try:
            whole = json.loads(text, parse_constant=_refuse_constant)
            stated = dict(whole.pop("statement"))
            key, signature = bytes.fromhex(whole.pop("public_key")), bytes.fromhex(whole.pop("signature"))
            certificate = cls(Statement(**stated), key, signature)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            if isinstance(error, Refused):
                raise
            raise _unreadable("it does not have the form of one") from None
        if not certificate.to_json().strip() == text.strip():
            raise _unreadable("it is spelled in another way")
        return certificate


def signed_bytes(statement: Statement, public_key: bytes) -> bytes:
    """The bytes to sign: what they are for, then one spelling of statement and key."""
    whole = {"statement": statement.fields(), "public_key": public_key.hex()}
    return _PURPOSE + json.dumps(whole, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def _listed(value: Any) -> tuple[Any, ...]:
    if not isinstance(value, (tuple, list)):
        raise _unreadable("a list is missing")
    return tuple(value)


def _copy(value: Mapping[str, Any]) -> dict[str, Any]:
    try:
        copied: dict[str, Any] = json.loads(json.dumps(dict(value), allow_nan=False))
    except (TypeError, ValueError):
        raise _unreadable("a mechanism or a loss is not plain JSON") from None
    return copied


def _unreadable(why: str) -> Refused:
    return Refused("this certificate", f"It cannot be read: {why}.", "a certificate as `to_json` writes it.")


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError("not a number")
