"""Charges: exact, componentwise, permanent, and without any write where one is refused."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ledger.books import FILE_ONLY, NAME, account_of, let_go, nth, opened, places, request, rows, spent
from tests.ledger.kept import Kept

from tacit.errors import Refused
from tacit.ledger import AccountName, Charge, Ledger, Stored
from tacit.loss import Approx, Composition, Gdp, LaplacePair, Loss, Pure, Rdp, Relation, Zcdp
from tacit.loss.filters.privacy_filter import Filter

BUDGETS: list[Loss] = [Pure("0.3"), Approx("0.3", "1e-6"), Zcdp("0.3", "1e-6"), Gdp("0.3")]
NAMES = count()


@pytest.fixture(scope="module")
def shared(kept_in: Kept) -> Iterator[Ledger]:
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder)) as ledger:
        yield ledger


def new_name() -> AccountName:
    return AccountName((f"csv:/data/{next(NAMES)}.csv",), "each row; add/remove")


@settings(max_examples=12)
@given(n=st.integers(1, 9), budget=st.sampled_from(BUDGETS))
def test_n_charges_of_an_nth_fit_and_one_more_never(shared: Ledger, n: int, budget: Loss) -> None:
    """R35; each charge through a handle of its own."""
    name, part = new_name(), nth(budget, n)
    for i in range(n):
        assert isinstance(shared.account(name, budget).charge(request(f"q{i}", part)), Charge)
    account = shared.account(name, budget)
    assert account.filter().used == account.filter().limit
    for last in (part, nth(budget, 10**30)):
        with pytest.raises(Refused, match="is left"):
            account.charge(request("one-more", last))
    assert len(account.history()) == n


@settings(max_examples=12)
@given(st.lists(st.tuples(st.fractions(0, 1), st.fractions(0, Fraction(1, 10))), max_size=8))
def test_a_charge_fits_iff_every_component_fits(shared: Ledger, charges: list[tuple[Fraction, Fraction]]) -> None:
    """R38; and what the handle remembers is what a full reading finds."""
    for make in (Approx, Zcdp):
        name, budget = new_name(), make(2, "0.2")
        account, sums = shared.account(name, budget), (Fraction(0), Fraction(0))
        for i, (first, second) in enumerate(charges):
            after = (sums[0] + first, sums[1] + second)
            if after[0] <= 2 and after[1] <= Fraction(1, 5):
                account.charge(request(f"q{i}", make(first, second)))
                sums = after
            else:
                with pytest.raises(Refused, match="every component must fit"):
                    account.charge(request(f"q{i}", make(first, second)))
            wanted = Filter(budget, sums, Relation.ADD_REMOVE)
            assert account.filter() == shared.account(name, budget).filter() == wanted


def test_two_handles_see_each_other(tmp_path: Path) -> None:
    """Remembered sums never go stale: the other process's charges are read before the next is admitted."""
    ours, theirs = account_of(tmp_path, Pure(1)), account_of(tmp_path, Pure(1))
    for i in range(5):
        ours.charge(request(f"ours-{i}", Pure("0.1")))
        theirs.charge(request(f"theirs-{i}", Pure("0.1"), analyst="bob"))
    all_spent = Filter(Pure(1), (Fraction(1),), Relation.ADD_REMOVE)
    assert ours.filter() == theirs.filter() == account_of(tmp_path, Pure(1)).filter() == all_spent
    for account in (ours, theirs):
        with pytest.raises(Refused, match="0% of the budget"):
            account.charge(request("more", Pure("0.1")))
    assert spent(tmp_path, ours.id) == {"epsilon": Fraction(1)}


def test_an_analyst_has_a_share_of_every_component(tmp_path: Path) -> None:
    """R41: the whole budget binds all analysts together; a share binds one of them."""
    account, half = account_of(tmp_path, Zcdp(1, "1e-6")), Fraction(1, 2)
    account.charge(request("a1", Zcdp("0.5"), share=half))
    with pytest.raises(Refused, match="this analyst may use, only ρ = 0, δ = 5e-07") as refusal:
        account.charge(request("a2", Zcdp("0.1"), share=half))
    assert "steward may raise" in refusal.value.accepted
    with pytest.raises(Refused, match="this analyst"):
        account.charge(request("a3", Zcdp(0, "6e-7"), share=half))
    account.charge(request("b1", Zcdp("0.4"), share=half, analyst="bob"))
    with pytest.raises(Refused, match=r"Only ρ = 0.1, δ = 1e-06 is left, 10% of the budget") as refusal:
        account.charge(request("c1", Zcdp("0.2"), share=half, analyst="cyd"))
    assert refusal.value.asked == "a release that costs ρ = 0.2, 20% of the budget"
    assert "at most 50% of that" in refusal.value.accepted
    account.charge(request("c1", Zcdp("0.1"), share=half, analyst="cyd"))


def test_a_refusal_leaves_everything_as_it_was(tmp_path: Path) -> None:
    """R36, R40: what has no sound price in the account, does not fit or is malformed changes no byte."""
    ledger = opened(tmp_path)
    account = ledger.account(NAME, Pure(1))
    charge = account.charge(request("first", Pure("0.5")))
    assert isinstance(charge, Charge)
    before = rows(tmp_path)
    attempts = [
        lambda: account.charge(request("gaussian", Gdp(1))),
        lambda: account.charge(request("keys", Approx("0.1", "1e-9"))),
        lambda: account.charge(request("much", Pure("0.6"))),
        lambda: account.charge(request("share", Pure("0.1"), share=Fraction(1, 2))),
        lambda: account.charge(request("", Pure("0.1"))),
        lambda: account.charge(request("nobody", Pure("0.1"), analyst=" ")),
        lambda: account.charge(request("share", Pure("0.1"), share=Fraction(2))),
        lambda: account.charge(request("worse", Pure("0.1"), accuracy=Fraction(-1))),
        lambda: account.charge(request("long", Pure(Fraction(1, 7**9000)))),
        lambda: account.charge(request("none", "0.1")),
        lambda: account.store(Charge(account.id, 99, "first", Fraction(1), Pure("0.5"), ""), b""),
        lambda: ledger.account(NAME, Pure(2)),
        lambda: ledger.account(AccountName(NAME.sources, "another unit"), Pure(1)),
        lambda: ledger.account(new_name(), LaplacePair(1)),
        lambda: ledger.account(new_name(), Rdp({2: 1, 3: 1})),
        lambda: ledger.account(new_name(), Rdp({2: 1})),
        lambda: AccountName((), "unit"),
    ]
    for attempt in attempts:
        with pytest.raises(Refused):
            attempt()
        assert rows(tmp_path) == before


def test_a_loss_is_kept_in_the_accounts_currency(tmp_path: Path) -> None:
    """R35, R36: whatever the release is made of, what is written is what adds up."""
    account = account_of(tmp_path, Zcdp(1, "1e-6"))
    for i, loss in enumerate([Pure("0.1"), Gdp("0.1"), Composition([Gdp("0.1"), Pure("0.1")]), LaplacePair("0.1")]):
        charge = account.charge(request(f"q{i}", loss))
        assert isinstance(charge, Charge)
        assert charge.loss == loss.zcdp()
    assert account.filter().used[0] == sum(entry.loss.zcdp().rho for entry in account.history())


def test_a_failure_after_the_charge_leaves_it_spent(tmp_path: Path) -> None:
    """R34: there is no refund; the same request may still run, once, and another may not use its money."""
    died = account_of(tmp_path, Pure(1))
    charge = died.charge(request("fails", Pure(1)))
    assert isinstance(charge, Charge)
    let_go(died, charge)
    account = account_of(tmp_path, Pure(1))
    assert account.filter().spent == Pure(1, relation=Relation.ADD_REMOVE)
    for other in (request("other", Pure("0.1")), request("fails", Pure(1), analyst="bob")):
        with pytest.raises(Refused, match="is left"):
            account.charge(other)
    for changed in (request("fails", Pure("0.5")), request("fails", Pure(1), accuracy=Fraction(2))):
        with pytest.raises(Refused, match="is left"):
            account.charge(changed)
    assert account.charge(request("fails", Pure(1))) == charge
    assert [entry.stored for entry in account.history()] == [False]
    account.store(charge, b"answer")
    assert [(entry.stored, entry.share) for entry in account.history()] == [(True, Fraction(1))]
    assert isinstance(account.charge(request("fails", Pure(1))), Stored)


@FILE_ONLY
def test_files_are_their_owners_alone(tmp_path: Path) -> None:
    account_of(tmp_path, Pure(1)).charge(request("q", Pure("0.1")))
    for place in map(Path, places(tmp_path)):
        assert place.parent.stat().st_mode & 0o777 == 0o700
        for file in place.parent.iterdir():
            assert file.stat().st_mode & 0o777 == 0o600


def test_names_are_keyed_by_the_ledgers_own_secret(tmp_path: Path) -> None:
    with opened(tmp_path / "one") as one, opened(tmp_path / "two") as two:
        assert one.keyed("size 3") == one.keyed("size 3") != one.keyed("size 4")
        assert one.keyed("size 3") != two.keyed("size 3")
        named = one.keyed("size 3")
    with opened(tmp_path / "one") as again:
        assert again.keyed("size 3") == named


def test_nothing_is_charged_that_could_not_be_witnessed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A witness on a disk that was made read-only was noticed behind the charge: paid for, and failed."""
    account = account_of(tmp_path, Pure(1))
    before, real = rows(tmp_path), os.open

    def refusing(path: str | Path, flags: int, mode: int = 0o777) -> int:
        if Path(path).name == "witness" and flags & os.O_WRONLY:
            raise OSError(errno.EROFS, "Read-only file system")
        return real(path, flags, mode)

    with monkeypatch.context() as patch:
        patch.setattr("tacit.ledger.chain.os.open", refusing)
        with pytest.raises(Refused, match="could not be read or written"):
            account.charge(request("q", Pure("0.1")))
    assert rows(tmp_path) == before
    assert isinstance(account.charge(request("q", Pure("0.1"))), Charge)
