"""A desk: it answers questions about one data set under one budget; Tacit's own, or another.

Tacit's desk is a data set opened through `tacit.open`, with a temporary ledger of its own.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from statistics import NormalDist
from tempfile import TemporaryDirectory

from tacit.curator.dataset import Dataset, open_dataset
from tacit.errors import Failed, Refused
from tacit.frozen import frozen
from tacit.loss.families.zcdp import Zcdp
from tacit.release.release import Release


@frozen
class NoisyNumber:
    """One number of an answer, with the standard deviation that is stated for its noise."""

    value: float
    deviation: float


@frozen
class Reply:
    """The reply to a question: an answer with its price, a refusal, or a failure after the charge."""

    cells: tuple[NoisyNumber, ...] = ()
    share: Fraction = Fraction(0)
    """The stated cost of this reply as a part of the budget."""
    rho: float = 0.0
    """The same as ρ, in an account of zCDP; 0 in others."""
    is_refused: bool = False
    is_failed: bool = False


class Desk(ABC):
    """The protocol of a desk: questions, replies, and public books."""

    @abstractmethod
    def ask(self, analyst: str, sql: str, epsilon: Fraction, *, fresh: bool = False, cancel: bool = False) -> Reply:
        """The reply to one question; with `cancel` the run is interrupted after it was charged."""

    @abstractmethod
    def used(self) -> Fraction:
        """The part of the budget that is used, according to the books."""

    @abstractmethod
    def used_by(self, analyst: str) -> Fraction:
        """The part that one analyst used."""

    @abstractmethod
    def limits(self) -> dict[str, Fraction]:
        """The analysts, and which part of the budget each may use."""


_CONFIDENCE = "0.95"
_REACH = NormalDist().inv_cdf(0.975)


class _Cancelled(Exception):  # noqa: N818  (it is raised on purpose)
    """The interruption."""


class TacitDesk(Desk):
    """The data set, opened once for each analyst; all of them share the ledger."""

    def __init__(self, description: Path, ledger: Path) -> None:
        self._cancel = False
        with open_dataset(description, ledger=ledger) as opened:
            named = dict(opened._opened.description.analysts)
            steward = opened._opened.description.steward
        self._limits = {**named} or {steward: Fraction(1)}
        self._data: dict[str, Dataset] = {}
        for analyst in self._limits:
            self._data[analyst] = open_dataset(description, ledger=ledger, analyst=analyst, watcher=self._watch)

    def _watch(self, *_: object) -> None:
        if self._cancel:
            raise _Cancelled

    def ask(self, analyst: str, sql: str, epsilon: Fraction, *, fresh: bool = False, cancel: bool = False) -> Reply:
        data, before = self._data[analyst], self.used()
        self._cancel = cancel
        try:
            released = data.query(sql, epsilon=epsilon, fresh=fresh, confidence=_CONFIDENCE)
        except Refused:
            return Reply(is_refused=True)
        except Failed:
            return Reply(share=self.used() - before, is_failed=True)
        finally:
            self._cancel = False
        share = Fraction(0) if released.price.free else released.price.share
        entries = data.budget().entries
        loss = entries[-1].loss if share else None
        rho = float(loss.rho) if isinstance(loss, Zcdp) and not loss.exact_delta else 0.0
        return Reply(_cells(released), share, rho)

    def used(self) -> Fraction:
        return next(iter(self._data.values())).budget().used

    def used_by(self, analyst: str) -> Fraction:
        return self._data[analyst].budget().used_by(analyst)

    def limits(self) -> dict[str, Fraction]:
        return self._limits

    def close(self) -> None:
        for data in self._data.values():
            data.close()


def _cells(released: Release) -> tuple[NoisyNumber, ...]:
    """Every number with an interval, in the table's order; of two kinds, the interval of the noise alone."""
    table = released.table
    found = []
    for name in table.column_names:
        if f"{name}_low" not in table.column_names or f"{name}_bounded" in table.column_names:
            continue
        low, high = (table.column(f"{name}_{end}").to_pylist() for end in ("low", "high"))
        for value, least, most in zip(table.column(name).to_pylist(), low, high, strict=True):
            if value is not None and least is not None and most is not None:
                found.append(NoisyNumber(float(value), (float(most) - float(least)) / 2 / _REACH))
    return tuple(found)


@contextmanager
def apart(description: Path) -> Iterator[TacitDesk]:
    """A desk on these data with ledger, witness and keys in a temporary folder; no real budget is used.

    Its answers are not paid for, so only the steward may see them.
    """
    with TemporaryDirectory() as folder:
        kept = {name: os.environ.get(name) for name in ("TACIT_HOME", "TACIT_WITNESS")}
        os.environ.update(TACIT_HOME=f"{folder}/home", TACIT_WITNESS=f"{folder}/elsewhere/witness")
        desk = None
        try:
            desk = TacitDesk(description, Path(folder) / "ledger.sqlite")
            yield desk
        finally:
            if desk is not None:
                desk.close()
            for name, value in kept.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value
