"""People's norms over a tree of counts against brute force (R16, R18, R22), with broken twins."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from random import Random

import duckdb
import pyarrow as pa
import pytest

from tacit.mechanisms.statistics.rank_tree import FAN
from tacit.query.aggregates.rank_grid import STRETCHES
from tacit.query.lowering.ranks import rank_squares_sql, usual_squares

Held = list[tuple[int, int, int]]  # person, group, cell


def drawn(random: Random, levels: int) -> Held:
    """Rows of people who have few or many, close together or far apart."""
    cells = FAN**levels
    held = []
    for person in range(12):
        reach = random.choice([1, 3, FAN, cells // 50 + 1, cells])
        begin = random.randrange(cells - reach + 1)
        rows = random.choice([1, 2, 7, 40, 300])
        held += [(person, random.randrange(3), begin + random.randrange(reach)) for _ in range(rows)]
    return held


def true_squares(held: Held, levels: int, by_group: bool) -> dict[int, int]:
    """Σc² over all levels, counted one by one."""
    nodes: Counter[tuple[int, int, int, int]] = Counter()
    for person, group, cell in held:
        for level in range(levels):
            nodes[person, group if by_group else 0, level, cell // FAN**level] += 1
    found: defaultdict[int, int] = defaultdict(int)
    for (person, *_), count in nodes.items():
        found[person] += count * count
    return found


def said_squares(held: Held, sql: str) -> dict[int, int]:
    with duckdb.connect() as connection:
        columns = dict(zip(("__unit", "k0", "cell"), zip(*held, strict=True), strict=True))
        connection.register("counted", pa.table({name: list(values) for name, values in columns.items()}))
        return dict(connection.execute(sql).fetchall())


def is_enough(held: Held, levels: int, by_group: bool, sql: str) -> bool:
    true, said = true_squares(held, levels, by_group), said_squares(held, sql)
    return true.keys() == said.keys() and all(said[person] >= true[person] for person in true)


CASES = [(levels, by_group, seed) for levels in (3, 4) for by_group in (False, True) for seed in range(3)]


@pytest.mark.parametrize(("levels", "by_group", "seed"), CASES)
@pytest.mark.parametrize("is_even", [False, True])
def test_no_norm_is_longer_than_said(levels: int, by_group: bool, seed: int, is_even: bool) -> None:
    """Never less than the truth; and on an even grid never more than levels·n², which the other grid says."""
    held = drawn(Random(seed), levels)
    sql = rank_squares_sql("counted", ["k0"] if by_group else [], levels, is_even)
    assert is_enough(held, levels, by_group, sql)
    rows = Counter(person for person, *_ in held)
    assert all(said <= levels * rows[person] ** 2 for person, said in said_squares(held, sql).items())


_SQUARE = "(CAST(held AS HUGEINT) * CAST(held AS HUGEINT))"


@pytest.mark.parametrize(
    ("there", "instead"),
    [
        (f"{_SQUARE} + (finer * 3)", "3 * finer"),
        (f"{_SQUARE} + (finer * 3)", f"{_SQUARE} + finer"),
        (f"{_SQUARE} + (finer * 3)", f"greatest({_SQUARE}, finer)"),
    ],
    ids=["coarsest level forgotten", "finer levels forgotten", "each level on its own"],
)
def test_twins_are_caught(there: str, instead: str) -> None:
    """R46: a norm that leaves a level out is too short for somebody."""
    for by_group in (False, True):
        sql = rank_squares_sql("counted", ["k0"] if by_group else [], 4, is_even=True)
        assert there in sql
        assert not all(is_enough(drawn(Random(seed), 4), 4, by_group, sql.replace(there, instead)) for seed in range(3))


def usual(rows: int, levels: int) -> int:
    with duckdb.connect() as connection:
        ((squares,),) = connection.execute(f"SELECT {usual_squares(f'{rows}::HUGEINT', levels)}").fetchall()
    return int(squares)


@pytest.mark.parametrize("levels", [3, 4])
def test_rows_that_fall_evenly_weigh_by_their_number_alone(levels: int) -> None:
    """Of 300 people with 10, 40 or 150 rows each, spread evenly, at most one in 20 is longer than is usual."""
    random, many = Random(levels), (10, 40, 150)
    held = [(person, 0, random.randrange(FAN**levels)) for person in range(300) for _ in range(many[person % 3])]
    said = said_squares(held, rank_squares_sql("counted", [], levels, is_even=True))
    most = [usual(rows, levels) for rows in many]
    assert sum(said[person] > most[person % 3] for person in said) <= 15
    share = Fraction(4 + levels - 1, STRETCHES)
    assert usual(200, levels) == int(Fraction(4, 3) * (levels * 200 + share * 200**2))
    assert usual(1, levels) == levels
