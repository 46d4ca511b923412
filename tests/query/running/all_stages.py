"""The stages of a run, one after the other, without a ledger between them."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.noise.bits import Bits
from tacit.query.engines.protocol import Session, Stage
from tacit.query.execution.noisy_table import NoisyTable
from tacit.query.execution.run import PlanRun
from tacit.query.materialized.statements import STATEMENTS, Statements
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price


def all_stages(stages: Sequence[Stage], session: Session, bits: Bits) -> bytes:
    """What the last stage releases."""
    released: list[bytes] = []
    for stage in stages:
        released.append(stage(session, bits, released))
    return released[-1]


def run(plan: Plan, price: Price, session: Session, bits: Bits, statements: Statements = STATEMENTS) -> NoisyTable:
    """The noisy table of a plan."""
    return NoisyTable.from_bytes(all_stages(PlanRun(plan, price, statements).stages, session, bits))
