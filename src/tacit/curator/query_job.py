"""A query as a job: its digest, its grounds, and how its stored release is read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from tacit.curator.door import Job, release
from tacit.curator.open_data import Opened
from tacit.curator.planner import Planner
from tacit.errors import Failed
from tacit.frozen import frozen
from tacit.ledger.certificate import Grounds
from tacit.ledger.request import Stored
from tacit.loss.families.loss import Loss
from tacit.query.execution.noisy_table import NoisyColumn, NoisyTable
from tacit.query.execution.program import key_rule
from tacit.query.execution.run import PlanRun
from tacit.query.plans.limit import IntervalKind, Origin
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price
from tacit.query.plans.question import Question
from tacit.query.sql.rows import Ownership

_BALL = "one person's totals, over all groups and columns, are scaled into a ball by the query itself"
_EACH = "each total of one person is cut by the query itself, and none is shrunk by what another is cut to"
_RANKS = "the rows of one person share a limited weight among the cells of a public grid"
_DISTINCT = "one person brings a limited number of values"
_GAUSSIAN = "rounded Gaussian noise is post-processing of the Gaussian mechanism (Balle–Wang curve, μ² adds up)"
_LAPLACE = "discrete Laplace noise over the ℓ₁ norm is ε-private, and ε adds up"
_KEYS = "keys that one person alone holds are shown with probability at most δ"
_FOUND = "limits were found from noisy numbers of people, at a fixed share of the price"
_AT_MOST = (
    "limits are the most that one person can have, as declared; whoever has more is cut to it by the query itself"
)
_MEANS = ("AVG(", "VAR", "STDDEV")
_PEOPLE_BY_AMOUNT = "people by amount"
_CHARGED = "the price was charged and durable before any row was read"


def mechanisms_of(plan: Plan, price: Price) -> tuple[Mapping[str, Any], ...]:
    """The noise on every column, in plain words; sizes are those of the price, not of the data."""
    noise = "discrete Laplace" if price.is_pure else "rounded Gaussian"
    listed = [
        {"counts": name, "noise": noise, "share": str(plan.each)}
        for name, aggregate in plan.question.aggregates.items()
        for _ in aggregate.parts
    ]
    if plan.is_selecting:
        listed.append({"counts": "people of each key", "noise": noise, "share": str(plan.share("keys"))})
    if plan.has_finding:
        listed.append({"counts": _PEOPLE_BY_AMOUNT, "noise": noise, "share": str(plan.share("finding"))})
    return tuple(listed)


def claims_of(plan: Plan, price: Price) -> tuple[str, ...]:
    """The claims that the price rests on."""
    claims = [_CHARGED, _LAPLACE if price.is_pure else _GAUSSIAN]
    is_alone = plan.interval is IntervalKind.USUAL and plan.question.rows.ownership is Ownership.ONE
    claims += [_EACH if is_alone else _BALL] if plan.measures else []
    claims += [_RANKS] if plan.ranks else []
    claims += [_DISTINCT] if plan.distincts else []
    claims += [_KEYS] if plan.is_selecting else []
    claims += [_FOUND] if plan.has_finding else []
    claims += [_AT_MOST] if plan.has_at_most else []
    return tuple(claims)


_LETTERS, _LISTED = 12, 11  # letters of an identity, and how many of them a digest can list


@frozen(eq=False)
class Answered:
    """A stored release: its noisy integers, its grounds, the entry that paid for it, and whether it was free now."""

    table: NoisyTable
    grounds: Grounds
    entry: int
    free: bool
    share: Fraction
    charge: Loss  # in the account's currency
    people: int | None  # the approximate number of units that a private key needs

    @property
    def finding(self) -> Fraction:
        """The share of its price for counting units by amount."""
        shares = (each["share"] for each in self.grounds.mechanisms if each["counts"] == _PEOPLE_BY_AMOUNT)
        return Fraction(next(shares, 0))

    def labelled(self, plan: Plan) -> Answered:
        """The release as a plan reads it: what holds by construction is guaranteed, if nothing else shrank it."""
        columns = dict(self.table.columns)
        for part in plan.question.parts:
            if plan.limits[part].origin is Origin.CONSTRUCTION:
                column = columns[plan.identity(part)]
                kind = IntervalKind.GUARANTEED if self._is_whole(plan, column) else IntervalKind.BOUNDED
                columns[plan.identity(part)] = replace(column, interval=kind)
        return replace(self, table=replace(self.table, columns=columns))

    def is_shrunk(self, plan: Plan) -> bool:
        """Whether something that holds by construction was shrunk all the same, as it is labelled."""
        built = [part for part in plan.question.parts if plan.limits[part].origin is Origin.CONSTRUCTION]
        return any(self.table.columns[plan.identity(part)].interval is IntervalKind.BOUNDED for part in built)

    def _is_whole(self, plan: Plan, column: NoisyColumn) -> bool:
        """Whether no factor shrank a column with what was cut beside it.

        Bounded releases have one beside means; people who were counted there are named guaranteed since it leaves them
        as they are. Usual ones of one row a person had one, also over groups, where `_EACH` is not claimed.
        """
        ownership = plan.question.rows.ownership
        names = [str(each["counts"]) for each in self.grounds.mechanisms]
        has_means = any(name.startswith(_MEANS) for name in names)
        if ownership is Ownership.MANY:
            return column.interval is IntervalKind.GUARANTEED or not has_means
        is_bounded = column.interval is IntervalKind.BOUNDED
        may_shrink = has_means or (bool(plan.question.keys) and not is_bounded)
        is_cut = ownership is Ownership.ONE and self.finding > 0
        return not (is_cut and may_shrink) or _EACH in self.grounds.claims


def request_digest(version: str, plan: Plan, keys_delta: Fraction) -> tuple[str, str]:
    """(family, digest): the identity of a request, and the part it shares with requests that count the same rows.

    After the family come the first letters of the parts' identities, as far as they fit: so an earlier release with
    these parts is found without reading it.
    """
    keys = str(keys_delta) if plan.is_selecting else ""
    family = hashlib.sha256(f"{version} {plan.family} {keys}".encode()).hexdigest()[:48] + "."
    parts = sorted(identity[:_LETTERS] for identity in plan.identities)
    return family, family + ("-".join(parts) if len(parts) <= _LISTED else plan.digest)


def find_stored(planner: Planner, plan: Plan, keys_delta: Fraction, strength: Fraction) -> Answered | None:
    """An earlier release that holds everything this plan counts, with at least this strength on every column.

    What holds by construction is one release under all kinds, but one that was shrunk serves bounded intervals alone.
    """
    family, _ = request_digest(planner.version, plan, keys_delta)
    wanted = {identity[:_LETTERS] for identity in plan.identities}

    def may_hold(digest: str) -> bool:
        parts = digest.removeprefix(family).split("-")
        return len(parts[0]) > _LETTERS or wanted <= set(parts)

    for stored in planner.opened.stored_under(family, strength, may_hold):
        answered = _read(stored, planner.opened)
        if plan.identities <= set(answered.table.columns):
            found = answered.labelled(plan)
            if plan.interval is IntervalKind.BOUNDED or not found.is_shrunk(plan):
                return found
    return None


def find_earlier(planner: Planner, question: Question, interval: IntervalKind) -> tuple[Plan, Answered] | None:
    """An earlier release that answers a question at any accuracy, and the plan that reads it."""
    for plan in planner.plans_of_any_price(question, interval):
        found = find_stored(planner, plan, planner.usual_keys_delta, Fraction(0))
        if found is not None:
            return plan, found
    return None


def release_query(planner: Planner, plan: Plan, price: Price, analyst: str, words: str, fresh: bool) -> Answered:
    """The release of a plan at a price: from the store if it is there, else through the door."""
    if not fresh and (earlier := find_stored(planner, plan, price.keys_delta, plan.enough(price))) is not None:
        return earlier
    job, opened = query_job(planner, plan, price, words), planner.opened

    def read(stored: Stored, free: bool) -> Answered:
        return replace(_read(stored, opened), free=free).labelled(plan)

    return release(opened, job, analyst, fresh, read)


def query_job(planner: Planner, plan: Plan, price: Price, words: str) -> Job:
    """The job of a plan at a price."""
    statements = planner.preparation.statements_for(plan)
    people = key_rule(plan, price).people() if plan.is_selecting else None
    grounds = json.dumps({"grounds": _grounds(plan, price).fields(), "people": people}).encode() + b"\n"
    return Job(
        digest=request_digest(planner.version, plan, price.keys_delta)[1],
        accuracy=plan.strength(price),
        price=price,
        words=words,
        note="query",
        relation=plan.relation,
        chooses_keys=plan.is_selecting,
        grounds=grounds,
        session=lambda: planner.session(statements, plan),
        statements=_statements_of(plan),
        stages=PlanRun(plan, price, statements).stages,
    )


def _statements_of(plan: Plan) -> int:
    """The approximate number of statements of a plan."""
    finding = (1 + bool(plan.measures) + len(plan.ranks)) if plan.binned else 0
    return finding + bool(plan.measures or plan.is_selecting) + len(plan.ranks) + len(plan.distincts)


def _read(stored: Stored, opened: Opened) -> Answered:
    if stored.is_failed:
        raise Failed
    head, _, packed = stored.payload.partition(b"\n")
    said = json.loads(head)
    # an older storage format
    kept = said["grounds"] if "grounds" in said else json.loads(said["certificate"])["statement"]
    table, grounds, charge = NoisyTable.from_bytes(packed), Grounds.from_fields(kept), stored.charge
    share = opened.filter.share(charge.loss)
    return Answered(table, grounds, charge.number, True, share, charge.loss, said["people"])


def _grounds(plan: Plan, price: Price) -> Grounds:
    unit, mechanisms = f"{plan.unit} ({plan.relation})", mechanisms_of(plan, price)
    return Grounds(plan.digest, unit, mechanisms, str(price.alone), claims_of(plan, price))
