"""`tacit audit`: a function of one's own, and mechanisms of Tacit by their names."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import copy

import pytest
from click.testing import CliRunner, Result
from examples.clinic import write_clinic

from tacit.__main__ import app
from tacit.audit.claims import read_claim
from tacit.errors import Refused
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.zcdp import Zcdp

MODULE = """
import numpy as np

rng = np.random.default_rng(5)


def float_mean(data):
    return sum(data) / max(1, len(data)) + rng.laplace(0, 1 / max(1, len(data)))


def whole_count(data):
    return sum(data) + int(rng.geometric(1 - np.exp(-1)) - rng.geometric(1 - np.exp(-1)))


def loose_count(data):
    return sum(data) + int(rng.geometric(1 - np.exp(-3)) - rng.geometric(1 - np.exp(-3)))
"""


def run(*words: object) -> Result:
    return CliRunner().invoke(app, ["audit", *map(str, words)])


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    name = f"counts_of_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


def test_floating_point_noise_is_found_and_certified(module: str, tmp_path: Path) -> None:
    done = run(f"{module}:float_mean", "--claims", "epsilon=1", "--samples", 20_000, "--certificate", "verdict.json")
    assert done.exit_code == 1, done.output
    assert "Broken. " in done.output
    told = json.loads((tmp_path / "verdict.json").read_text())
    assert told["verdict"] == "broken"
    assert told["claim"] == "ε = 1"


def test_too_little_noise_is_found_and_enough_is_not(module: str) -> None:
    loose = run(f"{module}:loose_count", "--claims", "epsilon=1", "--samples", 20_000)
    assert loose.exit_code == 1, loose.output
    sound = run(f"{module}:whole_count", "--claims", "epsilon=1", "--samples", 20_000)
    assert sound.exit_code == 0, sound.output
    assert "No fault found" in sound.output
    assert "Would have seen" in sound.output


def test_claims_are_read() -> None:
    assert read_claim("epsilon=1") == Pure(1)
    assert read_claim("epsilon=1, delta=1e-5") == Approx(1, "1e-5")
    assert read_claim("rho=0.1") == Zcdp("0.1")
    assert read_claim("mu=0.5") == Gdp.from_mu("0.5")
    for words in ("", "epsilon", "epsilon=1 epsilon=2", "delta=1", "epsilon=-1", "sigma=2"):
        with pytest.raises(Refused):
            read_claim(words)


@pytest.mark.parametrize(
    "words",
    [
        ("nowhere:nothing", "--claims", "epsilon=1"),
        ("math:pi", "--claims", "epsilon=1"),
        ("math:floor",),
        ("math:floor", "--claims", "epsilon=1", "--values", "1"),
        ("nomechanism",),
        ("Laplace", "--alarm-rate", "2"),
        ("Laplace", "--alarm-rate", "nan"),
        ("Laplace", "--samples", "0"),
    ],
)
def test_what_cannot_be_audited_is_refused(words: tuple[str, ...]) -> None:
    refused = run(*words)
    assert refused.exit_code == 2, refused.output
    assert "Accepted: " in refused.output


@pytest.mark.long
def test_a_data_set_is_asked_apart_from_its_account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_clinic(tmp_path / "visits.parquet")
    copy(Path(__file__).parent.parent.parent / "examples" / "clinic.toml", tmp_path)
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))
    done = run("clinic.toml")
    assert done.exit_code == 0, done.output
    assert "every law held" in done.output
    assert not (tmp_path / "home").exists(), "its own ledger was not touched"
