"""Stored releases: the same request gives the same bytes, only what was charged is stored, and only once."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from tests.ledger.books import account_of, bodies, let_go, opened, places, request, rows, spent

from tacit.errors import Failed, Refused
from tacit.ledger import AccountName, Charge, Stored
from tacit.ledger.chain import Witness
from tacit.loss import Pure


def test_the_same_request_gives_the_same_bytes(tmp_path: Path) -> None:
    """R43: for any analyst, for less accuracy, after reopening; `fresh` pays in full and draws anew."""
    account = account_of(tmp_path, Pure(1))
    charge = account.charge(request("q", Pure("0.2"), accuracy=Fraction(2)))
    assert isinstance(charge, Charge)
    assert account.find("q", Fraction(1)) is None
    first = account.store(charge, b"\x00first")
    for again in (account, account_of(tmp_path, Pure(1))):
        for asked in (
            request("q", Pure("0.2"), accuracy=Fraction(2)),
            request("q", Pure("0.1"), analyst="bob"),
            request("q", Pure("0.1"), analyst="bob", share=Fraction(0)),
        ):
            assert again.charge(asked) == first == again.find("q", asked.accuracy)
    assert first.payload == b"\x00first"
    assert account.find("q", Fraction(3)) is None
    assert account.find("other", Fraction(1)) is None
    better = account.charge(request("q", Pure("0.3"), accuracy=Fraction(3)))
    assert isinstance(better, Charge)
    account.store(better, b"better")
    fresh = account.charge(request("q", Pure("0.2"), accuracy=Fraction(2), fresh=True))
    assert isinstance(fresh, Charge)
    assert fresh.number != charge.number
    account.store(fresh, b"fresh")
    found = account.find("q", Fraction(1))
    assert found is not None
    assert found.payload == b"better"
    assert spent(tmp_path, account.id) == {"epsilon": Fraction(7, 10)}


def test_the_newest_of_equally_good_releases_answers(tmp_path: Path) -> None:
    account = account_of(tmp_path, Pure(1))
    for payload in (b"one", b"two"):
        charge = account.charge(request("q", Pure("0.2"), fresh=True))
        assert isinstance(charge, Charge)
        account.store(charge, payload)
    found = account.find("q", Fraction(1))
    assert found is not None
    assert found.payload == b"two"


def test_a_charge_is_good_for_one_release(tmp_path: Path) -> None:
    """R33, R43: the first to store wins, and everyone gets what it stored, even who was taken for dead."""
    ours, theirs = account_of(tmp_path, Pure(1)), account_of(tmp_path, Pure(1))
    charge = ours.charge(request("q", Pure(1)))
    assert isinstance(charge, Charge)
    let_go(ours, charge)
    assert theirs.charge(request("q", Pure(1))) == charge
    first = theirs.store(charge, b"theirs")
    assert ours.store(charge, b"ours") == first == ours.store(charge, b"again")
    assert first.payload == b"theirs"
    assert len(bodies(tmp_path, "store")) == 1
    assert b"ours" not in str(rows(tmp_path)).encode()


def test_only_what_was_charged_is_stored(tmp_path: Path) -> None:
    """R39: a charge that differs in anything from the ledger's is refused, and so is another account's."""
    ledger = opened(tmp_path)
    account = ledger.account(AccountName(("csv:/a",), "row; add/remove"), Pure(1))
    other = ledger.account(AccountName(("csv:/b",), "row; add/remove"), Pure(1))
    charge = account.charge(request("q", Pure("0.1")))
    assert isinstance(charge, Charge)
    wrong = [
        replace(charge, digest="p"),
        replace(charge, loss=Pure("0.01")),
        replace(charge, accuracy=Fraction(9)),
        replace(charge, number=charge.number + 1),
        replace(charge, number=account.id),
        replace(charge, hash="0" * 64),
        replace(charge, account=other.id),
    ]
    for forged in wrong:
        with pytest.raises(Refused, match="paid for"):
            account.store(forged, b"x")
    for forged in (charge, replace(charge, account=other.id)):
        with pytest.raises(Refused, match="paid for"):
            other.store(forged, b"x")
    assert bodies(tmp_path, "store") == []
    assert isinstance(account.store(charge, b"x"), Stored)


def test_a_charge_is_not_handed_out_before_it_is_witnessed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R33, R41, R51: with the witness out of reach nothing is handed out, and nobody is told that nothing was spent;
    later the same charge is handed out, witnessed."""
    account = account_of(tmp_path, Pure(1))

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("tacit.ledger.chain.os.pwrite", fail)
        with pytest.raises(Failed):
            account.charge(request("q", Pure(1)))
    charge = account.charge(request("q", Pure(1)))
    assert isinstance(charge, Charge)
    witness = Witness(places(tmp_path)[1])
    known = witness.read()
    assert known is not None
    assert (known.entries, known.hash) == (charge.number + 1, account.head())
    assert [body["of"] for body in bodies(tmp_path, "again")] == [charge.number]
    with monkeypatch.context() as patched:
        patched.setattr("tacit.ledger.chain.os.pwrite", fail)
        with pytest.raises(Failed):
            account.store(charge, b"answer")
        with pytest.raises(Refused):
            account.find("q", Fraction(1))
    found = account.find("q", Fraction(1))
    known = witness.read()
    assert found is not None
    assert known is not None
    assert (known.entries, known.hash) == (found.number, found.hash)
    assert account.store(charge, b"another") == found
    assert len(bodies(tmp_path, "charge")) == 1
