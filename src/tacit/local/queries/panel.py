"""The people behind local statistical queries: each answers when asked, from a device of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

from tacit.errors import Refused
from tacit.local.means.response import MeanResponse
from tacit.local.queries.oracle import Query
from tacit.noise.bits import Integers, Rehearsal

Device: TypeAlias = Callable[[Query, MeanResponse], int]


class Panel(Protocol):
    """So many people, each of whom reports on a query by a response."""

    @property
    def people(self) -> int: ...

    def reports(self, places: range, query: Query, response: MeanResponse) -> Integers: ...


class Devices:
    """People by their devices: each evaluates the query on its own value and sends the report, nothing else."""

    def __init__(self, devices: Sequence[Device]) -> None:
        self._devices = devices

    @property
    def people(self) -> int:
        return len(self._devices)

    def reports(self, places: range, query: Query, response: MeanResponse) -> Integers:
        return np.array([self._devices[place](query, response) for place in places], np.int64)


class Rehearsed:
    """People by their values, on seeded bits, for tests and simulations: not private. Queries take whole arrays."""

    def __init__(self, values: Any, bits: Rehearsal) -> None:
        if not isinstance(bits, Rehearsal):
            raise Refused(
                f"a rehearsal on {type(bits).__name__}",
                "A rehearsal is repeatable and must not look like a release.",
                "a Rehearsal source such as Seeded(1); or `Devices`.",
            )
        self._values = np.asarray(values)
        self._bits = bits

    @property
    def people(self) -> int:
        return len(self._values)

    def reports(self, places: range, query: Query, response: MeanResponse) -> Integers:
        found = np.broadcast_to(query(self._values[places.start : places.stop]), len(places))
        return response.rehearse(found, self._bits)


def device(value: Any) -> Device:
    """The device of a person with this value."""
    return lambda query, response: response.report(query(value))
