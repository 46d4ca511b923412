"""Counting questions as a job: their digest, their grounds, and the search for their stored release."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.curator.door import Job, release
from tacit.curator.open_data import Opened
from tacit.curator.planner import COUNTS, Planner
from tacit.errors import Failed, Refused
from tacit.exact import Number, positive
from tacit.frozen import frozen
from tacit.ledger.certificate import Grounds
from tacit.ledger.request import Stored
from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Loss
from tacit.query.materialized.statements import STATEMENTS
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.price import Price, price_of
from tacit.workload.linear.asked_counts import read_asked
from tacit.workload.linear.counts_plan import CountsPlan, plan_counts
from tacit.workload.linear.counts_run import CountsRun
from tacit.workload.linear.implied_counts import implied_readings
from tacit.workload.linear.noisy_counts import NoisyCounts

Floats = NDArray[np.float64]

_CLAIMS = (
    "the price was charged and durable before any row was read",
    "rounded Gaussian noise is post-processing of the Gaussian mechanism (Balle–Wang curve, μ² adds up)",
    "what is measured is a whole-number strategy, whose largest column has an exact squared norm",
)
_ROWS = "each person is one row, within declared bounds that the query itself enforces"
_FACTOR = "one person's cells are scaled by one factor in the query itself, to a limit of their sum"
_FOUND = "the limit was found from noisy numbers of people, at a fixed share of the price"


@frozen(eq=False)
class ReleasedCounts:
    """A stored release of counting questions, what it rests on, the entry that paid for it, and its share."""

    counts: NoisyCounts
    grounds: Grounds
    entry: int
    free: bool
    share: Fraction
    charge: Loss
    asked: str  # the SELECTs that it was charged for
    weights: tuple[Fraction, ...] | None
    interval: IntervalKind


def counts_plan(planner: Planner, sql: str, weights: Sequence[Number] | None, interval: IntervalKind) -> CountsPlan:
    """The plan of the questions of a text; refused in a pure account, which has no Gaussian noise."""
    if isinstance(planner.opened.description.budget, Pure):
        raise Refused(
            "a workload in a pure account",
            "Its noise is Gaussian, which needs a δ above 0.",
            "a budget with a δ; or one query for each question.",
        )
    weighed = None if weights is None else [positive(weight, "weight") for weight in weights]
    asked = read_asked(sql, weighed, planner.catalogue)
    planner.checked(asked.question)
    return plan_counts(asked, planner.catalogue, interval)


def counts_price(planner: Planner, epsilon: Number, delta: Number | None) -> Price:
    """The price at which all answers together are (ε, δ)-private."""
    description = planner.opened.description
    return price_of(description.budget, description.promise, epsilon, delta, False)


def find_counts(planner: Planner, plan: CountsPlan, strength: Fraction) -> ReleasedCounts | None:
    """An earlier release of these very questions that is at least as accurate."""
    for stored in planner.opened.stored_under(_digest(planner, plan), strength):
        return read_counts_stored(stored, planner.opened)
    return None


def all_counts(planner: Planner) -> Iterator[ReleasedCounts]:
    """All releases of counting questions of this version of the data, the most accurate first."""
    for stored in planner.opened.stored_under(f"{COUNTS}{planner.version}.", Fraction(0)):
        if not stored.is_failed:
            yield read_counts_stored(stored, planner.opened)


def readings_from(planner: Planner, found: ReleasedCounts, plan: CountsPlan) -> Floats | None:
    """The readings of a plan's questions from what an earlier release measured; None where one is not implied.

    Claim: the same is counted in both. Proof: the earlier text has, under the description as it is now, the plan that
    the release was charged for (rows, unit, relation, bounds, limit, cells), and `plan` counts the same measure under
    the same limit; `implied_readings` compares the rows, and the questions cell by cell.
    """
    try:
        earlier = counts_plan(planner, found.asked, found.weights, found.interval)
    except Refused:  # the description has changed since
        return None
    if earlier.digest != found.grounds.plan:
        return None
    if earlier.base.identity(earlier.measure) != plan.base.identity(plan.measure):
        return None
    return implied_readings(earlier.asked, found.counts.strategy(earlier.asked.matrix), plan.asked, planner.catalogue)


def release_counts(planner: Planner, plan: CountsPlan, price: Price, analyst: str, fresh: bool) -> ReleasedCounts:
    """The release at a price: from the store if it is there, else through the door."""
    if not fresh and (earlier := find_counts(planner, plan, plan.strength(price))) is not None:
        return earlier
    opened, job = planner.opened, counts_job(planner, plan, price)
    return release(
        opened, job, analyst, fresh, lambda stored, free: replace(read_counts_stored(stored, opened), free=free)
    )


def counts_job(planner: Planner, plan: CountsPlan, price: Price) -> Job:
    """The release at a price, as the door takes it. Everything public is computed here, before the charge."""
    _ = plan.best.ratio_up, plan.law(price), plan.best.strategy.readings
    weights = plan.asked.given_weights
    said = {
        "grounds": _grounds(plan, price).fields(),
        "asked": plan.asked.sql,
        "weights": None if weights is None else [str(weight) for weight in weights],
        "interval": plan.base.interval.value,
    }
    return Job(
        digest=_digest(planner, plan),
        accuracy=plan.strength(price),
        price=price,
        words=plan.asked.sql,
        note="workload",
        relation=plan.relation,
        chooses_keys=False,
        grounds=json.dumps(said).encode() + b"\n",
        session=lambda: planner.session(STATEMENTS, plan.base),
        statements=1 + 2 * bool(plan.base.binned),
        stages=CountsRun(plan, price).stages,
    )


def _digest(planner: Planner, plan: CountsPlan) -> str:
    own = hashlib.sha256(plan.digest.encode()).hexdigest()[:48]
    return f"{COUNTS}{planner.version}.{own}"


def read_counts_stored(stored: Stored, opened: Opened) -> ReleasedCounts:
    """Read a stored release of counting questions."""
    if stored.is_failed:
        raise Failed
    head, _, packed = stored.payload.partition(b"\n")
    said: Mapping[str, Any] = json.loads(head)
    charge = stored.charge
    return ReleasedCounts(
        NoisyCounts.from_bytes(packed),
        Grounds.from_fields(said["grounds"]),
        charge.number,
        True,
        opened.filter.share(charge.loss),
        charge.loss,
        said["asked"],
        None if said["weights"] is None else tuple(map(Fraction, said["weights"])),
        IntervalKind(said["interval"]),
    )


def _grounds(plan: CountsPlan, price: Price) -> Grounds:
    name, questions = next(iter(plan.base.question.aggregates)), plan.asked.matrix.questions
    share = plan.base.share("tally")
    listed = [{"counts": f"{name} in {questions:,} questions", "noise": "rounded Gaussian", "share": str(share)}]
    listed += [{"counts": "people by amount", "share": str(1 - share)}] if plan.base.binned else []
    claims = [*_CLAIMS, _FACTOR if plan.is_scaled else _ROWS]
    claims += [_FOUND] if plan.base.binned else []
    unit = f"{plan.base.unit} ({plan.relation})"
    return Grounds(plan.digest, unit, tuple(listed), str(price.alone), tuple(claims))
