"""`tacit learn tune` on a clinic, as people type it: in both kinds of account, again for free, and what is refused."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest
from tests.curator.clinic_command import Clinic

COSTS = "SELECT cost, region, age FROM visits"
HELD = f"{COSTS} WHERE age >= 60"
TUNE = ("learn", "tune", "clinic.toml", f"{COSTS} WHERE age < 60", "--on", HELD, "--target", "cost")
GRID = ("--candidates", "bins=4,8; steps=2,5")


def in_sums(clinic: Clinic) -> None:
    """The same clinic with an account that adds up ε and δ."""
    place = clinic.folder / "clinic.toml"
    place.write_text(place.read_text().replace("delta = 1e-7 }", 'delta = 1e-7, currency = "sums" }'))


def kinds(clinic: Clinic) -> list[str]:
    """The kinds of the ledger's entries."""
    with closing(sqlite3.connect(clinic.folder / "home" / "ledger.sqlite")) as connection:
        return [kind for (kind,) in connection.execute("SELECT kind FROM entries ORDER BY number")]


def test_in_rho_all_candidates_are_paid_for(clinic: Clinic) -> None:
    tuned = clinic.tacit(*TUNE, *GRID, "--epsilon", "2", "--out", "m.json")
    assert tuned.code == 0, tuned.err
    said = " ".join(tuned.out.split())
    assert "All 4 candidates were fit and scored, each at 1/4 of the price; the best is shown." in said
    assert "Chosen: bins = " in said
    assert "This release alone: ε = 2" in said
    recorded = kinds(clinic)
    stages = 2 * (1 + 2 + 1) + 2 * (1 + 5 + 1)
    assert [recorded.count(kind) for kind in ("charge", "draw", "stage", "store")] == [1, stages, stages - 1, 1]
    again = clinic.tacit(*TUNE, *GRID, "--epsilon", "2", "--out", "again.json")
    assert "free" in again.out
    assert (clinic.folder / "m.json").read_text() == (clinic.folder / "again.json").read_text()
    assert "tune cost from: SELECT" in clinic.tacit("budget", "clinic.toml").out


def test_in_sums_the_number_of_runs_is_random_and_one_stage_is_stored(clinic: Clinic) -> None:
    in_sums(clinic)
    tuned = clinic.tacit(*TUNE, *GRID, "--epsilon", "2", "--out", "m.json")
    assert tuned.code == 0, tuned.err
    said = " ".join(tuned.out.split())
    assert "The best of a random number of runs (4.5 expected) of 4 candidates" in said
    assert "ε 2 of 4" in said
    recorded = kinds(clinic)
    assert [recorded.count(kind) for kind in ("charge", "draw", "stage", "store")] == [1, 1, 0, 1]
    held = clinic.tacit("verify", "m.json", "--ledger", "clinic.toml")
    assert (held.code, "the one that was released, number by number" in held.out) == (0, True)
    assert "the best of K runs, P(K = k) ∝ (1 − 1/6)^k up to 12, K not released" in held.out
    assert clinic.tacit("learn", "card", "m.json", "--out", "c.html").code == 0
    assert "free" in clinic.tacit(*TUNE, *GRID, "--epsilon", "2", "--out", "m.json").out
    other = clinic.tacit(*TUNE, "--candidates", "bins=4,8; steps=2,4", "--epsilon", "0.1", "--out", "m.json")
    assert "Used" in other.out


@pytest.mark.parametrize("model", ["logistic", "naive-bayes"])
def test_other_models_are_tuned(clinic: Clinic, model: str) -> None:
    in_sums(clinic)
    regions = ("learn", "tune", "clinic.toml", "SELECT region, age, cost FROM visits", "--target", "region")
    tuned = clinic.tacit(*regions, "--model", model, "--candidates", "bins=2,4", "--epsilon", "1", "--out", "m.json")
    assert tuned.code == 0, tuned.err
    assert json.loads((clinic.folder / "m.json").read_text())["model"]["kind"].startswith(model[:5])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*GRID,), "a tuning without a price"),
        (("--candidates", "bins=4", "--epsilon", "1"), "1 candidates"),
        (("--candidates", "bins=4,4", "--epsilon", "1"), "candidates that are the same"),
        (("--candidates", "bins=1,4", "--epsilon", "1"), "1 bins"),
        (("--candidates", "bins 4,5", "--epsilon", "1"), "the candidates bins 4,5"),
        (("--candidates", "bins=4,", "--epsilon", "1"), "the candidates bins=4,"),
        (("--candidates", "bins=4,5; bins=6", "--epsilon", "1"), "listed twice"),
        (("--candidates", "trees=4,5", "--epsilon", "1"), "the setting trees"),
        (("--candidates", "steps=1,2,3,4,5,6; bins=2,3,4,5,6,7", "--epsilon", "1"), "36 candidates"),
        (("--candidates", "private=age; bins=4,5", "--epsilon", "1"), "private keys in a tuning"),
        ((*GRID, "--epsilon", "9"), "Refused, nothing spent"),
        ((*GRID, "--epsilon", "1", "--on", "SELECT cost, age FROM visits"), "these rows for scores"),
        ((*GRID, "--epsilon", "1", "--model", "pca"), "tuning of pca"),
    ],
)
def test_what_is_refused_spends_nothing(clinic: Clinic, words: tuple[str, ...], said: str) -> None:
    ended = clinic.tacit(*TUNE, *words, "--out", "m.json")
    assert ended.code == 2
    assert said in " ".join(ended.err.split())
    assert clinic.entries() == []
    assert not (clinic.folder / "m.json").exists()
