"""Tables as a job: its digest, its grounds, and how its stored release is found and read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from tacit.curator.door import Job, release
from tacit.curator.open_data import Opened
from tacit.curator.planner import TABLES, Planner
from tacit.errors import Failed, Refused
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.ledger.certificate import Grounds
from tacit.ledger.request import Stored
from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Loss
from tacit.query.materialized.statements import STATEMENTS
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.price import Price, price_of
from tacit.workload.grouping_sets import read_tables
from tacit.workload.noisy_contrasts import NoisyTables
from tacit.workload.residual_basis import Weighting
from tacit.workload.tables_plan import TablesPlan, plan_tables
from tacit.workload.tables_run import TablesRun

_Centres: TypeAlias = tuple[tuple[tuple[str, str], int], ...]
_PLANS: WeakKeyDictionary[Opened, dict[tuple[str, _Centres, IntervalKind, Weighting], TablesPlan]] = WeakKeyDictionary()
"""A cache by open data set: each later query needs the plans of all releases, and reading many tables is slow."""

_CLAIMS = (
    "the price was charged and durable before any row was read",
    "rounded Gaussian noise is post-processing of the Gaussian mechanism (Balle–Wang curve, μ² adds up)",
    "contrasts of all tables are whole-number multiples of integer Helmert contrasts, whose norm for one row is exact",
)
_ROWS = "each person is one row, within declared bounds that the query itself enforces"
_FACTOR = "one person's cells, over all tables and columns, are scaled by one factor in the query itself"
_KEYS = "keys that one person alone holds are shown with probability at most δ"
_FOUND = "limits were found from noisy numbers of people, at a fixed share of the price"


@frozen(eq=False)
class ReleasedTables:
    """A stored release of tables: its noisy contrasts, its grounds, the entry that paid for it, and its share."""

    tables: NoisyTables
    grounds: Grounds
    entry: int
    free: bool
    share: Fraction
    charge: Loss
    asked: str  # the SELECTs that it was charged for
    interval: IntervalKind
    weighting: Weighting


def tables_plan(planner: Planner, sql: str, interval: IntervalKind, weighting: Weighting) -> TablesPlan:
    """The plan of the tables that a text asks for; refused in a pure account, which has no Gaussian noise."""
    description = planner.opened.description
    if isinstance(description.budget, Pure):
        raise Refused(
            "tables in a pure account",
            "Their noise is Gaussian, which needs a δ above 0.",
            "a budget with a δ; or one query for each table.",
        )
    centres = None if planner.profile is None else planner.profile.centres
    asked = sql, tuple(sorted((centres or {}).items())), interval, weighting
    known = _PLANS.setdefault(planner.opened, {})
    if asked not in known:
        tables = read_tables(sql, planner.catalogue, centres)
        planner.checked(tables.question)
        known[asked] = plan_tables(tables, planner.catalogue, interval, weighting)
    return known[asked]


def tables_price(planner: Planner, plan: TablesPlan, epsilon: Number, delta: Number | None) -> Price:
    """The price at which the release of all tables together is (ε, δ)-private."""
    description = planner.opened.description
    return price_of(description.budget, description.promise, epsilon, delta, bool(plan.private))


def find_tables(planner: Planner, plan: TablesPlan, keys_delta: Fraction, strength: Fraction) -> ReleasedTables | None:
    """An earlier release of these very tables that is at least as accurate."""
    for stored in planner.opened.stored_under(_digest(planner, plan, keys_delta), strength):
        return read_stored(stored, planner.opened)
    return None


def all_tables(planner: Planner) -> Iterator[ReleasedTables]:
    """All releases of tables of this version of the data, the most accurate first."""
    for stored in planner.opened.stored_under(f"{TABLES}{planner.version}.", Fraction(0)):
        if not stored.is_failed:
            yield read_stored(stored, planner.opened)


def release_tables(planner: Planner, plan: TablesPlan, price: Price, analyst: str, fresh: bool) -> ReleasedTables:
    """The release of tables at a price: from the store if it is there, else through the door."""
    if not fresh and (earlier := find_tables(planner, plan, price.keys_delta, plan.strength(price))) is not None:
        return earlier
    opened, job = planner.opened, tables_job(planner, plan, price)
    return release(opened, job, analyst, fresh, lambda stored, free: replace(read_stored(stored, opened), free=free))


def tables_job(planner: Planner, plan: TablesPlan, price: Price) -> Job:
    """The job of tables at a price."""
    said = {
        "grounds": _grounds(plan, price).fields(),
        "asked": plan.asked.sql,
        "interval": plan.base.interval.value,
        "weighting": plan.weighting.value,
    }
    return Job(
        digest=_digest(planner, plan, price.keys_delta),
        accuracy=plan.strength(price),
        price=price,
        words=plan.asked.sql,
        note="tables",
        relation=plan.relation,
        chooses_keys=bool(plan.private),
        grounds=json.dumps(said).encode() + b"\n",
        session=lambda: planner.session(STATEMENTS, plan.base),
        statements=len(plan.scans(plan.public_keys())) + len(plan.private) + bool(plan.binned) + plan.is_scaled,
        stages=TablesRun(plan, price).stages,
    )


def _digest(planner: Planner, plan: TablesPlan, keys_delta: Fraction) -> str:
    keys = str(keys_delta) if plan.private else ""
    own = hashlib.sha256(f"{plan.digest} {keys}".encode()).hexdigest()[:48]
    return f"{TABLES}{planner.version}.{own}"


def read_stored(stored: Stored, opened: Opened) -> ReleasedTables:
    """Read a stored release of tables."""
    if stored.is_failed:
        raise Failed
    head, _, packed = stored.payload.partition(b"\n")
    said: Mapping[str, Any] = json.loads(head)
    charge = stored.charge
    return ReleasedTables(
        _unpacked(packed),
        Grounds.from_fields(said["grounds"]),
        charge.number,
        True,
        opened.filter.share(charge.loss),
        charge.loss,
        said["asked"],
        IntervalKind(said["interval"]),
        Weighting(said["weighting"]),
    )


@lru_cache(maxsize=8)
def _unpacked(packed: bytes) -> NoisyTables:
    """The tables of a stored release, with cached results."""
    return NoisyTables.from_bytes(packed)


def _grounds(plan: TablesPlan, price: Price) -> Grounds:
    listed = [
        {"counts": name, "noise": "rounded Gaussian on contrasts", "share": str(plan.share("table"))}
        for name, aggregate in plan.base.question.aggregates.items()
        for _ in aggregate.parts
    ]
    listed += [{"counts": "values of each private key", "share": str(plan.share("keys"))}] if plan.private else []
    listed += [{"counts": "people by amount", "share": str(plan.share("finding"))}] if plan.binned else []
    claims = [*_CLAIMS, _FACTOR if plan.is_scaled else _ROWS]
    claims += [_KEYS] if plan.private else []
    claims += [_FOUND] if plan.binned else []
    unit = f"{plan.base.unit} ({plan.relation})"
    return Grounds(plan.digest, unit, tuple(listed), str(price.alone), tuple(claims))
