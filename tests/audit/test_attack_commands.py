"""`tacit attack`: what the steward sees, on small tables."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from tacit.audit.reconstruction.recovery_study import Recovery, draw_recovery
from tacit.audit.table_file import read_bits
from tacit.cli import attack as reconstruct_command
from tacit.cli.main import app
from tacit.errors import Refused


def run(*words: object) -> Result:
    return CliRunner().invoke(app, ["attack", *map(str, words)])


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    """400 people: a secret bit, and 60 yes-or-no columns of no great interest."""
    rng = np.random.default_rng(1)
    columns: dict[str, object] = {"diabetic": rng.random(400) < 0.5, "age": rng.integers(20, 90, 400)}
    columns |= {f"gene{place}": rng.random(400) < 0.5 for place in range(60)}
    path = tmp_path / "patients.parquet"
    pq.write_table(pa.table(columns), path)
    return path


def test_reconstruction_works_without_tacit_and_fails_with_it(patients: Path) -> None:
    done = run("reconstruct", patients, "--secret", "diabetic", "--people", "64", "--factor", "6")
    assert done.exit_code == 0, done.output
    exact, blurred, guarded = [line for line in done.output.strip().splitlines() if not line.startswith("…")]
    assert exact.startswith("With 384 exact counts: 100% of 64 people's bits recovered")
    assert "standard deviation ¼·√n" in blurred
    assert "through Tacit (ε = 1 in all)" in guarded
    share = int(guarded.split(": ")[1].split("%")[0])
    assert share <= 78, "of 64 people 50 or more by chance: once in 10⁵"
    for line in (exact, blurred, guarded):
        assert re.search(r"giving everybody the commoner bit gets \d\d%\.$", line)
    assert "… 100 of 128 counts through Tacit" in done.output, "progress"


def test_people_are_drawn_at_random_from_the_whole_column(tmp_path: Path) -> None:
    path = tmp_path / "sorted.parquet"
    pq.write_table(pa.table({"ill": np.arange(1000) < 400}), path)
    drawn = read_bits(path, "ill", 200)
    assert 50 <= drawn.sum() <= 110, "80 in the mean; outside once in 10⁶"
    assert not np.array_equal(drawn, read_bits(path, "ill", 200, seed=1))
    done = run("reconstruct", path, "--secret", "ill", "--people", "32", "--factor", "4")
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("value", [True, False])
def test_a_constant_column_is_refused(tmp_path: Path, value: bool) -> None:
    path = tmp_path / "constant.parquet"
    pq.write_table(pa.table({"ill": np.full(100, value)}), path)
    refused = run("reconstruct", path, "--secret", "ill")
    assert refused.exit_code == 2, refused.output
    assert "same value" in refused.output


def test_the_figure_of_a_reconstruction_draws_the_share_that_guessing_gets(tmp_path: Path) -> None:
    noise = (Recovery("n counts", (0.1, 1.0), (1.0, 0.8)),)
    ledger = Recovery("off", (64.0, 128.0), (0.9, 1.0)), Recovery("on", (64.0, 128.0), (0.8, 0.7))
    draw_recovery(tmp_path / "recovered.svg", (100, 100), 0.8, noise, ledger)
    words = text_of(tmp_path / "recovered.svg")
    assert "100 of 100 people exposed without a ledger; with one, 70: fewer than the 80 that guessing gets" in words
    assert "guessing the commoner value for all (80%)" in words
    draw_recovery(tmp_path / "part.svg", (100, 500), 0.8, noise, ledger)
    assert "100 of 100 (of the 500) people exposed without a ledger" in text_of(tmp_path / "part.svg")


@pytest.mark.parametrize(("people", "most"), [(24, 256), (24, 16)])
def test_screen_and_figure_speak_of_the_same_people(
    patients: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, people: int, most: int
) -> None:
    assert reconstruct_command.reconstruct.params[2].default == reconstruct_command._DRAWN, "by default all of them"
    monkeypatch.setattr(reconstruct_command, "_DRAWN", most)
    drawn = tmp_path / "r.svg"
    done = run("reconstruct", patients, "--secret", "diabetic", "--people", people, "--factor", 2, "--figure", drawn)
    assert done.exit_code == 0, done.output
    assert "of 24 people's bits recovered" in done.output
    assert re.search(
        r"of 24 people exposed" if most > people else r"of 16 \(of the 24\) people exposed", text_of(drawn)
    )
    assert ("for 16 of the 24 people" in done.output) == (most < people)


def test_the_refusal_of_a_rare_value_names_a_number_that_is_accepted(tmp_path: Path) -> None:
    path = tmp_path / "rare.parquet"
    pq.write_table(pa.table({"ill": np.arange(5000) == 7}), path)
    refused = run("reconstruct", path, "--secret", "ill", "--people", 8)
    assert refused.exit_code == 2, refused.output
    told = re.search(
        r"--people (\d+), with which both values occur, or another --seed", " ".join(refused.output.split())
    )
    assert told is not None, refused.output
    assert read_bits(path, "ill", int(told[1])).sum() == 1
    with pytest.raises(Refused):
        read_bits(path, "ill", int(told[1]) - 1)


def text_of(path: Path) -> str:
    """The text of an SVG: each text is a comment beside its outlines."""
    return " ".join(re.findall(r"<!-- (.*?) -->", path.read_text("utf-8")))


def test_membership_is_found_from_exact_averages(patients: Path, tmp_path: Path) -> None:
    done = run("membership", patients, "--people", "20", "--figure", tmp_path / "found.svg")
    assert done.exit_code == 0, done.output
    first, second, _ = done.output.strip().splitlines()
    areas = [float(line.split("area ")[1].split(" ")[0]) for line in (first, second)]
    assert areas[0] > 0.85
    assert areas[1] < 0.65
    assert re.search(r"\d+ of 100 members exposed by exact averages", text_of(tmp_path / "found.svg"))


def test_anonymity_is_attacked(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    path = tmp_path / "people.csv"
    age = rng.integers(20, 80, 600)
    table = {
        "age": age,
        "town": rng.choice(["a", "b", "c"], 600),
        "ill": np.where(age > 60, "much", rng.choice(["a little", "no"], 600)),
    }
    arrow_csv.write_csv(pa.table(table), path)
    figure = tmp_path / "exposed.svg"
    done = run("anonymity", path, "--known", "age", "--known", "town", "--secret", "ill", "--figure", figure)
    assert done.exit_code == 0, done.output
    assert "made 5-anonymous" in done.output
    for attack in ("Homogeneity", "Background", "Composition", "Downcoding"):
        assert attack in done.output
        assert attack in text_of(figure)
    assert re.search(
        r"[\d,]+ of [\d,]+ people exposed by [a-z ]+( \(.*?\))?, though the table is 5-anonymous", text_of(figure)
    )


@pytest.mark.parametrize(
    "words",
    [
        ("reconstruct", "none.parquet", "--secret", "x"),
        ("reconstruct", "patients.parquet", "--secret", "nobody"),
        ("reconstruct", "patients.parquet", "--secret", "age"),
        ("membership", "patients.parquet", "--people", "300"),
        ("anonymity", "patients.parquet", "--known", "height", "--secret", "age"),
        ("anonymity", "patients.parquet", "--known", "age", "--secret", "age"),
    ],
)
def test_what_cannot_be_attacked_is_refused(
    words: tuple[str, ...], patients: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(patients.parent)
    refused = run(*words)
    assert refused.exit_code == 2, refused.output
    assert "Accepted: " in refused.output


@pytest.mark.parametrize("words", [("reconstruct", "--secret", "x"), ("anonymity",), ("membership",), ("model",)])
def test_a_figure_that_could_not_be_drawn_is_refused_before_the_attack(tmp_path: Path, words: tuple[str, ...]) -> None:
    """Also before the table is read: there is none."""
    for figure, why in (("found.txt", "neither .png nor .svg"), ("nowhere/found.png", "no such folder")):
        found = run(*words, tmp_path / "none.csv", "--figure", tmp_path / figure)
        assert found.exit_code == 2
        assert why in found.output.lower()
        assert "Accepted" in found.output
