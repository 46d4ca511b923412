"""The errors of naive releases of the same questions at the same price, from public numbers only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.workload.factorisation.question_matrix import QuestionMatrix

Floats = NDArray[np.float64]

_MOST_LEAVES = 1_024  # of a tree that is worked out


def noise_on_answers(questions: QuestionMatrix) -> Floats:
    """Variances with noise on every answer, where one row has norm 1."""
    return np.full(questions.questions, float((questions.values**2).sum(axis=0).max()))


def noise_on_cells(questions: QuestionMatrix) -> Floats:
    """The same with noise on every cell, and cells added up."""
    return np.asarray((questions.values**2).sum(axis=1))


def binary_tree(questions: QuestionMatrix) -> Floats | None:
    """The same with noise on every node of a binary tree, read by least squares; None where it does not apply.

    It does for ranges of cells in their order: questions whose cells are neighbours.
    """
    values, cells = questions.values, questions.cells
    edges = np.abs(np.diff(values, axis=1, prepend=0.0, append=0.0)) > 0
    is_of_ranges = bool(((values == 0) | (values == 1)).all()) and bool((edges.sum(axis=1) <= 2).all())
    if not (is_of_ranges and 2 <= cells <= _MOST_LEAVES):
        return None
    levels = (cells - 1).bit_length() + 1
    listed = []
    for level in range(levels):
        width = 2**level
        listed.append(np.arange(cells) // width == np.arange(-(-cells // width))[:, None])
    nodes = np.concatenate(listed).astype(np.float64) / np.sqrt(levels)
    return np.asarray(((values @ np.linalg.inv(nodes.T @ nodes)) * values).sum(axis=1))
