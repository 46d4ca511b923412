"""How much is recovered: against the noise and the number of answers, and with the ledger on and off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import ArrayLike

from tacit.audit.reconstruction.answers import AnswerFunction, Counts, laplace_noise, secret_bits
from tacit.audit.reconstruction.reconstruction import reconstruct
from tacit.audit.reconstruction.subsets import Subsets
from tacit.audit.reconstruction.tacit_counts import TacitCounts, open_people
from tacit.exact import Number, positive
from tacit.frozen import frozen


@frozen
class Recovery:
    """The shares recovered along one axis, under one name."""

    name: str
    places: tuple[float, ...]
    shares: tuple[float, ...]


def study_noise(
    secrets: ArrayLike,
    factors: Sequence[int] = (1, 2, 4, 8),
    deviations: Sequence[float] = (0.0625, 0.125, 0.25, 0.5, 1, 2, 4, 8),
    method: str = "l1 program",
    seed: int = 0,
) -> tuple[Recovery, ...]:
    """For each number of answers a person: the share recovered at each deviation of Laplace noise, in units of √n."""
    bits = secret_bits(secrets)

    def at(factor: int, deviation: float) -> float:
        noise = laplace_noise(deviation * float(np.sqrt(bits.size)), seed)
        subsets = Subsets.hashed(bits.size, factor * bits.size, seed)
        return reconstruct(Counts(bits, noise), bits, subsets, method).recovered

    return tuple(
        Recovery(
            "n counts" if factor == 1 else f"{factor}n counts",
            tuple(map(float, deviations)),
            tuple(at(factor, deviation) for deviation in deviations),
        )
        for factor in factors
    )


def study_ledger(
    secrets: ArrayLike,
    counts: Sequence[int],
    epsilon: Number = 1,
    method: str = "l1 program",
    seed: int = 0,
    watch: Callable[[str], None] = lambda _: None,
) -> tuple[Recovery, Recovery]:
    """The share recovered after so many answers: every one at ε alone, nobody adding up; and ε for all together.

    The second is asked through Tacit's own door, of a data set that is made for it and thrown away.
    """
    bits, level = secret_bits(secrets), float(positive(epsilon, "epsilon"))

    def guarded(count: int) -> float:
        with TemporaryDirectory() as folder, open_people(bits, Path(folder), epsilon) as data:
            watch(f"{count:,} counts through Tacit, for the figure")
            return share(TacitCounts(data, count), count)

    def unguarded(count: int) -> float:
        return share(Counts(bits, laplace_noise(np.sqrt(2) / level, seed)), count)

    def share(answer: AnswerFunction, count: int) -> float:
        return reconstruct(answer, bits, Subsets.hashed(bits.size, count, seed), method).recovered

    def along(name: str, at: Callable[[int], float]) -> Recovery:
        return Recovery(name, tuple(map(float, counts)), tuple(at(count) for count in counts))

    return along(f"ε = {level:g} for each answer, no ledger", unguarded), along(f"ε = {level:g} in all, Tacit", guarded)
