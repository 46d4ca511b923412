"""Uniform small sets as sorted lists of options, for very many people at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.noise.bits import Bits, Integers
from tacit.noise.uniform import UniformBelow

_CELLS = 1 << 20


def draw_listed(answers: Integers, has_truth: NDArray[np.bool_], options: int, size: int, bits: Bits) -> Integers:
    """A set of `size` options for each answer, uniform among those that hold the answer, or that do not.

    As many others are drawn, and those that came twice drawn again until all differ: nothing tells the others apart,
    so that all sets of them are equally likely. Where the answer belongs in, it takes the place of one of them, each
    equally likely, which leaves a uniform set of the rest.
    """
    step = max(1, _CELLS // size)
    blocks = [
        _draw_block(answers[start : start + step], has_truth[start : start + step], options, size, bits)
        for start in range(0, answers.size, step)
    ]
    return np.concatenate(blocks)


def _draw_block(answers: Integers, has_truth: NDArray[np.bool_], options: int, size: int, bits: Bits) -> Integers:
    others = UniformBelow(options - 1)
    rows = np.sort(others.draw(answers.size * size, bits).reshape(-1, size), axis=1)
    active = np.arange(answers.size)
    while active.size:
        part = rows[active]
        again, column = np.nonzero(part[:, 1:] == part[:, :-1])
        part[again, column] = others.draw(again.size, bits)
        active = active[np.unique(again)]
        rows[active] = np.sort(part[np.unique(again)], axis=1)
    rows += rows >= answers[:, None]
    replaced = UniformBelow(size).draw(answers.size, bits)
    within = np.flatnonzero(has_truth)
    rows[within, replaced[within]] = answers[within]
    return np.sort(rows, axis=1)
