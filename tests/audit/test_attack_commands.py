"""`tacit attack`: what the steward sees, on small tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from tacit.__main__ import app


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
    exact, blurred, guarded = done.output.strip().splitlines()
    assert exact.startswith("With 384 exact counts: 100% of 64 people's bits recovered")
    assert "standard deviation ¼·√n" in blurred
    assert "through Tacit (ε = 1 in all)" in guarded
    share = int(guarded.split(": ")[1].split("%")[0])
    assert share <= 78, "of 64 people 50 or more by chance: once in 10⁵"


def test_membership_is_found_from_exact_averages(patients: Path, tmp_path: Path) -> None:
    done = run("membership", patients, "--people", "20", "--figure", tmp_path / "found.png")
    assert done.exit_code == 0, done.output
    first, second, _ = done.output.strip().splitlines()
    areas = [float(line.split("area ")[1].split(" ")[0]) for line in (first, second)]
    assert areas[0] > 0.85
    assert areas[1] < 0.65
    assert (tmp_path / "found.png").stat().st_size > 10_000


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
    done = run("anonymity", path, "--known", "age", "--known", "town", "--secret", "ill", "--k", "5")
    assert done.exit_code == 0, done.output
    assert "made 5-anonymous" in done.output
    for attack in ("Homogeneity", "Background", "Composition", "Downcoding"):
        assert attack in done.output


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
