"""Accounts: a budget belongs to data and a unit, independent of descriptions and names."""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path

import pytest
from tests.ledger.books import FILE_ONLY, bodies, opened, request

from tacit.errors import Refused
from tacit.ledger import AccountName, Ledger, default_places
from tacit.ledger.places import witness_of
from tacit.loss import Approx, Pure, Relation, Zcdp


def test_a_second_description_shares_the_account(tmp_path: Path) -> None:
    """R41: sources in any order, more of them, fewer of them: one budget."""
    with opened(tmp_path) as ledger:
        first = ledger.account(AccountName(("csv:/a", "csv:/b"), "row; add/remove"), Pure(1))
        first.charge(request("q", Pure("0.4")))
        for sources in (("csv:/b", "csv:/a"), ("csv:/b",), ("csv:/b", "csv:/c"), ("csv:/c",), ("csv:/c", "csv:/d")):
            same = ledger.account(AccountName(sources, "row; add/remove"), Pure(1))
            assert same.id == first.id
            assert same.filter().spent == Pure("0.4", relation=Relation.ADD_REMOVE)
        other = ledger.account(AccountName(("csv:/z",), "row; add/remove"), Pure(1))
        assert other.id != first.id
        assert other.filter().spent == Pure(0, relation=Relation.ADD_REMOVE)
        with pytest.raises(Refused, match="several accounts"):
            ledger.account(AccountName(("csv:/z", "csv:/d"), "row; add/remove"), Pure(1))
    assert len(bodies(tmp_path, "open")) == 2
    assert [body["sources"] for body in bodies(tmp_path, "join")] == [["csv:/c"], ["csv:/d"]]


def test_unit_and_budget_are_fixed_when_first_opened(tmp_path: Path) -> None:
    with opened(tmp_path) as ledger:
        name = AccountName(("csv:/a",), "one patient; add/remove")
        ledger.account(name, Zcdp(1, "1e-6"))
        with pytest.raises(Refused, match="hides one patient; add/remove"):
            ledger.account(AccountName(name.sources, "one visit; add/remove"), Zcdp(1, "1e-6"))
        for budget in (Zcdp(2, "1e-6"), Zcdp("0.5", "1e-6"), Zcdp(1), Pure(1), Approx(1, "1e-6")):
            with pytest.raises(Refused, match="fixed at ρ = 1, δ = 1e-06 when they were first opened"):
                ledger.account(name, budget)
        assert ledger.account(name, Zcdp(1, "1e-6")).budget == Zcdp(1, "1e-6")


def test_a_pure_budget_is_not_the_same_as_one_with_no_delta(tmp_path: Path) -> None:
    """R36: the currency is fixed too."""
    with opened(tmp_path) as ledger:
        name = AccountName(("csv:/a",), "row; add/remove")
        ledger.account(name, Pure(1))
        with pytest.raises(Refused, match="fixed at"):
            ledger.account(name, Approx(1, 0))


def test_history_says_who_when_what_and_how_much(tmp_path: Path) -> None:
    with opened(tmp_path) as ledger:
        account = ledger.account(AccountName(("csv:/a",), "row; add/remove"), Pure(2))
        account.charge(request("q1", Pure("0.5"), analyst="Zoë\ud800\x00"))
        (entry,) = account.history()
    assert (entry.analyst, entry.words, entry.note) == ("Zoë\ud800\x00", "SELECT COUNT(*) FROM visits", "query")
    assert (entry.loss, entry.share, entry.stored) == (Pure("0.5"), Fraction(1, 4), False)
    assert entry.time.endswith("+00:00")


@FILE_ONLY
def test_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("TACIT_HOME", raising=False)
    monkeypatch.delenv("TACIT_WITNESS", raising=False)
    home = tmp_path / ".local"
    assert default_places() == (home / "share/tacit/ledger.sqlite", home / "state/tacit/witness")
    assert witness_of(default_places()[0]) == default_places()[1]
    here, there = witness_of(tmp_path / "here.sqlite"), witness_of(tmp_path / "there.sqlite")
    assert here != there
    assert here.parent == there.parent == home / "state/tacit"
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "elsewhere"))
    elsewhere, witness = default_places()
    assert elsewhere == tmp_path / "elsewhere/ledger.sqlite"
    assert witness == witness_of(elsewhere) != home / "state/tacit/witness"  # that is another ledger's
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "witness"))
    assert default_places() == (tmp_path / "elsewhere/ledger.sqlite", tmp_path / "witness")
    with Ledger.open(tmp_path / "new folder?#%" / "ledger.sqlite") as ledger:
        assert ledger.beside.exists()
        assert witness_of(ledger.beside).exists()


def test_a_handle_does_not_cross_a_fork(tmp_path: Path) -> None:
    """R12's kin: neither SQLite's locks nor a connection survive a fork, so the handle refuses there."""
    with opened(tmp_path) as ledger:
        account = ledger.account(AccountName(("csv:/a",), "row; add/remove"), Pure(2))
        child = os.fork()
        if child == 0:
            try:
                account.filter()
            except Refused as refusal:
                os._exit(7 if "fork" in refusal.asked else 1)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert account.filter().spent == Pure(0, relation=Relation.ADD_REMOVE)


@FILE_ONLY
def test_what_is_no_ledger_is_refused(tmp_path: Path) -> None:
    text, empty, witness = tmp_path / "text", tmp_path / "empty", tmp_path / "witness"
    text.write_text("not a database " * 100)
    empty.write_bytes(b"")
    for path in (text, empty, tmp_path):
        with pytest.raises(Refused):
            Ledger.open(path, witness)
    assert not witness.exists()
