"""R49, R51: a fault after the charge, at any call, is a settled failure, never a refusal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from types import CodeType, FrameType

import pytest
from tests.attack.small_clinic import open_clinic

import tacit
from tacit.curator import door as settlement
from tacit.curator.dataset import Dataset, open_dataset
from tacit.errors import Failed, Refused
from tacit.ledger import BudgetAccount, Charge, Request, Stored

_HOME = str(Path(tacit.__file__).parent)
_FILE = """
[dataset]
name = "clinic"
unit = { id = "pid", hides = "one patient" }
budget = { epsilon = 100000, delta = 1e-3 }
floor = 0
breaker = "off"
ledger = "ledger.sqlite"
[tables.v]
source = "v.parquet"
columns.age = { type = "int", min = 0, max = 110 }
columns.ward = { type = "text" }
"""
_ROWS = "SELECT i % 20 AS pid, i % 90 AS age, 'w' || i % 3 AS ward FROM range(100) t(i)"
_QUESTIONS = ["SELECT COUNT(*), AVG(age) FROM v", "SELECT ward, MEDIAN(age), COUNT(DISTINCT age) FROM v GROUP BY ward"]
_SETTLING = ("_settle", "_handling")  # these are called after a fault: two faults at once are a death


class Fault:
    """Raises in a call of Tacit's after the charge: the first of each function in turn, or of every so many."""

    def __init__(self, patch: pytest.MonkeyPatch, every: int = 1) -> None:
        self._every = every
        self.broken: set[CodeType] = set()
        self.target: str | None = None
        self.error: BaseException = Refused("canary", "canary", "canary")
        self._is_behind = False
        real = BudgetAccount.charge

        def charge(account: BudgetAccount, request: Request) -> Charge | Stored:
            given = real(account, request)
            self._is_behind = isinstance(given, Charge)
            sys.setprofile(self._seen if self._is_behind else None)
            return given

        patch.setattr(BudgetAccount, "charge", charge)

    def _seen(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        is_begun = event == "call" and frame.f_lineno == code.co_firstlineno  # and not a generator that goes on
        if not (self._is_behind and is_begun and code.co_filename.startswith(_HOME)):
            return
        if code in self.broken or code.co_name in _SETTLING:
            return
        self.broken.add(code)
        if len(self.broken) % self._every:
            return
        self.target, self._is_behind = f"{Path(code.co_filename).name}:{code.co_name}", False
        raise self.error

    @contextmanager
    def at_the_next_call(self) -> Iterator[None]:
        self.target, self._is_behind = None, False
        try:
            yield
        finally:
            sys.setprofile(None)


def asked(work: Callable[[], object]) -> BaseException | None:
    try:
        work()
    except BaseException as error:
        return error
    return None


def faults(dataset: Dataset, fault: Fault, work: Callable[[], object]) -> Iterator[tuple[str, BaseException | None]]:
    """For each function that is called behind the charge: its name, and how a question ended in which it broke."""
    for _ in count():
        with fault.at_the_next_call():
            ended = asked(work)
        if fault.target is None:
            assert ended is None
            return
        yield fault.target, ended


@pytest.mark.parametrize("every", [23, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("asks", [0, 1, 2])
def test_no_fault_behind_the_charge_is_a_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asks: int, every: int
) -> None:
    """Each question runs again and again, and another function of ours breaks each time: with a refusal, every fifth
    time with Ctrl-C. It is `Failed`, or answered where what broke does not matter; and it has always ended."""
    fault = Fault(monkeypatch, every)
    monkeypatch.setattr(Dataset, "_planned", cache(Dataset._planned))  # before the charge, and the same each time
    with open_clinic(tmp_path, _FILE, v=_ROWS) as dataset:
        planner = dataset._planner
        monkeypatch.setattr(Dataset, "_planner", planner)

        def work() -> object:
            fault.error = Refused("canary", "canary", "canary") if len(fault.broken) % 5 else KeyboardInterrupt()
            if asks == len(_QUESTIONS):
                return dataset.profile(epsilon=1, fresh=True)
            return dataset.query(_QUESTIONS[asks], epsilon=1, delta="1e-9", fresh=True)

        found = list(faults(dataset, fault, work))
        entries = dataset.budget().entries
    assert len(found) >= 200 // every
    kinds = (Failed, KeyboardInterrupt, type(None))
    assert [(name, ended) for name, ended in found if not isinstance(ended, kinds)] == []
    assert sum(ended is None for _, ended in found) <= 3  # closing the session
    assert all(entry.stored or entry.failed for entry in entries)
    assert len(entries) == len(found) + 1


def test_a_door_that_does_not_settle_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R46: the broken twin turns faults into failures, but keeps none of them."""
    monkeypatch.setattr(settlement, "_settle", lambda *_: None)
    fault = Fault(monkeypatch)
    with open_clinic(tmp_path, _FILE, v=_ROWS) as dataset:
        with fault.at_the_next_call():
            assert isinstance(asked(lambda: dataset.query(_QUESTIONS[0], epsilon=1)), Failed)
        (entry,) = dataset.budget().entries
        assert (entry.stored, entry.failed) == (False, False)


def test_no_noise_is_drawn_before_it_is_marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R33: finding limits and counting are two stages, a profile has two as well; each mark is in the ledger before its
    first entropy, and where the mark cannot be made nothing is drawn."""
    drawn: list[int] = []
    with open_clinic(tmp_path, _FILE, v=_ROWS) as dataset:
        real = settlement.ENTROPY.octets

        def marks() -> int:
            account = dataset._opened.account
            return len(list(account._chain.links("kind = 'draw'")))

        def octets(count: int) -> object:
            drawn.append(marks())
            return real(count)

        class Watched:
            @staticmethod
            def octets(count: int) -> object:
                return octets(count)

        monkeypatch.setattr(settlement, "ENTROPY", Watched)
        dataset.query(_QUESTIONS[0], epsilon=1)
        assert sorted(set(drawn)) == [1, 2]
        dataset.profile(epsilon=1)
        assert sorted(set(drawn)) == [1, 2, 3, 4]
        before = len(drawn)
        monkeypatch.setattr(BudgetAccount, "_mark", lambda *_: (_ for _ in ()).throw(Refused("a", "b", "c")))
        with pytest.raises(Failed):
            dataset.query(_QUESTIONS[1], epsilon=1)
        assert len(drawn) == before


class Died(BaseException):
    """The process has died: no code of Tacit runs after it."""


def died_between_stages(work: Callable[[], object]) -> None:
    """A question whose process dies when its first stage is stored."""
    kept = BudgetAccount.keep

    def dies(account: BudgetAccount, charge: Charge, stage: int, payload: bytes) -> None:
        kept(account, charge, stage, payload)
        account._chain.database.let_go(charge.number)
        raise Died

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BudgetAccount, "keep", dies)
        patch.setattr(settlement, "_settle", lambda *_: None)
        with pytest.raises(Failed):
            work()


def test_a_run_that_died_between_stages_goes_on_with_what_is_stored(tmp_path: Path) -> None:
    """R33: the limits that were found are stored before rows are counted, and they are not found twice."""
    with open_clinic(tmp_path, _FILE, v=_ROWS) as dataset:
        account = dataset._opened.account
        died_between_stages(lambda: dataset.query(_QUESTIONS[0], epsilon=1))
        (charge,) = account._chain.links("kind = 'charge'")
        (stage,) = account._chain.links("kind = 'stage'")
        assert not dataset.query(_QUESTIONS[0], epsilon=1).price.free
        kinds = [link.event.kind for link in account._chain.links("number > ?", charge.number)]
        assert kinds == ["draw", "stage", "again", "draw", "store"]
        assert list(account._chain.links("kind = 'stage'")) == [stage]
        assert dataset._opened.ledger.verify().holds


@pytest.mark.parametrize("columns", ["COUNT(*) AS n, SUM(age) AS s", "SUM(age) AS s, COUNT(*) AS n"])
def test_a_run_goes_on_for_the_same_columns_in_another_order(tmp_path: Path, columns: str) -> None:
    """One request, whatever the order of its columns: each has the limit that was found for it, not its neighbour's."""
    rows = "SELECT i % 2000 AS pid, 50 AS age, 'w' AS ward FROM range(10000) t(i)"
    with open_clinic(tmp_path, _FILE, v=rows) as dataset:
        died_between_stages(lambda: dataset.query(f"SELECT {columns} FROM v", epsilon=1))
        (found,) = dataset.query("SELECT SUM(age) AS s, COUNT(*) AS n FROM v", epsilon=1).to_arrow().to_pylist()
    assert found["s"] == pytest.approx(500_000, rel=0.1)
    assert found["n"] == pytest.approx(10_000, rel=0.1)


@pytest.mark.parametrize("least", [0, -1000])
def test_a_profile_goes_on_under_an_edited_description(tmp_path: Path, least: int) -> None:
    """Where values lie was counted from the bounds of then: the centre stays where it was found."""
    rows = "SELECT i % 2000 AS pid, 50 AS age, 'w' AS ward FROM range(10000) t(i)"
    with open_clinic(tmp_path, _FILE, v=rows) as dataset:
        died_between_stages(lambda: dataset.profile(epsilon=1))
    (tmp_path / "clinic.toml").write_text(_FILE.replace("min = 0", f"min = {least}"))
    with open_dataset(tmp_path / "clinic.toml") as dataset:
        released = dataset.profile(epsilon=1)
        assert not released.price.free
        assert abs(released.profile.centres["v", "age"] - 50) < 10
        assert [link.event.kind for link in dataset._opened.account._chain.links("kind = 'again'")] == ["again"]
        dataset.query("SELECT AVG(age), MEDIAN(age) FROM v", epsilon=1)
