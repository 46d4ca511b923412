"""Questions implied by released counting questions: linear combinations of the released ones.

Both texts are read together, so that cells are those of both. A question is implied if it is the same on all cells that
the released ones do not tell apart, nothing on cells that they do not touch, and a combination of what was measured.
All three are decided in whole numbers: a question that is only nearly a combination would have a bias that no interval
includes.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.query.post_noise.scope import canonical
from tacit.schema.catalogue import Catalogue
from tacit.workload.factorisation.integer_strategy import IntegerStrategy
from tacit.workload.linear.asked_counts import AnswerTable, AskedCounts, read_asked

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

_MOST_DENOMINATOR = 10_000  # of a coefficient: far above the error of doubles
_SMALL = 1e-10  # of the largest: what is less of a row depends on the others


def implied_readings(
    released: AskedCounts, strategy: IntegerStrategy, asked: AskedCounts, catalogue: Catalogue
) -> Floats | None:
    """The readings of all questions from earlier measurements; None where one is not implied."""
    try:
        both = read_asked(f"{released.sql.rstrip().rstrip(';')}\n;\n{asked.sql}", None, catalogue)
    except Refused:  # other rows, another measure, or too many cells together
        return None
    if canonical(both.text.whole) != canonical(released.text.whole):
        return None
    rows = _over_released_cells(released, both, _places(released, asked, both))
    if rows is None:
        return None
    if not strategy.is_by_question:
        return np.asarray(rows @ strategy.inverse)
    combined = exact_combinations(released.matrix.rows, rows)
    return None if combined is None else np.asarray(combined @ strategy.readings)


def exact_combinations(basis: Integers, rows: Integers) -> Floats | None:
    """Coefficients of each row over the basis, which give it exactly; None where none are found.

    Claim: what is returned, as fractions of one denominator D a row, solves c·B = q. Proof: D·c is rounded to whole
    numbers, and (D·c)·B = D·q is compared in integers that cannot overflow. A row may be refused that has a solution,
    if its denominator is large; none is accepted that has none. Where rows of the basis depend on each other, some that
    do not are used alone: the shortest solution of all shares the work among them, with denominators that grow.
    """
    places, found = _independent(basis), np.zeros((len(rows), len(basis)))
    chosen = basis[places]
    solved = np.linalg.lstsq(chosen.T.astype(np.float64), rows.T.astype(np.float64), rcond=_SMALL)[0].T
    for place, (coefficients, row) in enumerate(zip(solved, rows, strict=True)):
        listed = [Fraction(float(each)).limit_denominator(_MOST_DENOMINATOR) for each in coefficients]
        common = lcm(*(each.denominator for each in listed))
        wholes = [int(each * common) for each in listed]
        if not sum(map(abs, wholes)) * int(np.abs(chosen).max()) + common * int(np.abs(row).max()) < 2**62:
            return None
        if not np.array_equal(np.array(wholes, np.int64) @ chosen, common * row):
            return None
        found[place, places] = [whole / common for whole in wholes]
    return found


def _independent(basis: Integers) -> Integers:
    """Places of rows that span all of them, none a combination of the others, as far as doubles tell."""
    from scipy.linalg import qr

    triangle, places = qr(basis.T.astype(np.float64), mode="r", pivoting=True)
    sizes = np.abs(np.diag(triangle))
    return np.sort(places[: int((sizes > _SMALL * sizes[0]).sum())]).astype(np.int64)


def _places(released: AskedCounts, asked: AskedCounts, both: AskedCounts) -> Integers:
    """Which question of both texts each question that is asked is; −1 for one of no cell.

    By itself a text with one condition has it below the noise, and groups of all rows; beside others its condition
    says which cells are kept, and a group without any is left out: nothing is in it.
    """
    found = np.full(asked.matrix.questions, -1, np.int64)
    for own, other in zip(asked.listed, both.listed[len(released.listed) :], strict=True):
        kept = {group: place for place, group in enumerate(_groups(other))}
        for name, questions in own.columns.items():
            for group, question in zip(_groups(own), questions, strict=True):
                if group in kept:
                    found[question] = other.columns[name][kept[group]]
    return found


def _groups(table: AnswerTable) -> list[tuple[object, ...]]:
    """The keys of each row; one row of none where it has no keys."""
    return list(zip(*(keys.values for keys in table.keys.values()), strict=True)) or [()]


def _over_released_cells(released: AskedCounts, both: AskedCounts, places: Integers) -> Integers | None:
    """The questions at these places as rows over the cells of the released ones."""
    matrix, many = both.matrix.rows, released.matrix.questions
    known = {column.tobytes(): place for place, column in enumerate(np.ascontiguousarray(released.matrix.rows.T))}
    earlier = np.ascontiguousarray(matrix[:many].T)
    touched = earlier.any(axis=1)
    columns = [known.get(column.tobytes(), -1) for column in earlier[touched]]
    asked = np.where(places[:, None] < 0, 0, matrix[places])
    if -1 in columns or asked[:, ~touched].any():
        return None
    rows = np.zeros((len(asked), released.matrix.cells), np.int64)
    rows[:, columns] = asked[:, touched]
    return rows if np.array_equal(rows[:, columns], asked[:, touched]) else None
