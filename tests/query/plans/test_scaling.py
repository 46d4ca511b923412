"""A person's total in units of the law: within its room for every total."""

from __future__ import annotations

from fractions import Fraction

import duckdb
from hypothesis import given
from hypothesis import strategies as st

from tacit.query.plans.limit import Scaling, scaling

norms = st.fractions(min_value=1, max_value=2**45)
rooms = st.integers(min_value=2**10, max_value=2**29)
CONNECTION = duckdb.connect()


@given(norm=norms, room=rooms, total=st.integers(min_value=-(2**100), max_value=2**100))
def test_scaled_totals_stay_within_their_room(norm: Fraction, room: int, total: int) -> None:
    """R16: evaluated by DuckDB itself, on totals of up to 128 bits."""
    way = scaling(norm, room)
    (value,) = CONNECTION.execute(f"SELECT {way.near(f'CAST({total} AS HUGEINT)')}").fetchone() or (None,)
    assert abs(value) <= room
    (far,) = CONNECTION.execute(f"SELECT {way.far(f'CAST({total} AS HUGEINT)')}").fetchone() or (None,)
    assert abs(far) <= 2**45


@given(norm=norms, room=rooms)
def test_little_room_is_wasted(norm: Fraction, room: int) -> None:
    """The largest total that counts fills at least a third of the room where steps are fine enough to do so."""
    way = scaling(norm, room)
    assert way.cap * way.scale <= room
    assert way.cap * way.scale * 3 >= room or way.cap < 3


def test_a_twin_without_the_cut_is_seen() -> None:
    """Broken twin: the same multiplication without least and greatest leaves the room."""
    way = scaling(Fraction(40), 2**20)
    loose = Scaling(2**60, way.times, way.over)
    (value,) = CONNECTION.execute(f"SELECT {loose.near('41::HUGEINT')}").fetchone() or (None,)
    assert value > 2**20
