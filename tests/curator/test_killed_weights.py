"""kill −9 along a session of online weights on a data set, from its charge to its last answer (R33)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

import duckdb
import pytest
from tests.crash.killing import run_until
from tests.curator.test_weights import PEOPLE, ROWS

import tacit
from tacit.errors import Failed

TABLE = "SELECT region, sex, COUNT(*) FROM people GROUP BY region, sex"
QUESTIONS = ({"region": "north"}, {"sex": "f"}, {"region": "south"})


def weights_door(folder: Path, say: Callable[[bytes], None]) -> None:
    """Opens the session, asks all questions, and says each reply."""
    with tacit.open(folder / "people.toml") as dataset:
        try:
            desk = dataset.weights(TABLE, epsilon=8, updates=2)
        except Failed:
            say(b"failed")
            return
        for place, asked in enumerate(QUESTIONS):
            reply = desk.ask(asked)
            say(b"%d %d %d" % (place, reply.number, reply.is_unchecked))


@pytest.mark.long
def test_killed_anywhere_one_process_hears_from_the_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One charge, at most one session that compares; whoever comes later hears the hypothesis, or of the failure."""
    heard_later = 0
    for step in count(1, 7):
        here = tmp_path / str(step)
        here.mkdir()
        monkeypatch.setenv("TACIT_HOME", str(here / "home"))
        monkeypatch.setenv("TACIT_WITNESS", str(here / "elsewhere" / "witness"))
        duckdb.sql(ROWS).write_parquet(str(here / "people.parquet"))
        (here / "people.toml").write_text(PEOPLE, encoding="utf-8")
        killed, first = run_until(step, weights_door, here)
        if not killed:
            break
        later = [run_until(0, weights_door, here)[1] for _ in range(2)]
        assert later[0]
        with tacit.open(here / "people.toml") as dataset:
            assert len(dataset.budget().entries) == 1
        compared = [[said for said in said_by if said.endswith(b" 0")] for said_by in (first, *later)]
        assert sum(map(bool, compared)) <= 1
        assert later[1] == later[0] or any(compared[1])
        heard_later += any(said.endswith(b" 1") for said in later[1])
    assert heard_later >= 3
    assert step > 20
