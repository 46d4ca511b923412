"""The books of a data set: its description and its account in the ledger, without an engine."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Self

from tacit.curator.engine_choice import other_names, public_values
from tacit.frozen import frozen
from tacit.ledger.account import BudgetAccount
from tacit.ledger.history import Entry
from tacit.ledger.ledger import Ledger
from tacit.ledger.places import default_places
from tacit.ledger.registry import AccountName
from tacit.ledger.request import Stored
from tacit.loss.filters.privacy_filter import Filter
from tacit.schema.description import Description
from tacit.schema.reader import read_description


@frozen(eq=False)
class Books:
    """The description of the data, with its promise, and the account of what is spent."""

    description: Description
    ledger: Ledger

    @cached_property
    def account(self) -> BudgetAccount:
        """The account of these data, regardless of the description's name.

        A new one is opened, which fixes its budget.
        """
        return self.ledger.account(self.account_name, self.description.budget)

    def account_to_charge(self) -> BudgetAccount:
        """The account, found by the current identity of its sources: a file may have been replaced meanwhile."""
        name = self.account_name
        if self.__dict__.get("_charged_as") != name:
            self.__dict__["account"] = self.ledger.account(name, self.description.budget)
            self.__dict__["_charged_as"] = name
        return self.account

    @property
    def known_account(self) -> BudgetAccount | None:
        """The account if it is already open: looking at prices fixes no budget."""
        if "account" in self.__dict__:
            return self.account
        found = self.ledger.find(self.account_name, self.description.budget)
        if found is not None:
            self.__dict__["account"] = found  # cache it, as `account` does: the handle remembers sums of old entries
        return found

    @property
    def filter(self) -> Filter:
        """The budget and what is used of it."""
        account = self.known_account
        if account is None:
            return Filter(self.description.budget, relation=self.description.unit.relation)
        return account.filter()

    def stored_under(
        self, prefix: str, accuracy: Fraction = Fraction(0), holds: Callable[[str], bool] = bool
    ) -> tuple[Stored, ...]:
        """Every release with this digest prefix that passes and is accurate enough, the most accurate first."""
        account = self.known_account
        return () if account is None else account.stored_under(prefix, accuracy, holds)

    def history(self) -> tuple[Entry, ...]:
        """Every charge, oldest first."""
        account = self.known_account
        return () if account is None else account.history()

    @property
    def account_name(self) -> AccountName:
        """The names by which the account is found: paths of the sources, and identities of their files or tables."""
        named = self.written_name
        others = (name for table in self.description.tables.values() for name in other_names(table.source))
        return AccountName((*named.sources, *others), named.unit)

    @property
    def written_name(self) -> AccountName:
        """The names as the description writes them, without the current files."""
        unit = self.description.unit
        sources = tuple(table.source.identity for table in self.description.tables.values())
        return AccountName(sources, f"{unit.identifier or 'each row'}, {unit.relation}")

    def close(self) -> None:
        """Close the ledger."""
        self.ledger.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_books(path: str | Path, ledger: str | Path | None = None) -> Books:
    """The books that a description names; no engine is loaded, unless keys are read from a public table."""
    description = read_description(Path(path), public_values)
    return Books(description, open_ledger(description, ledger))


def open_ledger(description: Description, named: str | Path | None) -> Ledger:
    """The ledger given, or the one that the description names, or the user's default."""
    return Ledger.open(_place(description) if named is None else named)


def ledger_of(path: str | Path) -> str | Path:
    """The place of a description's ledger, which is not opened."""
    return _place(read_description(Path(path), public_values))


def _place(description: Description) -> str | Path:
    return default_places()[0] if description.ledger is None else description.ledger
