"""The door: charge, commit, run, store, answer. Nothing leaves before it is paid for and stored."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from fractions import Fraction

from tacit.certificate.grounds import Grounds
from tacit.curator.before_the_charge import ready
from tacit.curator.behind_the_charge import paid
from tacit.curator.claims import claims_of, mechanisms_of
from tacit.curator.opened import Opened
from tacit.curator.terms import refuse_below_floor, terms_of
from tacit.curator.watching import statements_of
from tacit.errors import Failed
from tacit.frozen import frozen
from tacit.ledger.request import Charge, Request, Stored
from tacit.loss.loss import Loss
from tacit.noise.bits import Bits
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price
from tacit.query.plans.program import key_rule
from tacit.query.running.noisy_table import NoisyTable
from tacit.query.running.run import run

_LETTERS, _LISTED = 12, 11  # letters of an identity, and how many of them a digest can list


@frozen(eq=False)
class Answered:
    """A stored release: its noisy integers, what it rests on, which entry paid for it, and whether it was free now."""

    table: NoisyTable
    grounds: Grounds
    entry: int
    free: bool
    share: Fraction
    charge: Loss  # in the account's currency
    people: int | None  # about how many a private key needs


def request_digest(opened: Opened, plan: Plan, keys_delta: Fraction) -> tuple[str, str]:
    """(family, digest): what identifies a request, and what it has in common with requests that count the same rows.

    Behind the family stand the parts, by the first letters of their identities where they fit: so an earlier release
    that holds them can be told without reading it.
    """
    keys = str(keys_delta) if plan.is_selecting else ""
    family = hashlib.sha256(f"{opened.data_version()} {plan.family} {keys}".encode()).hexdigest()[:48] + "."
    parts = sorted(identity[:_LETTERS] for identity in plan.identities)
    return family, family + ("-".join(parts) if len(parts) <= _LISTED else plan.digest)


def find_stored(opened: Opened, plan: Plan, keys_delta: Fraction, strength: Fraction) -> Answered | None:
    """An earlier release that holds everything this plan counts, with at least this strength on every column."""
    return _find(opened, plan, request_digest(opened, plan, keys_delta)[0], strength)


def _find(opened: Opened, plan: Plan, family: str, strength: Fraction) -> Answered | None:
    wanted = {identity[:_LETTERS] for identity in plan.identities}

    def may_hold(digest: str) -> bool:
        parts = digest.removeprefix(family).split("-")
        return len(parts[0]) > _LETTERS or wanted <= set(parts)

    for stored in opened.stored_under(family, strength, may_hold):
        answered = _read(stored, opened)
        if plan.identities <= set(answered.table.columns):
            return answered
    return None


def release(opened: Opened, plan: Plan, price: Price, analyst: str, words: str, fresh: bool) -> Answered:
    """The release of a plan at a price: from the store if it is there, else charged first and then run."""
    terms = terms_of(opened, analyst)
    family, digest = request_digest(opened, plan, price.keys_delta)
    strength = plan.strength(price)
    if not fresh and (earlier := _find(opened, plan, family, strength)) is not None:
        return earlier
    refuse_below_floor(opened, price, plan.is_selecting)
    if opened.known_account is None:  # a first request that does not fit must not open the account
        opened.filter.charge(price.charge)
    statements = opened.preparation.statements_for(plan)
    people = key_rule(plan, price).people() if plan.is_selecting else None
    _ = opened.signing_key  # refused now, where it cannot be used, and not when there is something to sign
    head = json.dumps({"grounds": _grounds(plan, price).fields(), "people": people}).encode()
    request = Request(digest, strength, price.charge, analyst, words, terms, fresh, relation=plan.relation)
    with ready(opened, statements, plan) as session:

        def made(_: Charge, bits: Bits) -> bytes:
            opened.watcher(session, statements_of(plan))
            table = run(plan, price, session, bits, statements)
            return head + b"\n" + table.to_bytes()

        return paid(
            opened.account_to_charge(), request, made, lambda stored, free: replace(_read(stored, opened), free=free)
        )


def _read(stored: Stored, opened: Opened) -> Answered:
    if stored.is_failed:
        raise Failed
    head, _, packed = stored.payload.partition(b"\n")
    said = json.loads(head)
    kept = said["grounds"] if "grounds" in said else json.loads(said["certificate"])["statement"]  # as it was kept once
    table, grounds, charge = NoisyTable.from_bytes(packed), Grounds.from_fields(kept), stored.charge
    share = opened.filter.share(charge.loss)
    return Answered(table, grounds, charge.number, True, share, charge.loss, said["people"])


def _grounds(plan: Plan, price: Price) -> Grounds:
    unit, mechanisms = f"{plan.unit} ({plan.relation})", mechanisms_of(plan, price)
    return Grounds(plan.digest, unit, mechanisms, str(price.alone), claims_of(plan, price))
