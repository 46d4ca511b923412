"""The course of a charge: noise is drawn once for it, a failure is its answer, and only the unmarked run again."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from tests.ledger.books import account_of, bodies, let_go, opened, request, spent
from tests.ledger.kept import Kept

from tacit.errors import Failed, Refused
from tacit.ledger import BudgetAccount, Charge, Stored
from tacit.ledger.chain import Chain
from tacit.ledger.events import Again, Event, Failure, NoiseDraw, Reopened, Settled, Staged
from tacit.ledger.history import payload_hash
from tacit.loss import Pure


def charged(account: BudgetAccount, digest: str = "q", *, fresh: bool = False) -> Charge:
    given = account.charge(request(digest, Pure("0.1"), fresh=fresh))
    assert isinstance(given, Charge)
    return given


def asked(account: BudgetAccount, digest: str = "q") -> Stored:
    given = account.charge(request(digest, Pure("0.1")))
    assert isinstance(given, Stored)
    return given


def test_a_stage_is_marked_once_and_in_order(tmp_path: Path) -> None:
    """R33: whoever comes second to a stage of a charge draws nothing."""
    ours, theirs = account_of(tmp_path, Pure(1)), account_of(tmp_path, Pure(1))
    charge = charged(ours)
    with pytest.raises(Failed):
        ours.mark(charge, 2)
    ours.mark(charge, 1)
    for account in (ours, theirs):
        with pytest.raises(Failed):
            account.mark(charge, 1)
    with pytest.raises(Failed):  # what was drawn first is not stored
        ours.mark(charge, 2)
    ours.keep(charge, 1, b"first")
    ours.mark(charge, 2)
    assert ours.stages(charge) == theirs.stages(charge) == (b"first",)
    ours.store(charge, b"answer")
    with pytest.raises(Failed):
        ours.mark(charge, 3)
    assert [body["stage"] for body in bodies(tmp_path, "draw")] == [1, 2]
    assert opened(tmp_path).verify().holds


def test_a_failure_is_the_answer_for_good(tmp_path: Path) -> None:
    """R49: for free, to everybody, at that accuracy or below; who comes late with a release is told so; fresh pays."""
    account = account_of(tmp_path, Pure(1))
    charge = charged(account)
    failed = account.fail(charge)
    assert failed.is_failed
    assert account.fail(charge) == account.store(charge, b"late") == failed
    for again in (account, account_of(tmp_path, Pure(1))):
        assert asked(again) == failed == again.find("q", Fraction(1, 2))
    assert asked(account).payload == b""
    assert [(entry.stored, entry.failed) for entry in account.history()] == [(False, True)]
    anew = charged(account, fresh=True)
    account.store(anew, b"answer")
    assert asked(account).payload == b"answer"
    assert spent(tmp_path, account.id) == {"epsilon": Fraction(1, 5)}
    assert opened(tmp_path).verify().holds


def test_who_died_unmarked_runs_once_more(tmp_path: Path) -> None:
    """R33, R49: the second run is recorded, so that there is no third."""
    account = account_of(tmp_path, Pure(1))
    first = charged(account)
    let_go(account, first)
    assert charged(account) == first
    let_go(account, first)
    assert asked(account).is_failed
    assert [len(bodies(tmp_path, kind)) for kind in ("charge", "again", "fail")] == [1, 1, 1]
    assert opened(tmp_path).verify().holds


def test_who_died_marked_has_failed(tmp_path: Path) -> None:
    """R33: what it drew nobody saw, and nobody draws again; `fresh` pays for another."""
    account = account_of(tmp_path, Pure(1))
    charge = charged(account)
    account.mark(charge, 1)
    let_go(account, charge)
    assert charged(account, fresh=True).number != charge.number
    assert asked(account).charge == charge
    assert bodies(tmp_path, "again") == []


def test_who_died_between_stages_goes_on_from_there(tmp_path: Path) -> None:
    """R33: what is stored is not drawn again, and nothing is drawn that was not stored; there is no third run."""
    account = account_of(tmp_path, Pure(1))
    charge = charged(account)
    account.mark(charge, 1)
    account.keep(charge, 1, b"first")
    let_go(account, charge)
    assert charged(account) == charge
    with pytest.raises(Failed):
        account.mark(charge, 1)
    assert account.stages(charge) == (b"first",)
    account.mark(charge, 2)
    let_go(account, charge)
    assert asked(account).is_failed
    with pytest.raises(Failed):
        account.keep(charge, 2, b"late")
    with pytest.raises(Refused, match="noise was drawn"):
        account.reopen(charge.number)
    assert account.stored_under("") == ()
    assert opened(tmp_path).verify().holds


def test_a_stage_that_draws_nothing_needs_no_mark(tmp_path: Path) -> None:
    account = account_of(tmp_path, Pure(1))
    charge = charged(account)
    account.keep(charge, 1, b"first")
    account.mark(charge, 2)
    assert account.store(charge, b"answer").payload == b"answer"
    assert opened(tmp_path).verify().holds


def test_the_steward_reopens_what_was_not_drawn(tmp_path: Path) -> None:
    """Recorded, and only where it failed or was lost before noise; then it runs under what was paid."""
    account = account_of(tmp_path, Pure(1))
    charge = charged(account)
    with pytest.raises(Refused, match="under way"):
        account.reopen(charge.number)
    account.fail(charge)
    opened(tmp_path).owner(charge.number).reopen(charge.number)
    assert account.find("q", Fraction(1)) is None
    assert charged(account) == charge
    account.mark(charge, 1)
    account.store(charge, b"answer")
    assert asked(account).payload == b"answer"
    drawn = charged(account, "drawn")
    account.mark(drawn, 1)
    account.fail(drawn)
    for number in (charge.number, drawn.number, account.id, drawn.number + 1):
        with pytest.raises(Refused, match="another run"):
            account.reopen(number)
    with pytest.raises(Refused, match="There is none"):
        opened(tmp_path).owner(99)
    assert [body["of"] for body in bodies(tmp_path, "reopen")] == [charge.number]
    assert opened(tmp_path).verify().holds


def forged(charge: Charge) -> list[tuple[Event, ...]]:
    """Entries that no course takes, whatever their seals say."""
    of, digest = charge.number, charge.digest
    draw, again, fail = NoiseDraw(of, digest, 1), Again(of, digest), Failure(of, digest)
    reopen, store = Reopened("now", of, digest), Settled(of, digest, charge.accuracy, payload_hash(b"x"))
    first, second = (Staged(of, digest, stage, payload_hash(b"x")) for stage in (1, 2))
    return [
        (second,),
        (first, first),
        (draw, NoiseDraw(of, digest, 2), first),
        (draw, first, NoiseDraw(of, digest, 2), NoiseDraw(of, digest, 3)),
        (fail, first),
        (draw, second),
        (draw, draw),
        (NoiseDraw(of, digest, 2),),
        (draw, again),
        (again, again),
        (fail, fail),
        (fail, draw),
        (fail, again),
        (fail, store),
        (draw, reopen),
        (draw, fail, reopen),
        (Failure(of, "another"),),
        (Failure(of + 1, digest),),
        (NoiseDraw(1, digest, 1),),
    ]


def append(chain: Chain, account: int, events: tuple[Event, ...], payload: bytes) -> None:
    """Entries with what is stored under them, so that no check of it is needed to find them wrong."""
    with chain.writing() as connection:
        for event in events:
            link = chain.append(connection, account, event)
            if isinstance(event, (Settled, Staged)):
                connection.execute("INSERT INTO payloads (entry, bytes) VALUES (?, ?)", (link.number, payload))


@pytest.mark.parametrize("case", range(19))
def test_a_course_that_cannot_be_is_damage(tmp_path: Path, case: int) -> None:
    """R41: with seals as they should be, as who can write to the ledger might make them."""
    account = account_of(tmp_path, Pure(1))
    charge = charged(account)
    append(account._chain, account.id, forged(charge)[case], b"x")
    assert not opened(tmp_path).verify().holds
    if case < 16:
        with pytest.raises(Refused, match="edited or damaged"):
            account.charge(request("q", Pure("0.1")))


def test_a_ledger_from_before_failures_were_entries(tmp_path: Path, kept_in: Kept) -> None:
    """It kept a failure as a release of this text; it opens, holds and says so still, and new entries follow."""
    account = account_of(tmp_path, Pure(1))
    charge = charged(account)
    account.store(charge, b"failed")
    answered = charged(account, "answered")
    account.store(answered, b"answer")
    with opened(tmp_path) as ledger:
        assert ledger.verify().holds
    again = account_of(tmp_path, Pure(1))
    assert asked(again).is_failed
    assert not asked(again, "answered").is_failed
    assert [stored.payload for stored in again.stored_under("")] == [b"answer"]
    assert [(entry.stored, entry.failed) for entry in again.history()] == [(False, True), (True, False)]
