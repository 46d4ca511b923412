"""The storage format of noisy integers: integers of all sizes, every kind of key, and nothing else."""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import Failed
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.execution.noisy_table import NoisyColumn, NoisyTable, packed, packed_width, unpacked
from tacit.schema.kind import Key

_EDGES = st.sampled_from([2**63 - 1, -(2**63), 127, -128, 128, -129])
_WORDS = st.one_of(st.integers(-(2**63), 2**63 - 1), st.integers(-300, 300), _EDGES)
_KEYS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**62), 2**62),
    st.text(),
    st.dates(),
    st.datetimes().map(lambda at: at.replace(fold=0)),
)


@given(
    st.lists(st.one_of(_WORDS, st.integers(-300, 300), st.sampled_from([2**63 - 1, -(2**63), 127, -128, 128, -129])))
)
def test_words_come_back(numbers: list[int]) -> None:
    """R05: at the limits of the type too."""
    values = np.array(numbers, np.int64)
    width = packed_width(values)
    assert (unpacked(packed(values, width), width, values.shape) == values).all()
    assert width == max([1, *((number if number >= 0 else ~number).bit_length() // 8 + 1 for number in numbers)])


def table(keys: list[tuple[Key | None, ...]] | None) -> NoisyTable:
    many = 3 if keys is None else len(keys)
    columns = {
        "sum": NoisyColumn(np.arange(many) - 10**12, RoundedGaussian(Fraction(7, 3)), Fraction(5, 2), Fraction(9)),
        "tree": NoisyColumn(
            np.arange(many * 16).reshape(many, 16), DiscreteLaplace(Fraction(2**40)), Fraction(1), Fraction(1, 3)
        ),
    }
    return NoisyTable(None if keys is None else tuple(keys), columns, Fraction(22, 7))


@given(st.one_of(st.none(), st.lists(st.tuples(_KEYS, _KEYS), max_size=5)))
def test_tables_come_back(keys: list[tuple[Key | None, ...]] | None) -> None:
    """R42: closed tags; types of keys survive (1 is not true, a date no time)."""
    kept = table(keys)
    found = NoisyTable.from_bytes(kept.to_bytes())
    assert found.keys == kept.keys
    assert repr(found.keys) == repr(kept.keys)
    assert found.strength == kept.strength
    assert list(found.columns) == list(kept.columns)
    for name, column in kept.columns.items():
        back = found.columns[name]
        assert (back.law, back.scale, back.norm) == (column.law, column.scale, column.norm)
        assert back.values.dtype == np.int64
        assert back.values.shape == column.values.shape
        assert (back.values == column.values).all()
    assert kept.to_bytes() == found.to_bytes()


def test_small_numbers_take_few_bytes() -> None:
    """A tree of 69,904 counts of 41 bits takes six bytes each."""
    values = np.full((1, 69_904), 2**40, np.int64)
    column = NoisyColumn(values, RoundedGaussian(Fraction(1)), Fraction(1), Fraction(1))
    assert len(NoisyTable(None, {"tree": column}, Fraction(1)).to_bytes()) < 6 * 69_904 + 300


@pytest.mark.parametrize(
    "change",
    [
        lambda kept: kept + b"\0",
        lambda kept: kept[:-1],
        lambda kept: kept.replace(b'"version":2', b'"version":1'),
        lambda kept: kept.replace(b'"width":6', b'"width":9'),
    ],
)
def test_anything_else_fails(change: object) -> None:
    assert callable(change)
    kept = table([(date(2024, 1, 1), "x"), (datetime(2024, 1, 1), 1)]).to_bytes()
    with pytest.raises(Failed):
        NoisyTable.from_bytes(change(kept))
