"""A link of the chain: one entry as canonical JSON, which names the hash of the entry before it, and its own hash.

Canonical JSON has one spelling for each value, so a hash of the text identifies the value.
"""

from __future__ import annotations

import hashlib
import json
from functools import cached_property
from typing import Any, Final, NoReturn

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.ledger.events import Charged, Event, Settled, event_from


def write_canonical(value: object) -> str:
    """Canonical JSON: sorted keys, no spaces, ASCII, no NaN and no infinities."""
    return _WRITER.encode(value)


def read_canonical(text: str) -> dict[str, Any]:
    """The object that the text spells; ValueError for floats, and for anything but an object."""
    value = _READER.decode(text)
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def _refuse_number(text: str) -> NoReturn:
    raise ValueError("amounts are exact fractions")


_WRITER: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
_READER: Final = json.JSONDecoder(parse_float=_refuse_number, parse_constant=_refuse_number)


_PLACE = ("number", "previous", "account", "kind")


@frozen
class Head:
    """The head of the chain: the number of entries, and the hash of the last."""

    entries: int
    hash: str


@frozen
class Link:
    """An entry in its place. Its text holds number, account, kind, the previous hash and what it records."""

    number: int
    previous: str
    account: int
    event: Event
    body: str
    hash: str

    @classmethod
    def make(cls, head: Head, account: int | None, event: Event) -> Link:
        """The next entry after this head; without an account, the entry opens an account with its own number."""
        number = head.entries + 1
        owner = number if account is None else account
        place = {"number": number, "previous": head.hash, "account": owner, "kind": event.kind}
        body = write_canonical(place | event.fields())
        return cls(number, head.hash, owner, event, body, _hash(body))

    @classmethod
    def read(cls, number: int, body: str, stated: str) -> Link:
        """The entry as stored; refused unless its hash matches and it spells an event in its place."""
        if not _hash(body) == stated:
            raise damaged(number, "It is not what its hash says.")
        try:
            fields = read_canonical(body)
            place = [fields.pop(name) for name in _PLACE]
            event = event_from(place[3], fields)
        except (ValueError, KeyError):
            raise damaged(number, "It does not spell an entry.") from None
        if not (place[0] == number and isinstance(place[1], str) and isinstance(place[2], int)):
            raise damaged(number, "It is not in its place.")
        return cls(number, place[1], place[2], event, body, stated)

    @cached_property
    def charged(self) -> Charged:
        """The charge that it records; refused if it records something else."""
        if not isinstance(self.event, Charged):
            raise damaged(self.number, "It is no charge.")
        return self.event

    @cached_property
    def settled(self) -> Settled:
        """The stored release that it records; refused if it records something else."""
        if not isinstance(self.event, Settled):
            raise damaged(self.number, "It is no stored release.")
        return self.event


def genesis(identity: str) -> Head:
    """The head of a ledger without entries: the hash of its own random name, so that no two ledgers share a chain."""
    return Head(0, _hash(f"tacit ledger {identity}"))


def damaged(number: int, why: str) -> Refused:
    """The refusal of a ledger with a changed entry."""
    return Refused(
        f"entry {number} of the ledger",
        f"{why} The ledger was edited or damaged, and nothing in it can be relied on.",
        "the ledger as it was: put the undamaged one back; `tacit verify --ledger …` names the first bad entry.",
    )


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
