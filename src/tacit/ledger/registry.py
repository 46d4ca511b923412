"""The registry of accounts: an account is found by its sources and its unit, not by a description's name.

A source has several names: its path as written, and the identities of its files or tables. Any of them finds the
account, so a hard link has no budget of its own, and a replaced file keeps the budget of its path.
"""

from __future__ import annotations

from typing import NamedTuple

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.ledger.chain import Chain
from tacit.ledger.events import AccountOpened, SourceJoined
from tacit.loss.families.loss import Loss, Relation
from tacit.loss.families.zcdp import Zcdp

_DIGITS = 10**9


@frozen
class AccountName:
    """The identity of an account: every name of every private source, and the unit with its relation."""

    sources: tuple[str, ...]
    unit: str

    def __post_init__(self) -> None:
        texts = isinstance(self.sources, tuple) and all(isinstance(text, str) and text for text in self.sources)
        if not (texts and self.sources and isinstance(self.unit, str) and self.unit):
            raise Refused(
                "an account without sources or without a unit",
                "A budget belongs to data, and says whom it hides.",
                "the identity of every private source, and the unit.",
            )
        object.__setattr__(self, "sources", tuple(sorted(set(self.sources))))


def relation_of(unit: str) -> Relation | None:
    """The neighbour relation that a unit's words end with; None where they name none."""
    return next((relation for relation in Relation if unit.endswith(str(relation))), None)


class Known(NamedTuple):
    """An account in the ledger."""

    id: int
    unit: str
    budget: Loss
    sources: frozenset[str]


def read_accounts(chain: Chain) -> dict[int, Known]:
    """All accounts, from the entries that opened and widened them."""
    accounts: dict[int, Known] = {}
    for link in chain.links("kind IN ('open', 'join')"):
        event = link.event
        if isinstance(event, AccountOpened):
            accounts[link.number] = Known(link.number, event.unit, event.budget, frozenset(event.sources))
        elif isinstance(event, SourceJoined):
            known = accounts[link.account]
            accounts[link.account] = known._replace(sources=known.sources | frozenset(event.sources))
    return accounts


def find_account(chain: Chain, name: AccountName, budget: Loss) -> Known | None:
    """The account that owns any of these sources, or None; refused if unit, budget or owners disagree."""
    owners = [known for known in read_accounts(chain).values() if known.sources & set(name.sources)]
    if not owners:
        return None
    known = owners[0]
    if len(owners) > 1:
        raise Refused(
            "one account for sources of several accounts",
            "Each has a budget of its own, and budgets are never merged. (A hard link is the file it links to.)",
            "a description for each, with the tables and files of one account only.",
        )
    if not known.unit == name.unit:
        raise Refused(
            f"an account that hides {name.unit}",
            f"The budget of these data hides {known.unit}; losses under two units do not add up.",
            f"the unit they were opened with: {known.unit}.",
        )
    if not _is_same(known.budget, budget):
        raise Refused(
            f"a budget of {budget}",
            f"The budget of these data was fixed at {known.budget} when they were first opened.",
            f"keep it: {known.budget}.",
        )
    return known


def _is_same(kept: Loss, asked: Loss) -> bool:
    """Whether a budget equals the fixed one: for a ρ computed from an (ε, δ), up to the last digits.

    The account keeps the budget it was opened with, so a difference in these digits has no effect.
    """
    if not (isinstance(kept, Zcdp) and isinstance(asked, Zcdp) and kept.exact_delta == asked.exact_delta):
        return kept == asked
    return abs(kept.rho - asked.rho) <= kept.rho / _DIGITS
