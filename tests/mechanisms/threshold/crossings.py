"""Answer sequences against a noisy threshold, summed the plain way: an oracle for the sparse vector and its twins."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

Values = tuple[int, ...]
REACH = 400  # steps of noise on either side; every scale here is at most 8, so what is left out is below e^-50


def noise(scale: float) -> np.ndarray:
    """The masses of discrete Laplace noise at −REACH … REACH; scale 0 is no noise."""
    x = np.abs(np.arange(-REACH, REACH + 1))
    weights = np.exp(-x / scale) if scale else (x == 0).astype(float)
    return weights / weights.sum()


def yes_given_threshold(scale: float, value: int) -> np.ndarray:
    """P(value + noise ≥ z) for each z in −REACH … REACH."""
    tail = np.cumsum(noise(scale)[::-1])[::-1]
    return np.array([tail[min(max(z - value + REACH, 0), 2 * REACH)] for z in range(-REACH, REACH + 1)])


def no_given_threshold(scale: float, value: int) -> np.ndarray:
    """P(value + noise < z), summed from its own small end."""
    below = np.concatenate([[0.0], np.cumsum(noise(scale))])
    return np.array([below[min(max(z - value + REACH, 0), 2 * REACH + 1)] for z in range(-REACH, REACH + 1)])


def crossing_law(values: Values, threshold: float, question: float, positives: int) -> dict[tuple[bool, ...], float]:
    """The law of the answers: one threshold noise, fresh question noise, an end after so many yeses. Threshold 0."""
    law: dict[tuple[bool, ...], float] = {}
    running: list[tuple[tuple[bool, ...], np.ndarray]] = [((), noise(threshold))]
    for value in values:
        yes, no = yes_given_threshold(question, value), no_given_threshold(question, value)
        going = []
        for answers, mass in running:
            if sum(answers) == positives:
                law[answers] = float(mass.sum())
            else:
                going += [((*answers, True), mass * yes), ((*answers, False), mass * no)]
        running = going
    return law | {answers: float(mass.sum()) for answers, mass in running}


def neighbours(length: int, heights: tuple[int, ...], monotonic: bool) -> Iterator[tuple[Values, Values]]:
    """Each value moves by at most 1; all in one direction if monotonic."""
    for values in product(heights, repeat=length):
        for move in product((0, 1) if monotonic else (-1, 0, 1), repeat=length):
            yield values, tuple(value + step for value, step in zip(values, move, strict=True))


def sequences(questions: int, positives: int) -> list[tuple[bool, ...]]:
    """All answer sequences that can come of so many questions."""
    return list(crossing_law((0,) * questions, 1.0, 1.0, positives))
