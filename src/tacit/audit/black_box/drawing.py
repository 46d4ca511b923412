"""Answers about two data sets, each about one or the other by a fair coin, in batches."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacit.audit.black_box.matrix import Matrix, Reader
from tacit.audit.black_box.score import Labels
from tacit.audit.domain import Pair
from tacit.audit.subject import Outputs, Subject
from tacit.noise.bits import Bits

_BATCH = 200_000


def draw(subject: Subject, pair: Pair, count: int, bits: Bits) -> Iterator[tuple[Outputs, Labels]]:
    """Batches of answers with 1 where they are about the first data; the order within a batch says nothing."""
    while count > 0:
        size = min(count, _BATCH)
        coins = np.unpackbits(bits.octets(-(-size // 8)))[:size]
        sizes = int(coins.sum()), size - int(coins.sum())
        sides = [subject.sample(data, many, bits) for data, many in zip(pair, sizes, strict=True) if many]
        labels = np.repeat([1.0, 0.0], sizes)
        yield _joined(sides), labels
        count -= size


def drawn(subject: Subject, pair: Pair, count: int, bits: Bits) -> tuple[Reader, Matrix, Labels]:
    """So many of them at once, shuffled, with the reader that made rows of them."""
    parts = list(draw(subject, pair, count, bits))
    reader = Reader.of(_joined([outputs[:1_000] for outputs, _ in parts] + [outputs[-1_000:] for outputs, _ in parts]))
    rows = np.concatenate([reader.read(outputs) for outputs, _ in parts])
    labels = np.concatenate([part for _, part in parts])
    order = np.random.Generator(np.random.PCG64(bits.integer(64))).permutation(len(labels))
    return reader, rows[order], labels[order]


def _joined(parts: list[Outputs]) -> Outputs:
    """One array; answers of different shapes as a list of objects."""
    if len({part.shape[1:] for part in parts}) == 1:
        return np.concatenate(parts)
    every = [row for part in parts for row in part.tolist()]
    return np.fromiter(every, object, len(every))
