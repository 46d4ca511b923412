"""`tacit account` as a person types it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tacit.cli.main import app

RUNNER = CliRunner()


def run(*words: str) -> str:
    done = RUNNER.invoke(app, ["account", *words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize(
    ("release", "delta", "truth"),
    [
        ("gaussian(sigma=1, q=0.01) x 1000", "1e-5", 1.828235),
        ("gaussian(sigma=1.1, q=256/60000) x 14100", "1e-5", 2.38511),
        ("gaussian(sigma=20) x 1000", "1e-6", 8.306225050),
        ("laplace(scale=10) x 500", "1e-6", 12.270368083),
        ("approx(epsilon=0.1, delta=0.001) x 30", "0.035", 1.157007168),
        ("gaussian(sigma=1000) x 1000000", "1e-6", 4.886554117),
    ],
)
def test_the_bracket_contains_the_true_value(release: str, delta: str, truth: float) -> None:
    found = json.loads(run("compose", release, "--delta", delta, "--json"))
    assert found["lower"] - 1e-9 <= truth <= found["upper"] + 1e-9
    assert found["upper"] - found["lower"] <= 1e-3


def test_the_least_noise_says_how_much_is_left() -> None:
    words = ("gaussian(q=0.01) x 1000", "--epsilon", "2", "--delta", "1e-5")
    found = json.loads(run("calibrate", *words, "--json"))
    left = float(run("calibrate", *words).split(" is within ")[1].split(" of ε of the least noise")[0])
    assert 2 - found["lower"] <= left <= 2e-4


def test_a_plan_is_shown_as_what_a_zcdp_account_is_charged() -> None:
    plan = ("gaussian(sigma=2.289, q=1/32) x 320", "--delta", "1e-5")
    assert "charged to a zCDP account as ρ = 0.0345" in run("compose", *plan)
    charged = json.loads(run("compose", *plan, "--json"))["zcdp"]
    assert charged["rho"] < 0.0347
    assert charged["delta"] == pytest.approx(1e-6)
    exactly = json.loads(run("compose", "zcdp(rho=0.1) x 3", "gaussian(sigma=2)", "--delta", "1e-5", "--json"))["zcdp"]
    assert exactly == {"rho": pytest.approx(0.425), "delta": 0.0}


def test_the_rho_of_a_sampled_plan_says_under_which_relation() -> None:
    """An account under replace must not be charged it."""
    sampled = ("compose", "gaussian(sigma=2, q=0.01) x 10", "--delta", "1e-5")
    assert ", under add/remove." in run(*sampled)
    assert json.loads(run(*sampled, "--json"))["zcdp_relation"] == "add/remove"
    assert json.loads(run("compose", "gaussian(sigma=2)", "--delta", "1e-5", "--json"))["zcdp_relation"] is None


def test_a_plan_without_a_rho_says_why() -> None:
    plan = ("approx(epsilon=1, delta=0.1)", "--delta", "0.2")
    found = json.loads(run("compose", *plan, "--json"))
    assert found["zcdp"] is None
    assert "more often than that" in found["zcdp_reason"]
    assert "No ρ is known at δ′ = 0.02: It gives everything away more often than that." in run("compose", *plan)
    assert json.loads(run("compose", "gaussian(sigma=2)", "--delta", "1e-5", "--json"))["zcdp_reason"] is None


def test_several_releases_cost_more_than_one() -> None:
    one = json.loads(run("compose", "laplace(scale=10) x 50", "--delta", "1e-6", "--json"))
    both = json.loads(run("compose", "laplace(scale=10) x 50", "response(epsilon=0.1)", "--delta", "1e-6", "--json"))
    assert both["lower"] > one["upper"]


def test_a_rho_is_between_gaussian_noise_and_its_promise() -> None:
    found = json.loads(run("compose", "zcdp(rho=0.1)", "--delta", "1e-5", "--json"))
    assert 1.7 < found["lower"] < found["upper"] < 2.0


@pytest.mark.parametrize(
    ("release", "find", "least", "most"),
    [
        ("gaussian(q=0.01) x 1000", (), 0.958, 0.9595),  # ε = 2 at δ = 1e-5
        ("gaussian(sigma=1) x 1000", ("--find", "q"), 0.0108, 0.0109),
        ("gaussian(sigma=1, q=0.01)", ("--find", "times"), 1190, 1210),
        ("laplace() x 10", (), 4.9, 5),
    ],
)
def test_the_least_noise_the_largest_sample_and_the_most_steps_keep_their_promise(
    release: str, find: tuple[str, ...], least: float, most: float, tmp_path: Path
) -> None:
    words = (release, *find, "--epsilon", "2", "--delta", "1e-5", "--figure", str(tmp_path / "a.png"), "--json")
    found = json.loads(run("calibrate", *words))
    assert least <= found["value"] <= most
    assert 1.99 < found["lower"] <= found["upper"] <= 2 + 1e-9
    assert (tmp_path / "a.png").exists()


def test_the_profile_is_drawn(tmp_path: Path) -> None:
    words = ("gaussian(sigma=1, q=0.01) x 1000", "--delta", "1e-5", "--figure", str(tmp_path / "a.png"))
    assert "Drawn to" in run("compose", *words)


def test_people_read_a_sentence() -> None:
    assert "ε between 8.30" in run("compose", "gaussian(sigma=20) x 1000", "--delta", "1e-6")


def test_the_comparison_of_note_001_is_redrawn(tmp_path: Path) -> None:
    picture = tmp_path / "compare.png"
    words = ("--epsilon", "0.1", "--delta", "0.001", "--times", "30", "--figure", str(picture))
    assert "KOV closed form" in run("compare", *words)
    assert picture.stat().st_size > 10_000
    (*_, last) = json.loads(run("compare", *words, "--json"))["rows"]
    assert last["exact"] < last["KOV closed form"] < last["advanced"] < last["basic"]


def test_the_regions_of_note_001_are_redrawn(tmp_path: Path) -> None:
    picture = tmp_path / "region.svg"
    words = ("--epsilon", "0.4", "--delta", "0.1", "--times", "1..5", "--figure", str(picture))
    run("region", *words)
    assert "<svg" in picture.read_text()[:500]
    regions = json.loads(run("region", *words, "--json"))["regions"]
    assert [region["times"] for region in regions] == [1, 2, 3, 4, 5]
    assert regions[0]["vertices"][0] == pytest.approx([0, 0.9])


@pytest.mark.parametrize(
    "words",
    [
        ("compose", "gaussian(sgma=1)", "--delta", "1e-5"),
        ("compose", "gaussian(sigma=1)", "--delta", "nan"),
        ("compose", "gaussian(sigma=1)", "--delta", "2"),
        ("calibrate", "gaussian(sigma=1) x 10", "--epsilon", "1", "--delta", "1e-5"),
        ("calibrate", "gaussian(sigma=1) x 10", "--find", "times", "--epsilon", "1", "--delta", "1e-5"),
        ("calibrate", "zcdp() x 10", "--epsilon", "1", "--delta", "1e-5"),
        ("region", "--epsilon", "1", "--times", "5..1"),
        ("region", "--epsilon", "1", "--figure", "picture.pdf"),
        ("compare", "--epsilon", "-1", "--delta", "0", "--times", "3"),
    ],
)
def test_a_refusal_is_printed_without_a_traceback(words: tuple[str, ...]) -> None:
    done = subprocess.run([sys.executable, "-m", "tacit", "account", *words], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("Refused: ")
    assert "Accepted: " in done.stderr
    assert "Traceback" not in done.stderr
