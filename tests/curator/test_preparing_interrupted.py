"""A form is written atomically, however `prepare` ends (R33, R43)."""

from __future__ import annotations

import signal
from pathlib import Path
from time import sleep

import pytest
from tests.curator.prepared_clinic import ALIVE, PreparedClinic, make_prepared_clinic

from tacit.errors import Refused


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PreparedClinic:
    return make_prepared_clinic(tmp_path, monkeypatch)


@pytest.mark.parametrize(("step", "broken"), [(0, KeyboardInterrupt), (4, MemoryError), (-1, KeyboardInterrupt)])
def test_what_is_interrupted_leaves_nothing(clinic: PreparedClinic, step: int, broken: type[BaseException]) -> None:
    """R33: neither a form nor a draft."""

    def progress(_: str, done: int, total: int) -> None:
        if done == (step if step >= 0 else total):
            raise broken

    with clinic.open() as opened, pytest.raises(broken):
        opened.preparation.make(progress)
    assert clinic.forms() + clinic.drafts() == []
    assert abs(clinic.count() - 2000) < 50


@pytest.mark.parametrize("step", [pytest.param(0, marks=pytest.mark.long), 6, pytest.param(-1, marks=pytest.mark.long)])
def test_what_is_killed_is_never_used_and_is_cleared(clinic: PreparedClinic, step: int) -> None:
    """R33: kill −9 leaves a draft that nobody reads; the next to prepare removes it and makes the form."""
    with clinic.child(step) as child:
        child.communicate()
    assert child.returncode == -signal.SIGKILL
    assert clinic.forms() == []
    assert len(clinic.drafts()) == 1
    assert (clinic.prepared / clinic.drafts()[0]).stat().st_mode & 0o777 == 0o700
    assert abs(clinic.count() - 2000) < 50
    clinic.prepare()
    assert len(clinic.forms()) == 1
    assert clinic.drafts() == []


@pytest.mark.long
def test_ctrl_c_in_the_middle_of_a_statement(clinic: PreparedClinic) -> None:
    """R33: the engine is stopped, and it ends as an interrupted command does."""
    clinic.write(3_000_000)
    with clinic.child(ALIVE) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        child.stdout.readline()
        child.stdin.write("\n")
        child.stdin.flush()
        while not clinic.drafts():
            sleep(0.01)
        sleep(0.2)
        child.send_signal(signal.SIGINT)
        _, told = child.communicate()
    assert child.returncode == -signal.SIGINT
    assert told.rstrip().endswith("KeyboardInterrupt")
    assert clinic.forms() + clinic.drafts() == []


def test_two_processes_at_once_make_one_form(clinic: PreparedClinic) -> None:
    """Whoever comes second waits, and finds it ready."""
    clinic.open().close()
    with clinic.child(ALIVE) as one, clinic.child(ALIVE) as two:
        for child in (one, two):
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
        told = {child.communicate("\n")[0].strip() for child in (one, two)}
    assert (one.returncode, two.returncode) == (0, 0)
    assert [Path(path).name for path in told] == clinic.forms()
    assert clinic.drafts() == []
    assert abs(clinic.count() - 2000) < 50


def test_data_that_change_while_they_are_read(clinic: PreparedClinic) -> None:
    """R43: what was read may be of both, so it is not kept."""

    def progress(_: str, done: int, __: int) -> None:
        if done == 3:
            clinic.write(500)

    with clinic.open() as opened, pytest.raises(Refused, match="The data changed while they were read"):
        opened.preparation.make(progress)
    assert clinic.forms() + clinic.drafts() == []
