"""`tacit audit`: a function of one's own, and mechanisms of Tacit by their names."""

from __future__ import annotations

import json
import re
from pathlib import Path
from shutil import copy

import pytest
from click.testing import CliRunner, Result
from examples.clinic import write_clinic

from tacit.audit.auditor import Stage
from tacit.audit.own_function import read_claim
from tacit.audit.verdict import Finding, Outcome
from tacit.cli import audit as audit_command
from tacit.cli.audit import STAGES
from tacit.cli.main import app
from tacit.errors import Refused
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.zcdp import Zcdp

MODULE = """
import numpy as np
import pandas

rng = np.random.default_rng(5)
NO_ROWS = pandas.DataFrame({"n": []})


def float_mean(data):
    return sum(data) / max(1, len(data)) + rng.laplace(0, 1 / max(1, len(data)))


def whole_count(data):
    return sum(data) + int(rng.geometric(1 - np.exp(-1)) - rng.geometric(1 - np.exp(-1)))


def loose_count(data):
    return sum(data) + int(rng.geometric(1 - np.exp(-3)) - rng.geometric(1 - np.exp(-3)))


def exact_once_in_500(data):
    return float(sum(data)) if rng.random() < 1 / 500 else whole_count(data)


def only_at_three(data):
    return float(sum(data)) if sum(data) == 3 and rng.random() < 1 / 500 else whole_count(data)


def only_of_seven(data):
    return ("seven", rng.random()) if len(data) == 7 and rng.random() < 1 / 500 else whole_count(data)


def only_when_long(data):
    return whole_count(data) if len(data) < 60 else str(whole_count(data))


def fails_when_long(data):
    return whole_count(data) if len(data) < 60 else {}[1]


def always_fails(data):
    raise ValueError("no answer today")


def always_leaves(data):
    raise SystemExit(1)


def fails_when_empty(data):
    return whole_count(data) + 0 // len(data)


def fails_at_times(data):
    if len(data) == 5 and rng.random() < 0.1:
        raise OSError("too many")
    return whole_count(data)


def nothing(data):
    return []


def no_key(data):
    return {}


def no_row(data):
    return NO_ROWS


def above_threshold(data):
    return [n] if (n := whole_count(data)) > 6 else []
"""

BROKEN_MODULES = {"fails": "1 / 0", "leaves": "import sys; sys.exit(1)", "is_none": "def f(:"}


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
    assert "Broken: " in done.output
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


def test_a_rare_exact_count_is_found_with_the_worst_pair_and_a_picture(module: str, tmp_path: Path) -> None:
    done = run(f"{module}:exact_once_in_500", "--claims", "epsilon=1", "--report", "audit.html")
    assert done.exit_code == 1, done.output
    head, worst = [line for line in done.output.splitlines() if not line.startswith("…")][:2]
    assert head.startswith("Broken: The answer ")
    assert re.fullmatch(
        r"Worst pair of data sets: \[.*\] and \[.*\]; there ε is at least .*, where ε = 1 is claimed\.", worst
    )
    page = (tmp_path / "audit.html").read_text("utf-8")
    assert "<svg" in page
    assert not re.search(r"<(img|script|link)|src=|url\((?!#)", page), "nothing is loaded from elsewhere"


@pytest.mark.parametrize("name", ["only_at_three", "only_of_seven", "only_when_long", "fails_when_long"])
def test_a_fault_at_one_count_or_on_long_lists_is_found(module: str, name: str) -> None:
    done = run(f"{module}:{name}", "--claims", "epsilon=1", "--without", "timing")
    assert done.exit_code == 1, done.output


def test_the_lists_that_were_tried_stand_on_the_screen(module: str) -> None:
    done = run(f"{module}:whole_count", "--claims", "epsilon=1", "--samples", 10_000)
    told = {line.split()[0]: line for line in done.output.splitlines() if line.startswith("  ")}
    for stage, rows in (("exclusive", 100), ("timing", 100), ("replay", 100), ("bits", 5)):
        assert f"lists of up to {rows} rows" in told[stage], told[stage]


def test_a_leak_an_error_and_an_import_error_end_differently(module: str, tmp_path: Path) -> None:
    claims = ("--claims", "epsilon=1", "--samples", 20_000)
    for name, code in (("loose_count", 1), ("always_fails", 3), ("always_leaves", 3), ("missing", 2)):
        assert run(f"{module}:{name}", *claims).exit_code == code, name
    for name, text in BROKEN_MODULES.items():
        (tmp_path / f"{name}_{module}.py").write_text(text)
        assert run(f"{name}_{module}:f", *claims).exit_code == 2, name
    help_text = run("--help").output
    for code, words in ((0, "no fault"), (1, "broken"), (2, "cannot be imported"), (3, "raises"), (4, "suspicious")):
        assert re.search(rf"\b{code}  .*{words}", help_text), help_text


@pytest.mark.parametrize("name", ["fails_when_empty", "fails_at_times"])
def test_an_error_on_some_inputs_only_is_a_finding(module: str, name: str) -> None:
    done = run(f"{module}:{name}", "--claims", "epsilon=1", "--samples", 40_000)
    assert done.exit_code == 1, done.output
    assert "Error" in done.output or "raise an error" in done.output


@pytest.mark.parametrize("name", ["nothing", "no_key", "no_row", "above_threshold"])
def test_empty_answers_are_answers(module: str, name: str) -> None:
    done = run(f"{module}:{name}", "--claims", "epsilon=1", "--samples", 4_000, "--without", "timing")
    assert done.exit_code == 0, done.output
    assert "No fault found" in done.output


def test_a_suspicion_has_a_grade_and_an_exit_code_of_its_own(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = Finding("timing", Outcome.SUSPICIOUS, "It takes 120 µs here, 90 µs there", pair=([1], []))
    even = Finding("bits", Outcome.PASSED, "Nothing.")
    stages = [Stage(each.stage, lambda _: True, lambda *_, each=each: each) for each in (odd, even)]
    monkeypatch.setattr(audit_command, "STAGES", stages)
    words = (f"{module}:whole_count", "--claims", "epsilon=1")
    done = CliRunner().invoke(app, ["audit", *words, "--json"])
    told = json.loads(done.stdout)
    assert done.exit_code == 4, done.output
    assert told["grade"] == "suspicious"
    assert told["worst_pair"] == ["[1]", "[]"]
    assert [each["outcome"] for each in told["findings"]] == ["suspicious", "passed"], "it goes on"
    shown = run(*words)
    assert "Suspicious: It takes 120 µs" in shown.output
    assert "Broken" not in shown.output
    without = run(*words, "--without", "timing")
    assert without.exit_code == 0, without.output
    assert "Left out, and so not looked for: timing." in without.output


def test_progress_is_said_every_few_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    now = iter([0.0, 0.5, 1.0, 2.5, 2.5, 3.0])
    progress = audit_command.Progress(lambda: next(now))
    for words in ("bits", "bits: pair 1 of 8", "bits: pair 2 of 8", "bits: pair 3 of 8"):
        progress(words)
    assert capsys.readouterr().err.splitlines() == ["… bits", "… bits: pair 2 of 8"]


def test_every_stage_can_be_left_out_by_a_name_in_the_help() -> None:
    listed = run("--help").output
    assert all(stage.name in " ".join(listed.split()) for stage in STAGES)


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
