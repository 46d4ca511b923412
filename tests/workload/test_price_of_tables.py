"""A run of tables spends exactly its price: shares of the noise on keys, people by amount and contrasts, and the δ.

The shares of a plan add up to its price (`tests/laws`); here is that the run draws at those shares, and no others.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from tests.workload.test_table_coverage import FEW_ROWS, TEXT, Shop

from tacit.loss.families.loss import Relation
from tacit.noise.bits import Seeded
from tacit.query.plans.group_keys import KeyRule
from tacit.query.plans.price import Price, noise_share, price_of
from tacit.schema.reader import read_description
from tacit.workload import tables_run
from tacit.workload.noisy_contrasts import NoisyTables
from tacit.workload.tables_plan import TablesPlan
from tacit.workload.tables_run import TablesRun


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """Two keys whose values are private."""
    found = Shop(tmp_path_factory.mktemp("shop"), FEW_ROWS)
    private = TEXT
    for highest in (5, 2):
        private = private.replace(f", min = 0, max = {highest}, nullable = false", "")
    found.description.path.write_text(private, encoding="utf-8")
    found.description = read_description(found.description.path, found.engine.public_values)
    return found


class Spending:
    """The shares at which noise is made, and the δ of each rule that shows keys, as a run asks for them."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.shares: list[Fraction] = []
        self.deltas: list[Fraction] = []
        patch.setattr(tables_run, "noise_share", self._share)
        patch.setattr(tables_run, "KeyRule", self._rule)

    def _share(self, price: Price, share: Fraction, relation: Relation) -> object:
        self.shares.append(share)
        return noise_share(price, share, relation)

    def _rule(self, noise: object, delta: Fraction, most: int) -> object:
        self.deltas.append(delta)
        return KeyRule(noise, delta, most)  # type: ignore[arg-type]  (what `noise_share` made)


def spent(shop: Shop, plan: TablesPlan, patch: pytest.MonkeyPatch) -> tuple[Fraction, Fraction]:
    """The parts of the price, and of its δ for keys, that a run spends."""
    price = price_of(shop.description.budget, shop.description.promise, 1, None, True)
    recorded, found, stages = Spending(patch), list[bytes](), TablesRun(plan, price).stages
    parts = []
    for place, stage in enumerate(stages):
        before = len(recorded.shares)
        with shop.engine.session(shop.description, shop.headers) as session:
            found.append(stage(session, Seeded(place), found))
        drawn = recorded.shares[before:]
        if place < len(stages) - 1:  # the last stage reads the law of an earlier one again
            parts.append(drawn[0] * (len(plan.private) if place == 0 else 1))
    (delta,) = recorded.deltas
    return sum(parts, measured(plan, found[-1], price)), delta * len(plan.private) / price.keys_delta


def measured(plan: TablesPlan, payload: bytes, price: Price) -> Fraction:
    """What the contrasts cost: the squared norm of a person at the limit, over the variance that is stored."""
    total = Fraction(0)
    for part in NoisyTables.from_bytes(payload).measures.values():
        squared = (part.norm * part.scale) ** 2 * part.strategy.squared_norm * part.strategy.form_excess()
        total += squared / part.variance / price.strength
    return total


@pytest.fixture
def plan(shop: Shop) -> TablesPlan:
    return shop.plan("COUNT(*), SUM(paid)")


def test_a_run_spends_its_price(shop: Shop, plan: TablesPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    share, delta = spent(shop, plan, monkeypatch)
    assert len(plan.private) == 2
    assert len(plan.binned) == 2
    assert Fraction(9, 10) < share <= 1  # a limit is rounded to whole units
    assert delta == 1


@pytest.mark.parametrize("block", ["keys", "finding"])
def test_a_stage_at_the_whole_price_is_caught(
    shop: Shop, plan: TablesPlan, block: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = TablesPlan.share
    monkeypatch.setattr(TablesPlan, "share", lambda self, name: Fraction(1) if name == block else own(self, name))
    assert spent(shop, plan, monkeypatch)[0] > Fraction(11, 10)


def test_other_rules_for_keys_are_another_release(plan: TablesPlan) -> None:
    """A release in which a person may have had other numbers of keys is not the answer."""
    most = replace(plan, base=replace(plan.base, most_keys=plan.base.most_keys + 1))
    assert most.digest != plan.digest
