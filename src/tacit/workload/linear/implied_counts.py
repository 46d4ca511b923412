"""What released counting questions imply: a question that is a linear combination of theirs is read from them.

Both texts are read together, so that cells are those of both. A question is implied if it is the same on all cells that
the released ones do not tell apart, nothing on cells that they do not touch, and a combination of what was measured.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.query.catalogue import Catalogue
from tacit.query.post_noise.scope import canonical
from tacit.workload.factorisation.integer_strategy import IntegerStrategy
from tacit.workload.linear.asked_counts import AskedCounts, read_asked

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

_CLOSE = 1e-7  # of coefficients, which are whole numbers: what floats add up to


def implied_readings(
    released: AskedCounts, strategy: IntegerStrategy, asked: AskedCounts, catalogue: Catalogue
) -> Floats | None:
    """The readings of all that is asked from what was measured for earlier questions; None where one is not implied."""
    try:
        both = read_asked(f"{released.sql.rstrip().rstrip(';')};\n{asked.sql}", None, catalogue)
    except Refused:  # other rows, another measure, or too many cells together
        return None
    if canonical(both.text.whole) != canonical(released.text.whole):
        return None
    rows = _over_released_cells(released, both, _places(released, asked, both))
    if rows is None:
        return None
    if not strategy.is_by_question:
        return np.asarray(rows @ strategy.inverse)
    basis = released.matrix.values
    combined = np.linalg.lstsq(basis.T, rows.T.astype(np.float64), rcond=1e-10)[0].T
    if not float(np.abs(combined @ basis - rows).max()) <= _CLOSE:
        return None
    return np.asarray(combined @ strategy.inverse)


def _places(released: AskedCounts, asked: AskedCounts, both: AskedCounts) -> Integers:
    """Which question of both texts each question that is asked is."""
    found = np.zeros(asked.matrix.questions, np.int64)
    for own, other in zip(asked.listed, both.listed[len(released.listed) :], strict=True):
        for name, questions in own.columns.items():
            found[list(questions)] = other.columns[name]
    return found


def _over_released_cells(released: AskedCounts, both: AskedCounts, places: Integers) -> Integers | None:
    """The questions at these places as rows over the cells of the released ones."""
    matrix, many = both.matrix.rows, released.matrix.questions
    known = {column.tobytes(): place for place, column in enumerate(np.ascontiguousarray(released.matrix.rows.T))}
    earlier = np.ascontiguousarray(matrix[:many].T)
    touched = earlier.any(axis=1)
    columns = [known.get(column.tobytes(), -1) for column in earlier[touched]]
    asked = matrix[places]
    if -1 in columns or asked[:, ~touched].any():
        return None
    rows = np.zeros((len(asked), released.matrix.cells), np.int64)
    rows[:, columns] = asked[:, touched]
    return rows if np.array_equal(rows[:, columns], asked[:, touched]) else None
