"""Online private multiplicative weights on a described data set: one charge up front, then a session of questions.

Claim: all answers of a session together cost its charge. The job's only stage reads the histogram once, in one
statement in which each person is in at most one cell, and releases the noisy number of people; later answers are
computed in memory by `WeightsSession`, whose file stores each answer before it is returned. A stored release is never
run again: a repeated request opens the session's file, from which the public hypothesis answers. Other releases may be
charged and made while a session is open: budgets that add up ρ, or ε and δ, hold for interactive mechanisms that take
turns (Haney, Shoemate, Tian, Vadhan, Vyrros, Xu and Zhang 2023). The file lies beside the ledger, on the machine that
asked.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import prod

from tacit.curator.door import Job, release
from tacit.curator.planner import Planner
from tacit.curator.terms import analyst_share
from tacit.errors import Failed, Refused
from tacit.exact import Number
from tacit.ledger.certificate import Grounds
from tacit.ledger.durable import make_folder
from tacit.ledger.request import Stored
from tacit.loss.families.loss import Relation
from tacit.loss.families.zcdp import Zcdp
from tacit.mechanisms.mechanism import percent
from tacit.mechanisms.weights.hypothesis import Hypothesis, private_histogram
from tacit.mechanisms.weights.online_weights import OnlineWeights
from tacit.mechanisms.weights.weights_session import WeightsReply, WeightsSession
from tacit.noise.bits import Bits
from tacit.query.engines.protocol import Session, Stage, add_up
from tacit.query.materialized.statements import STATEMENTS
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.price import Price, price_of
from tacit.query.post_noise.scope import canonical
from tacit.schema.kind import Key
from tacit.words import counted
from tacit.workload.cell_sums import CellSums
from tacit.workload.grouping_sets import read_tables
from tacit.workload.residual_basis import Weighting
from tacit.workload.scaled_rows import TableKey, row_sums_sql
from tacit.workload.tables_plan import TablesPlan, plan_tables

_CLAIMS = (
    "the price was charged and durable before any row was read",
    "each person is in at most one cell, which the query itself enforces",
    "answers come from the data for so many surprises alone; everything else is made of earlier answers",
)


class WeightsDesk:
    """Asks a session questions by the names of keys; `is_closed` where only the hypothesis answers."""

    def __init__(self, names: Sequence[str], keys: Sequence[TableKey], session: WeightsSession, by: OnlineWeights):
        self._names, self._keys, self._session, self._mechanism = tuple(names), tuple(keys), session, by

    @property
    def is_closed(self) -> bool:
        return self._session.is_closed

    @property
    def updates_left(self) -> int:
        """How many more answers can come from the data."""
        return self._session.updates_left

    @property
    def hypothesis(self) -> Hypothesis:
        """The public estimate of all cells; reading it is free."""
        return self._session.hypothesis

    def ask(self, where: Mapping[str, Key | Sequence[Key | None] | None]) -> WeightsReply:
        """How many people have these values: of each key that is named, one value or any of several."""
        if not isinstance(where, Mapping):
            shape = f'values by the names of keys, as {{"{self._names[0]}": …}}; {{}} is everybody.'
            raise Refused(f"a question of type {type(where).__name__}", "It names no key.", shape)
        asked: dict[int, list[int]] = {}
        for name, given in where.items():
            if name not in self._names:
                raise Refused(f"a question about {name}", "It is no key of this session.", ", ".join(self._names) + ".")
            place = self._names.index(name)
            values = [given] if isinstance(given, str) or not isinstance(given, Sequence) else list(given)
            unknown = [value for value in values if value not in self._keys[place].domain]
            if unknown:
                raise Refused(f"{name} = {unknown[0]!r}", "The key has no such value.", "one of its declared values.")
            asked[place] = [self._keys[place].domain.index(value) for value in values]
        return self._session.ask(asked)

    def error(self, questions: int = 1, confidence: Number = "0.95") -> int:
        """The error of this many replies together, as long as they are compared with the data."""
        return self._mechanism.error(confidence, questions)

    def close(self) -> None:
        """Drop the data."""
        self._session.close()

    def __str__(self) -> str:
        """What it is over, how many answers from the data are left, and how far off one reply is."""
        cells = counted(prod(len(key.domain) for key in self._keys), "cell")
        left = f"{self.updates_left:,} of {counted(self._mechanism.updates, 'answer')} from the data left"
        sure = "closed: the public hypothesis answers alone, and no error is known"
        if not self.is_closed:
            sure = f"each reply ± {self.error():,} ({percent('0.95')})"
        return f"A session over {', '.join(self._names)} ({cells}); {left}; {sure}."

    __repr__ = __str__

    def __enter__(self) -> WeightsDesk:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_weights(
    planner: Planner,
    analyst: str,
    sql: str,
    epsilon: Number,
    updates: int,
    *,
    delta: Number | None = None,
    alarm: int | None = None,
    fresh: bool = False,
) -> WeightsDesk:
    """A new session at a price; or the file of an identical earlier one, unless `fresh`."""
    analyst_share(planner.opened, analyst)
    plan = weights_plan(planner, sql)
    keys = [key for key in plan.public_keys() if key is not None]
    description, opened = planner.opened.description, planner.opened
    price = price_of(description.budget, description.promise, epsilon, delta, False)
    sizes = tuple(len(key.domain) for key in keys)
    mechanism = OnlineWeights.for_loss(price.alone, sizes, plan.relation, updates, alarm)
    if isinstance(price.charge, Zcdp):
        charge = mechanism.loss.zcdp()
        price = replace(price, strength=2 * charge.rho, charge=charge)
    folder, started = opened.ledger.beside.parent / "weights", list[WeightsSession]()

    def begin(session: Session, bits: Bits, _: Sequence[bytes]) -> bytes:
        name = secrets.token_hex(16)
        make_folder(folder)
        sums, table = CellSums(keys, 1), tuple(range(len(keys)))
        rows = plan.base.question.rows
        sums.add(table, add_up(session, row_sums_sql(rows, keys, table, plan.measures, plan.structure)))
        histogram = private_histogram(sums.margin(0, table), sizes)
        started.append(WeightsSession.start(mechanism, histogram, bits, folder / name))
        return name.encode()

    def read(stored: Stored, free: bool) -> WeightsSession:
        if stored.is_failed:
            raise Failed
        name = stored.payload.partition(b"\n")[2].decode()
        return WeightsSession.reopen(mechanism, folder / name) if free else started[0]

    job = _job(planner, plan, mechanism, price, begin)
    try:
        session = release(opened, job, analyst, fresh, read)
    except BaseException:
        for each in started:
            each.close()
        raise
    return WeightsDesk(_names(plan), keys, session, mechanism)


def weights_plan(planner: Planner, sql: str) -> TablesPlan:
    """The plan of one table of counts; refused where one unit may be in several cells, or its keys are private."""
    asked = read_tables(sql, planner.catalogue)
    planner.checked(asked.question)
    plan = plan_tables(asked, planner.catalogue, IntervalKind.GUARANTEED, Weighting.CELLS)
    counts = [part for part in plan.measures if part.subject == "rows" and part.size == 1]
    whole = tuple(range(len(plan.base.question.keys)))
    if not (len(asked.tables) == len(counts) == len(plan.measures) == 1 and asked.tables[0].attributes == whole):
        raise Refused(
            "weights over this text",
            "A session is about one table of people by public keys.",
            "SELECT a, b, COUNT(*) … GROUP BY a, b.",
        )
    if plan.private or plan.structure.tree.places:
        raise Refused("weights by private or nested keys", "The domain must be declared, cell by cell.", "other keys.")
    if plan.is_scaled:
        raise Refused(
            "weights where a person may have several rows",
            "One person would be in several cells, and their count could move by more than 1.",
            "a table with one row a person; or tables, which scale people.",
        )
    if plan.relation is Relation.REPLACE:
        raise Refused(
            "weights under replace",
            "The hypothesis starts from a public number of people, and none is declared.",
            "a unit under add/remove; or the mechanism `OnlineWeights` with people=n.",
        )
    return plan


def _job(planner: Planner, plan: TablesPlan, mechanism: OnlineWeights, price: Price, begin: Stage) -> Job:
    listed = {"counts": "surprises", "updates": str(mechanism.updates), "alarm": str(mechanism.alarm)}
    unit = f"{plan.base.unit} ({plan.relation})"
    grounds = Grounds(plan.digest, unit, (listed,), str(price.alone), _CLAIMS)
    own = hashlib.sha256(f"{plan.digest} {mechanism!r}".encode()).hexdigest()[:48]
    return Job(
        digest=f"weights.{planner.version}.{own}",
        accuracy=Fraction(1),
        price=price,
        words=plan.asked.sql,
        note="weights",
        relation=plan.relation,
        chooses_keys=False,
        grounds=json.dumps({"grounds": grounds.fields(), "asked": plan.asked.sql}).encode() + b"\n",
        session=lambda: planner.session(STATEMENTS, plan.base),
        statements=1,
        stages=(begin,),
    )


def _names(plan: TablesPlan) -> list[str]:
    """The keys as the SELECT names them, else as they are written."""
    items = plan.asked.tables[0].whole.expressions
    said = {canonical(item.unalias()): item.alias_or_name for item in items}
    return [said.get(key.name) or key.name for key in plan.base.question.keys]
