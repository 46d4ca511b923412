"""Attacks on membership: curves, likelihood ratios, averages, and models by their shadows."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from tests.audit.membership.game import Game, one_by_one
from tests.audit.membership.scores import by_likelihood, by_threshold

from tacit.audit.membership.game import Marginals
from tacit.audit.membership.rounds import Played, draw_curves
from tacit.audit.membership.shadow_models import attack_model
from tacit.errors import Refused


def test_the_curve_by_hand() -> None:
    played = Played.of([1, 1, 1, 0, 0, 0, 0], [3, 2, 2, 2, 1, 0, 0])
    alarms, hits = played.curve()
    assert alarms.tolist() == [0, 0, 0.25, 0.5, 1]
    assert hits.tolist() == pytest.approx([0, 1 / 3, 1, 1, 1])
    assert played.area() == pytest.approx((3 * 4 - 2 * 0.5) / 12)  # two members tie with one other
    assert (played.found(0), played.found(0.3)) == (pytest.approx(1 / 3), 1)
    assert played.describe().startswith("7 rounds: area 0.917")


def test_the_likelihood_ratio_beats_a_plain_threshold() -> None:
    """Between N(0, 1) and N(0, 4) the mean is uninformative, the ratio is not."""
    generator = np.random.default_rng(3)

    def release(member: bool, count: int) -> np.ndarray:
        return generator.normal(0, 2 if member else 1, count)

    plain = Game(release, by_threshold(lambda outputs: outputs)).play(4000, 1)
    ratio = by_likelihood(lambda y: -(y**2) / 8 - math.log(2), lambda y: -(y**2) / 2)
    best = Game(release, ratio).play(4000, 1)
    assert plain.area() == pytest.approx(0.5, abs=0.05)
    assert best.area() > 0.65
    assert best.bound().epsilon > 1


def test_what_is_impossible_scores_infinitely() -> None:
    score = by_likelihood(lambda y: np.where(y > 0, 0.0, -np.inf), lambda y: np.where(y < 2, 0.0, -np.inf))(
        np.array([-1.0, 1.0, 3.0])
    )
    assert score.tolist() == [-np.inf, 0, np.inf]


def test_one_by_one() -> None:
    assert one_by_one(lambda member: int(member))(True, 3).tolist() == [1, 1, 1]


@pytest.mark.parametrize(("factor", "least", "most"), [(0.02, 0.9, 1.0), (0.1, 0.85, 1.0), (5, 0.4, 0.62)])
def test_noise_below_the_square_root_of_k_over_n_hides_nobody(factor: float, least: float, most: float) -> None:
    """k = 2,000 columns of n = 50 people: the area of the attack by noise in units of √k/n; theory Φ(signal/√2)."""
    columns, people = 2000, 50
    rates = np.random.default_rng(1).uniform(0.2, 0.8, columns)
    marginals = Marginals.of(rates, people, factor * math.sqrt(columns) / people)
    played = marginals.play(150, seed=2)
    assert least <= played.area() <= most
    theory = 0.5 * (1 + math.erf(marginals.signal / 2))
    assert played.area() == pytest.approx(theory, abs=0.12)


class Nearest:
    """A model that memorises: the label of the nearest row, with a certainty that depends on its distance."""

    def __init__(self, width: float) -> None:
        self.width = width

    def fit(self, rows: np.ndarray, labels: np.ndarray) -> None:
        self.rows, self.labels, self.classes_ = rows, labels, np.unique(labels)

    def predict_proba(self, rows: np.ndarray) -> np.ndarray:
        squares = ((rows[:, None, :] - self.rows[None, :, :]) ** 2).sum(axis=2)
        weights = np.exp(-squares / self.width**2) + 1e-9
        votes = np.stack([weights[:, self.labels == each].sum(axis=1) for each in self.classes_], axis=1)
        return votes / votes.sum(axis=1, keepdims=True)


class Deaf(Nearest):
    """A model that learns nothing from anyone."""

    def predict_proba(self, rows: np.ndarray) -> np.ndarray:
        return np.full((len(rows), len(self.classes_)), 1 / len(self.classes_))


def people(count: int = 240) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(5)
    rows = generator.standard_normal((count, 4))
    labels = (rows[:, 0] + 1.5 * generator.standard_normal(count) > 0).astype(int)
    return rows, labels


def test_a_model_that_remembers_gives_its_members_away(tmp_path: Path) -> None:
    rows, labels = people()
    found = attack_model(lambda: Nearest(0.3), rows, labels, shadows=16, seed=1)
    assert found.played.area() > 0.9
    assert found.played.found(0.01) > 0.3
    assert found.bound().epsilon > 1.5
    assert found.describe().startswith("Likelihood ratios from 16 shadow models. 240 rounds: area 0.9")
    smooth = attack_model(lambda: Nearest(3.0), rows, labels, shadows=16, seed=1)
    assert smooth.played.area() < found.played.area()
    file = tmp_path / "curves.png"
    draw_curves(file, {"remembers": found.played, "smooths": smooth.played}, epsilon=1)
    assert file.read_bytes().startswith(b"\x89PNG")


def test_a_model_that_learns_nothing_gives_nobody_away() -> None:
    rows, labels = people()
    found = attack_model(lambda: Deaf(1.0), rows, labels, shadows=8, seed=2)
    assert found.played.area() == 0.5
    assert found.bound(confidence=0.999).epsilon == 0


def test_labels_of_any_kind_and_classes_that_a_half_may_lack() -> None:
    rows, _ = people(40)
    labels = np.array(["rare"] + ["often"] * 20 + ["sometimes"] * 19)
    found = attack_model(lambda: Nearest(0.5), rows, labels, shadows=8, seed=3)
    assert np.isfinite(found.scores).all()


def test_what_is_refused() -> None:
    with pytest.raises(Refused, match="a label a person"):
        attack_model(lambda: Deaf(1.0), np.zeros((3, 2)), np.zeros(2))
    with pytest.raises(Refused, match="strictly between"):
        Marginals.of([0.5, 1.0], 10, 0.1)
    with pytest.raises(Refused, match="not negative"):
        Marginals.of([0.5], 10, math.nan)
