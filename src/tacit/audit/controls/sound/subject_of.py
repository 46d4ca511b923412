"""A mechanism of Tacit as a subject: what it claims, how it releases, and what it says of its inside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from tacit.audit import subject as audited
from tacit.audit.subject import Data, Outputs, Subject
from tacit.mechanisms.additive.additive_mechanism import Additive
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.mechanism import Mechanism
from tacit.mechanisms.response.randomized_response import Response
from tacit.mechanisms.statistics.counts import Tally
from tacit.noise.bits import Bits

Pairs = Sequence[tuple[Data, Data]]


def of_mechanism(
    name: str,
    mechanism: Mechanism[Any, Any],
    pairs: Pairs,
    *,
    query: Callable[[Data], Any] = lambda data: data,
    universe: Sequence[Any] = (),
    inside: audited.Additive | None = None,
) -> Subject:
    """The mechanism behind a query that is computed from the data first."""

    def release(data: Data, bits: Bits) -> Any:
        return mechanism.privatize(query(data), bits)

    relation = mechanism.relation
    return Subject(name, mechanism.loss, relation, release, pairs, None, inside, universe)


def of_additive(
    name: str, mechanism: Additive, pairs: Pairs, query: Callable[[Data], Any], universe: Sequence[Any] = ()
) -> Subject:
    """Noise on whole numbers: the inside is known, and many releases are made at once."""

    def statistic(data: Data) -> list[int]:
        return [int(part) for part in np.atleast_1d(query(data))]

    def many(data: Data, count: int, bits: Bits) -> Outputs:
        base = np.array(statistic(data), np.int64)
        rows = np.broadcast_to(base, (count, base.size))
        noisy: Outputs = np.asarray(mechanism.law.add(rows.ravel(), bits)).reshape(rows.shape)
        return noisy if np.ndim(query(data)) else noisy[:, 0]

    norm: audited.Norm = "l1" if isinstance(mechanism, Laplace) else "l2"
    inside = audited.Additive(statistic, mechanism.sensitivity, norm, mechanism.law, mechanism.law.draw)
    plain = of_mechanism(name, mechanism, pairs, query=query, universe=universe, inside=inside)
    return Subject(name, plain.claim, plain.relation, plain.release, pairs, many, inside, universe)


def of_tally(name: str, mechanism: Tally, pairs: Pairs, universe: Sequence[Any] = ()) -> Subject:
    """Whole numbers counted over records, and noise on all of them."""
    noise = mechanism.noise
    norm: audited.Norm = "l1" if isinstance(noise, Laplace) else "l2"
    inside = audited.Additive(mechanism.tally, Fraction(noise.sensitivity), norm, noise.law, noise.law.draw)
    return of_mechanism(name, mechanism, pairs, universe=universe, inside=inside)


def of_response(name: str, mechanism: Response, one: int, other: int) -> Subject:
    """One respondent's answer."""

    def many(data: Data, count: int, bits: Bits) -> Outputs:
        return mechanism.randomize(np.full(count, data, np.int64), bits)

    plain = of_mechanism(name, mechanism, ((one, other),))
    return Subject(name, plain.claim, plain.relation, plain.release, plain.pairs, many)
