"""Small objectives and their minimisers, for tests of neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt

import mpmath
import numpy as np
from numpy.typing import NDArray

from tacit.learn.convex.design import FINEST, ExampleDesign
from tacit.learn.convex.losses import LossKind
from tacit.learn.convex.newton import TOLERANCE, RidgeObjective, certified_minimum
from tacit.learn.convex.row_matrix import RowMatrix
from tacit.learn.number_columns import NUMBER_STEPS

Rows = Sequence[tuple[tuple[int, ...], int]]  # of one person: levels and class of each row


def matrix(people: Sequence[Rows], levels: Sequence[int]) -> RowMatrix:
    """The rows of people, as a session would give them; people without rows are not there."""
    held = [own for own in people if own]
    owners = np.array([place for place, own in enumerate(held) for _ in own], np.int64)
    codes = np.array([row[0] for own in held for row in own], np.int32).reshape(len(owners), len(levels))
    target = np.array([row[1] for own in held for row in own], np.int64)
    order = np.lexsort((target, *codes.T, owners))
    return RowMatrix(owners, codes[order], target[order], tuple(levels))


def numbered(rows: RowMatrix, columns: int, seed: int, size: int = NUMBER_STEPS) -> RowMatrix:
    """The same rows with numbers, up to ±size, that follow from a row's levels and class."""
    kinds = (*rows.levels, 8)
    table = np.random.default_rng(seed).integers(-size, size + 1, (int(np.prod(kinds)), columns))
    table[::2] = size * np.sign(table[::2])  # as long as a row can be
    place = np.ravel_multi_index((*rows.codes.T, rows.target), kinds) if rows.rows else np.zeros(0, np.int64)
    return replace(rows, numbers=table[place].astype(np.int16), longest=columns * NUMBER_STEPS**2)


def minimum(
    design: ExampleDesign,
    loss: LossKind,
    ridge: float,
    classes: int = 2,
    tilt: NDArray[np.float64] | None = None,
    tolerance: float = TOLERANCE,
) -> NDArray[np.float64]:
    """The computed minimiser as numbers."""
    b = np.zeros((design.width, loss.scores(classes))) if tilt is None else tilt
    steps = certified_minimum(RidgeObjective(design, loss, ridge, b), tolerance)
    return np.ldexp(steps.astype(float), -FINEST)


def exact_gradient(objective: RidgeObjective, steps: NDArray[np.int64]) -> list[mpmath.mpf]:
    """∇F to 60 digits, from the definition of the losses alone."""
    design, loss = objective.design, objective.loss
    with mpmath.workdps(60):
        root = mpmath.sqrt(design.features + mpmath.mpf(design.longest) / NUMBER_STEPS**2)
        levels = design.width if design.numbers is None else design.width - design.numbers.shape[1]
        w = [[mpmath.mpf(int(number)) / 2**FINEST for number in row] for row in steps]
        found = [[mpmath.mpf(objective.ridge) * each for each in row] for row in w]
        for row, line in enumerate(objective.tilt):
            for place, number in enumerate(line):
                found[row][place] += mpmath.mpf(float(number))
        for example in range(len(design.target)):
            rows = np.flatnonzero(design.example == example)
            x: dict[int, mpmath.mpf] = {}
            for at in rows:
                for column in design.columns[at]:
                    x[int(column)] = x.get(int(column), 0) + mpmath.mpf(float(design.share[at])) / root
                for place, number in enumerate([] if design.numbers is None else design.numbers[at]):
                    part = mpmath.mpf(float(design.share[at])) * int(number) / NUMBER_STEPS / root
                    x[levels + place] = x.get(levels + place, 0) + part
            z = [sum(part * w[column][place] for column, part in x.items()) for place in range(len(w[0]))]
            for place, pull in enumerate(_slopes(loss, z, int(design.target[example]))):
                for column, part in x.items():
                    found[column][place] += mpmath.mpf(float(design.weight[example])) * pull * part
        return [each for row in found for each in row]


def _slopes(loss: LossKind, z: list[mpmath.mpf], y: int) -> list[mpmath.mpf]:
    if loss is LossKind.SOFTMAX:
        total = sum(mpmath.exp(each) for each in z)
        return [mpmath.exp(each) / total - (place == y) for place, each in enumerate(z)]
    if loss is LossKind.LOGISTIC:
        return [1 / (1 + mpmath.exp(-z[0])) - y]
    sign = 2 * y - 1
    part = min(max(1 - sign * z[0] / 2, mpmath.mpf(0)), mpmath.mpf(1))
    return [-sign * part**2 * (3 - 2 * part)]


def random_people(rng: np.random.Generator, levels: Sequence[int], classes: int) -> list[Rows]:
    """People with one row or many, some of them thousands of times the same."""
    found: list[Rows] = []
    for _ in range(int(rng.integers(1, 7))):
        rows = [
            (tuple(int(rng.integers(0, size)) for size in levels), int(rng.integers(0, classes)))
            for _ in range(int(rng.choice([1, 2, 5])))
        ]
        found.append(rows * int(rng.choice([1, 1, 1_000])))
    return found


def distance(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    return sqrt(float(((one - other) ** 2).sum()))
