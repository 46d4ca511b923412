"""`tacit failures` and `tacit retry`, the least price, and what is checked before anything is spent."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from tests.curator.clinic_command import BY_REGION, Clinic, Ended

from tacit.curator.dataset import open_dataset
from tacit.errors import Failed, Refused
from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.engines.duckdb.session import DuckDBSession

COUNT = "SELECT COUNT(*) FROM visits"


def breaking(*_: object) -> None:
    raise MemoryError


def ask(clinic: Clinic, sql: str, *words: str) -> Ended:
    return clinic.tacit("query", "clinic.toml", sql, *words)


def fail(clinic: Clinic, *questions: str) -> None:
    """Questions that fail before noise is drawn."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tacit.curator.door._run", breaking)
        for sql in questions:
            assert ask(clinic, sql, "--epsilon", "0.1").code == 3


def questions(many: int) -> list[str]:
    return [f"SELECT COUNT(*) FROM visits WHERE age > {age}" for age in range(many)]


def test_three_failures_stop_new_questions_until_the_steward_clears_them(clinic: Clinic) -> None:
    """What is answered stays free, a failure too; the queries are shown, and nothing in them is obeyed."""
    assert ask(clinic, COUNT, "--epsilon", "0.1").code == 0
    hostile = "SELECT COUNT(*) FROM visits -- \x1b[2J\n"
    fail(clinic, *questions(2), hostile + "WHERE age > 7")
    refused = ask(clinic, BY_REGION, "--epsilon", "0.1")
    assert refused.code == 2
    assert "tacit failures" in refused.err
    assert [ask(clinic, sql, "--epsilon", "0.1").code for sql in (COUNT, questions(1)[0])] == [0, 3]
    assert ask(clinic, BY_REGION, "--epsilon", "0.1", "--as", "alice").code == 0
    shown = clinic.tacit("failures", "clinic.toml")
    assert shown.out.count("failed: SELECT COUNT(*) FROM visits") == 3
    assert "\x1b" not in shown.out
    assert "\\x1b[2J" in shown.out
    assert "New questions wait, since" in shown.out
    assert ask(clinic, BY_REGION, "--epsilon", "0.2").code == 2  # looking is not clearing
    assert "Cleared" in clinic.tacit("failures", "clinic.toml", "--clear").out
    assert ask(clinic, BY_REGION, "--epsilon", "0.2").code == 0
    assert "No question has failed" in clinic.tacit("failures", "clinic.toml", "--clear").out
    assert clinic.tacit("verify", "--ledger", "clinic.toml").code == 0


def test_a_retry_runs_under_its_charge_and_the_failure_still_counts(clinic: Clinic) -> None:
    fail(clinic, *questions(3))
    number = json.loads(clinic.left())["entries"][0]["number"]
    retried = clinic.tacit("retry", str(number), "--ledger", "clinic.toml")
    assert retried.code == 0, retried.err
    assert ask(clinic, questions(1)[0], "--epsilon", "0.1").code == 0
    assert [entry["answered"] for entry in json.loads(clinic.left())["entries"]] == [True, False, False]
    assert clinic.tacit("retry", str(number), "--ledger", "clinic.toml").code == 2
    assert clinic.tacit("retry", "1").code == 2
    assert ask(clinic, BY_REGION, "--epsilon", "0.1").code == 2


@pytest.mark.parametrize("said", ['breaker = "off"', "breaker = { analyst = 5 }", "breaker = { dataset = 2 }"])
def test_the_steward_says_how_many_failures_are_borne(clinic: Clinic, said: str) -> None:
    file = clinic.folder / "clinic.toml"
    file.write_text(file.read_text().replace("analysts =", f"{said}\nanalysts ="))
    fail(clinic, *questions(2))
    assert ask(clinic, BY_REGION, "--epsilon", "0.1").code == (2 if "dataset" in said else 0)
    assert ("Risk: failures are not counted" in clinic.tacit("check", "clinic.toml").out) == ("off" in said)


@pytest.mark.parametrize(
    "said", ["breaker = 3", "breaker = { analyst = 0 }", 'breaker = "on"', "floor = -1", "floor = 2"]
)
def test_a_setting_that_says_nothing_is_refused(clinic: Clinic, said: str) -> None:
    file = clinic.folder / "clinic.toml"
    file.write_text(file.read_text().replace("analysts =", f"{said}\nanalysts ="))
    assert said.split()[0] in clinic.tacit("check", "clinic.toml").err


def least(refused: Ended) -> str:
    return refused.err.split("epsilon of at least ")[1].split(";")[0]


BUDGETS = ["epsilon = 4, delta = 1e-7", "epsilon = 4", "rho = 0.1", "rho = 1e4, delta = 1e-5"]


@pytest.mark.parametrize("budget", BUDGETS)
def test_a_question_has_a_least_price(clinic: Clinic, budget: str) -> None:
    """The ε that is named is taken, and hardly less is; a target error starts there; repeats are free; profiles too."""
    file = clinic.folder / "clinic.toml"
    file.write_text(file.read_text().replace("epsilon = 4, delta = 1e-7", budget))
    sql = COUNT
    refused = ask(clinic, sql, "--epsilon", "1e-7")
    assert refused.code == 2
    assert clinic.entries() == []
    epsilon = least(refused)
    assert ask(clinic, sql, "--epsilon", f"{float(epsilon) * 0.98:.6g}").code == 2
    assert clinic.tacit("explain", "clinic.toml", sql, "--epsilon", "1e-7").code == 2
    assert clinic.tacit("profile", "clinic.toml", "--epsilon", "1e-7").code == 2
    assert clinic.tacit("explain", "clinic.toml", sql).code == 0
    bounded = ("--interval", "bounded")
    assert ask(clinic, sql, "--error", "1e7", *bounded).code == 0
    assert ask(clinic, sql, "--epsilon", epsilon, "--fresh", *bounded).code == 0
    assert ask(clinic, sql, "--epsilon", "1e-7", *bounded).code == 0
    shares = [entry["share"] for entry in json.loads(clinic.left())["entries"]]
    assert [round(share * 10_000, 1) for share in shares] == [1, pytest.approx(1, abs=0.05)]


@pytest.mark.parametrize("budget", ["epsilon = 4", "epsilon = 4, delta = 1e-7"])
def test_noise_beyond_all_numbers_is_refused_before_the_charge(clinic: Clinic, budget: str) -> None:
    """Seen: a pure budget at ε ≤ 1e-30, where no float says how large the noise is."""
    file = clinic.folder / "clinic.toml"
    text = file.read_text().replace("epsilon = 4, delta = 1e-7", budget)
    file.write_text(text.replace("analysts =", "floor = 0\nanalysts ="))
    every = "SELECT COUNT(*), AVG(cost), VAR_POP(age), MEDIAN(cost), COUNT(DISTINCT age), MIN(cost) FROM visits"
    for epsilon in ("1e-30", "1e-100", "1e-300", "9.9e-10"):
        assert ask(clinic, every, "--epsilon", epsilon, "--fresh").code == 2
    assert clinic.entries() == []
    assert ask(clinic, every, "--epsilon", "1e-9").code == 0
    assert ask(clinic, COUNT, "--error", "1e100", "--interval", "bounded").code == 0


def test_a_key_that_others_can_read_is_noticed_before_the_charge(clinic: Clinic) -> None:
    """R51; seen: noticed when the answer was to be signed, "nothing spent", and 6.3% of the budget gone."""
    assert ask(clinic, COUNT, "--epsilon", "0.1").code == 0
    before, key = clinic.entries(), clinic.folder / "home" / "signing.key"
    key.chmod(0o644)
    assert ask(clinic, BY_REGION, "--epsilon", "1").code == 2
    assert clinic.entries() == before


def test_a_full_disk_is_noticed_before_the_charge(clinic: Clinic, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        free = 1000

    monkeypatch.setattr("tacit.curator.door.shutil.disk_usage", lambda _: Full)
    assert ask(clinic, COUNT, "--epsilon", "0.1").code == 2
    assert clinic.entries() == []


def test_data_that_cannot_be_opened_are_noticed_before_the_charge(
    clinic: Clinic, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise duckdb.IOException("/secret/path")

    monkeypatch.setattr("tacit.curator.materialization.Preparation.session", away)
    ended = ask(clinic, COUNT, "--epsilon", "0.1")
    assert ended.code == 2
    assert "secret" not in ended.err
    assert clinic.entries() == []


def test_after_an_engine_error_the_next_question_is_answered(clinic: Clinic) -> None:
    """The engine's database goes with the failure: DuckDB may have invalidated it."""
    with open_dataset(clinic.folder / "clinic.toml") as dataset, pytest.MonkeyPatch.context() as patch:
        engine = dataset._opened.engine
        assert isinstance(engine, DuckDBEngine)
        used = engine.database

        def broken(session: DuckDBSession, *_: object) -> None:
            session.connection.execute("SELECT error('boom')")

        patch.setattr(DuckDBSession, "add_few_up", lambda session, *_: broken(session))
        with pytest.raises(Failed):
            dataset.query(COUNT, epsilon="0.1")
        patch.undo()
        assert engine.database is not used
        assert dataset.query(BY_REGION, epsilon="0.1").table.num_rows == 3  # and one of missing regions
        with pytest.raises(Refused):
            dataset.query("SELECT nothing FROM visits", epsilon="0.1")


def test_what_cannot_be_shown_is_paid_for_and_kept(clinic: Clinic, monkeypatch: pytest.MonkeyPatch) -> None:
    """R51: not refused, for it is spent; asked again, it is shown for free."""

    def refusing(*_: object) -> None:
        raise Refused("canary", "canary", "canary")

    with monkeypatch.context() as patch:
        patch.setattr("tacit.curator.dataset.notes_of", refusing)
        ended = ask(clinic, COUNT, "--epsilon", "0.1")
    assert (ended.code, "canary" in ended.err) == (3, False)
    assert ask(clinic, COUNT, "--epsilon", "0.1").code == 0
    assert len(json.loads(clinic.left())["entries"]) == 1


def test_the_folder_of_a_run_is_left_clean(clinic: Clinic) -> None:
    """The file that says who runs a charge is gone with the run."""
    assert ask(clinic, COUNT, "--epsilon", "0.1").code == 0
    fail(clinic, BY_REGION)
    names: list[Path] = list((clinic.folder / "home").iterdir())
    assert not [place for place in names if "run-" in place.name]
