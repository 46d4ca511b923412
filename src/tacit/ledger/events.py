"""The events of the ledger: an account opened or joined, a charge, its course, a failure or a release."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from typing import Any, ClassVar, TypeAlias

from tacit.frozen import frozen
from tacit.ledger.loss_text import fraction_from_text, fraction_to_text, loss_from_json, loss_to_json
from tacit.loss.families.loss import Loss


@frozen
class AccountOpened:
    """An account was opened: its unit, its budget and the first sources it owns."""

    kind: ClassVar[str] = "open"
    time: str
    unit: str
    budget: Loss
    sources: tuple[str, ...]

    def fields(self) -> dict[str, Any]:
        return {"time": self.time, "unit": self.unit, "budget": loss_to_json(self.budget), "sources": [*self.sources]}


@frozen
class SourceJoined:
    """Sources were added to an account: a description names them together with one that it owns."""

    kind: ClassVar[str] = "join"
    time: str
    sources: tuple[str, ...]

    def fields(self) -> dict[str, Any]:
        return {"time": self.time, "sources": [*self.sources]}


@frozen
class Charged:
    """A release was paid for: by whom, for what, and its loss in the account's currency."""

    kind: ClassVar[str] = "charge"
    time: str
    analyst: str
    words: str
    note: str
    digest: str
    accuracy: Fraction
    loss: Loss

    def fields(self) -> dict[str, Any]:
        return {
            "time": self.time,
            "analyst": self.analyst,
            "words": self.words,
            "note": self.note,
            "digest": self.digest,
            "accuracy": fraction_to_text(self.accuracy),
            "loss": loss_to_json(self.loss),
        }


@frozen
class Settled:
    """The release of a charge was stored.

    The time is not recorded, because the duration of a run may depend on the data.
    """

    kind: ClassVar[str] = "store"
    charge: int
    digest: str
    accuracy: Fraction
    payload: str  # the hash of the stored bytes

    def fields(self) -> dict[str, Any]:
        accuracy = fraction_to_text(self.accuracy)
        return {"charge": self.charge, "digest": self.digest, "accuracy": accuracy, "payload": self.payload}


@frozen
class NoiseDraw:
    """Noise is about to be drawn for a stage of a charge: the stage never runs again. Durable before the first draw."""

    kind: ClassVar[str] = "draw"
    of: int  # the charge
    digest: str  # of the charge; all of its entries are found by it
    stage: int

    def fields(self) -> dict[str, Any]:
        return {"of": self.of, "digest": self.digest, "stage": self.stage}


@frozen
class Staged:
    """A stage of a charge was stored: the next may build on it. The time is not recorded, as for a release."""

    kind: ClassVar[str] = "stage"
    of: int
    digest: str
    stage: int
    payload: str  # the hash of the stored bytes

    def fields(self) -> dict[str, Any]:
        return {"of": self.of, "digest": self.digest, "stage": self.stage, "payload": self.payload}


@frozen
class Again:
    """The process that ran a charge died between stages, with all drawn noise stored; the charge runs once more."""

    kind: ClassVar[str] = "again"
    of: int
    digest: str

    def fields(self) -> dict[str, Any]:
        return {"of": self.of, "digest": self.digest}


@frozen
class Failure:
    """A charge failed, and that is its answer.

    Neither time nor cause is recorded, because both may depend on the data.
    """

    kind: ClassVar[str] = "fail"
    of: int
    digest: str

    def fields(self) -> dict[str, Any]:
        return {"of": self.of, "digest": self.digest}


@frozen
class Reopened:
    """The steward lets a charge run again that ended with all drawn noise stored."""

    kind: ClassVar[str] = "reopen"
    time: str
    of: int
    digest: str

    def fields(self) -> dict[str, Any]:
        return {"time": self.time, "of": self.of, "digest": self.digest}


@frozen
class Cleared:
    """The steward has seen all failures so far: the breaker counts from here, and runs that were open still count."""

    kind: ClassVar[str] = "clear"
    time: str
    running: tuple[int, ...] = ()  # charges; left out where there were none, as in earlier ledgers

    def fields(self) -> dict[str, Any]:
        return {"time": self.time} | ({"running": [*self.running]} if self.running else {})


Event: TypeAlias = (
    AccountOpened | SourceJoined | Charged | Settled | NoiseDraw | Staged | Again | Failure | Reopened | Cleared
)

_EVENTS = (AccountOpened, SourceJoined, Charged, Settled, NoiseDraw, Staged, Again, Failure, Reopened, Cleared)
_FIELDS = {event.kind: {field.name for field in fields(event)} for event in _EVENTS}


def event_from(kind: object, stated: dict[str, Any]) -> Event:
    """The event that was written down; ValueError for an unknown kind, a missing or extra field, or a bad value."""
    if kind == Cleared.kind:
        stated = {"running": []} | stated
    if not (isinstance(kind, str) and stated.keys() == _FIELDS.get(kind)):
        raise ValueError("not an event that the ledger knows")
    if kind == AccountOpened.kind:
        budget = loss_from_json(stated["budget"])
        return AccountOpened(_text(stated["time"]), _text(stated["unit"]), budget, _texts(stated["sources"]))
    if kind == SourceJoined.kind:
        return SourceJoined(_text(stated["time"]), _texts(stated["sources"]))
    if kind == Charged.kind:
        time, analyst, words, note, digest = (_text(stated[x]) for x in ("time", "analyst", "words", "note", "digest"))
        accuracy = fraction_from_text(stated["accuracy"])
        return Charged(time, analyst, words, note, digest, accuracy, loss_from_json(stated["loss"]))
    if kind == Settled.kind:
        accuracy = fraction_from_text(stated["accuracy"])
        return Settled(_number(stated["charge"]), _text(stated["digest"]), accuracy, _text(stated["payload"]))
    if kind == Cleared.kind:
        return Cleared(_text(stated["time"]), _numbers(stated["running"]))
    of, digest = _number(stated["of"]), _text(stated["digest"])
    if kind == NoiseDraw.kind:
        return NoiseDraw(of, digest, _number(stated["stage"]))
    if kind == Staged.kind:
        return Staged(of, digest, _number(stated["stage"]), _text(stated["payload"]))
    if kind == Reopened.kind:
        return Reopened(_text(stated["time"]), of, digest)
    return Again(of, digest) if kind == Again.kind else Failure(of, digest)


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list):
        raise ValueError("not a list of texts")
    return tuple(_text(value) for value in values)


def _numbers(values: Any) -> tuple[int, ...]:
    if not isinstance(values, list):
        raise ValueError("not a list of numbers")
    return tuple(_number(value) for value in values)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("not text")
    return value


def _number(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError("not a number")
    return value
