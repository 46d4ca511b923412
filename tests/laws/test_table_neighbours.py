"""No person moves the contrasts of tables further than their noise was made for: brute force over whole releases.

R16, R18, R22, R23, R26: random data sets in which nothing holds that was declared, random CUBEs, ROLLUPs and grouping
sets with random limits and chosen values of private keys; every world's contrasts are compared in exact integers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from tests.laws.databases import engine_session, worlds
from tests.laws.queries import EACH, MANY
from tests.laws.table_movement import moved_too_far

from tacit.errors import Refused
from tacit.loss.families.approx import Pure
from tacit.query.engines.duckdb.engine import DuckDBSession
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.price import price_of
from tacit.workload.grouping_sets import read_tables
from tacit.workload.residual_basis import ResidualStrategy, Weighting
from tacit.workload.scaled_rows import ScaledRows
from tacit.workload.tables_plan import TablesPlan, plan_tables

_QUERIES = 5


@pytest.fixture(scope="module")
def session() -> Iterator[DuckDBSession]:
    with engine_session() as opened:
        yield opened


def random_tables(random: Random, has_people: bool) -> str:
    """A text that asks for tables of counts, sums and means."""
    shape = random.choice(MANY if has_people else EACH)
    keys = random.sample([*shape.keys, *shape.keys, *shape.private][: 8 + len(shape.private)], random.choice([1, 2, 3]))
    keys = list(dict.fromkeys(keys))
    numbers = [
        f"{call}({random.choice(shape.numbers)})" for call in random.sample(["SUM", "AVG"], random.choice([0, 1]))
    ]
    listed = ", ".join(["COUNT(*)", *numbers])
    grouping = random.choice(["CUBE", "ROLLUP", "SETS", "PLAIN"])
    by = {
        "CUBE": f"CUBE({', '.join(keys)})",
        "ROLLUP": f"ROLLUP({', '.join(keys)})",
        "SETS": f"GROUPING SETS ({', '.join(f'({key})' for key in keys)}, ())",
        "PLAIN": ", ".join(keys),
    }[grouping]
    return f"{shape.before} SELECT {listed} FROM {shape.origin} GROUP BY {by}"


def shares(plan: TablesPlan) -> Fraction:
    """What all blocks of noise take of the price: people by amount, each private key, each measure."""
    each = len(plan.private) * plan.share("keys") + len(plan.measures) * plan.share("table")
    return each + (plan.share("finding") if plan.binned else 0)


def compared(seed: int, session: DuckDBSession) -> tuple[int, Counter[str], list[str]]:
    """(comparisons, accepted texts by their way, what moved too far) for one random data set."""
    random = Random(seed)
    count, accepted, wrong = 0, Counter[str](), []
    with worlds(random, session) as world:
        description = world.description
        if isinstance(description.budget, Pure):
            return 0, accepted, []
        for _ in range(_QUERIES):
            sql = random_tables(random, world.has_people)
            try:
                asked = read_tables(sql, world.catalogue)
                interval = random.choice([IntervalKind.BOUNDED, IntervalKind.USUAL])
                plan = plan_tables(asked, world.catalogue, interval, random.choice([*Weighting]))
            except Refused:
                continue
            accepted["scaled" if plan.is_scaled else "rows"] += 1
            accepted["private"] += bool(plan.private)
            price = price_of(description.budget, description.promise, 1, None, bool(plan.private))
            wrong += [] if shares(plan) == 1 else [f"{sql}: blocks take {shares(plan)} of the price"]
            for found in moved_too_far(world, plan, price, random):
                count += 1
                wrong += [f"{sql}: {found}"] if found else []
    return count, accepted, wrong


def test_no_person_moves_tables_further_than_their_noise(session: DuckDBSession) -> None:
    count, accepted, wrong = 0, Counter[str](), []
    for seed in range(16):
        made, read, found = compared(seed, session)
        count, accepted, wrong = count + made, accepted + read, wrong + found
    assert not wrong, wrong[0]
    assert count >= 400
    assert min(accepted["scaled"], accepted["rows"], accepted["private"]) >= 5


@pytest.mark.long
@pytest.mark.parametrize("block", range(16, 96, 8))
def test_no_person_moves_any_of_many_tables_further(block: int, session: DuckDBSession) -> None:
    for seed in range(block, block + 8):
        _, _, wrong = compared(seed, session)
        assert not wrong, wrong[0]


def is_caught(session: DuckDBSession) -> bool:
    return any(compared(seed, session)[2] for seed in range(12))


def test_a_person_who_is_not_scaled_is_caught(session: DuckDBSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """The factor is what bounds people with several rows."""
    monkeypatch.setattr(ScaledRows, "_factor", lambda self: "1e0")
    assert is_caught(session)


def test_a_halved_scale_is_caught(session: DuckDBSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise of half the deviation."""
    law = TablesPlan.law
    monkeypatch.setattr(TablesPlan, "law", lambda *all_of: replace(law(*all_of), variance=law(*all_of).variance / 4))
    assert is_caught(session)


def test_a_form_of_one_margin_is_caught(session: DuckDBSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """A norm of the finest cells alone, without their margins."""
    form = ResidualStrategy.form

    def finest(self: ResidualStrategy) -> Mapping[tuple[int, ...], int]:
        whole = form(self)
        return {max(whole, key=len): sum(whole.values())}

    monkeypatch.setattr(ResidualStrategy, "form", finest)
    assert is_caught(session)


def test_private_keys_that_are_not_paid_for_are_caught(session: DuckDBSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shares that add up to more than the price."""
    monkeypatch.setattr("tacit.workload.tables_plan.KEYS", Fraction(0))
    share = TablesPlan.share
    monkeypatch.setattr(
        TablesPlan, "share", lambda self, block: Fraction(1, 8) if block == "keys" else share(self, block)
    )
    assert is_caught(session)
