"""The table of rates: our exact errors, bounds below what any mechanism reaches, and the command that prints them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.optimize import linprog

from tacit.cli.main import app
from tacit.errors import Refused
from tacit.loss.families.approx import Approx, Pure
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.laplace import Laplace
from tacit.workload.histogram_models import HistogramModels
from tacit.workload.rates import Rates, Relation, least_approximate, least_pure

RUNNER = CliRunner()


def best_coverage(people: int, questions: int, epsilon: float, width: float) -> float:
    """The largest worst-case probability that all answers are within `width`: a linear program over all mechanisms.

    Records are all answers to `questions` yes-or-no questions; outputs are all that lie half-way or on whole numbers.
    """
    records = list(product((0, 1), repeat=questions))
    worlds = [each for each in product(range(people + 1), repeat=len(records)) if sum(each) == people]
    truths = [
        tuple(sum(c * r[q] for c, r in zip(world, records, strict=True)) for q in range(questions)) for world in worlds
    ]
    outputs = list(product(np.arange(0, people + 0.5, 0.5), repeat=questions))
    many, size = len(worlds), len(outputs)
    near = [
        (one, two)
        for one, two in product(range(many), repeat=2)
        if sum(abs(a - b) for a, b in zip(worlds[one], worlds[two], strict=True)) == 2
    ]
    rows, limits = [], []
    for (one, two), output in product(near, range(size)):
        row = np.zeros(many * size + 1)
        row[one * size + output], row[two * size + output] = 1, -math.exp(epsilon)
        rows.append(row)
        limits.append(0.0)
    for world, truth in enumerate(truths):
        row = np.zeros(many * size + 1)
        good = [max(abs(y - t) for y, t in zip(output, truth, strict=True)) <= width + 1e-9 for output in outputs]
        row[world * size : (world + 1) * size], row[-1] = -np.array(good, float), 1
        rows.append(row)
        limits.append(0.0)
    sums = np.zeros((many, many * size + 1))
    for world in range(many):
        sums[world, world * size : (world + 1) * size] = 1
    found = linprog(
        -np.eye(1, many * size + 1, many * size)[0], np.array(rows), limits, sums, np.ones(many), (0, 1), method="highs"
    )
    return -float(found.fun)


@pytest.mark.parametrize(("people", "questions", "epsilon"), [(6, 1, "1"), (6, 1, "0.6"), (2, 2, "0.5")])
def test_no_mechanism_is_better_than_the_least(people: int, questions: int, epsilon: str) -> None:
    """Against the best mechanism there is: just below the least half-width, it covers less than 95%."""
    least = least_pure(Rates(people, questions, Fraction(epsilon), Fraction(1, 10**6), 2**questions))
    assert least >= 1
    assert best_coverage(people, questions, float(epsilon), float(least) - 0.5) < 0.95


def test_a_bound_without_group_privacy_is_caught() -> None:
    """Two worlds m people apart, held to e^ε and not to e^(mε), would forbid what the best mechanism does."""
    broken = Fraction(6, 2)  # 1−β > e^ε·β holds for every m up to all six people
    assert math.exp(1) * 0.05 < 0.95
    assert best_coverage(6, 1, 1.0, float(broken) - 0.5) > 0.95


def test_the_least_errors_by_hand() -> None:
    asked = Rates(10_000, 100, Fraction(1), Fraction(1, 10**6), 1024)
    packed, two = (10 * math.log(2) + math.log(0.95)), math.log(19)
    assert least_pure(asked) == Fraction(math.floor(packed), 2)
    assert least_approximate(asked) == Fraction(math.floor(two), 2)
    certain = Rates(10_000, 1, Fraction(1, 1000), Fraction(1, 100), 2)  # δ decides: after 60 people all may be told
    assert least_approximate(certain) < least_pure(certain) == Fraction(2944, 2)


def test_errors_are_those_of_the_mechanisms() -> None:
    asked = Rates(100_000, 100, Fraction(1), Fraction(1, 10**6), 1024)
    local, pure, approximate, weights = asked.rows
    assert pure.error == Laplace.for_epsilon(1, 100, Relation.REPLACE).error("0.95", 100) / 100_000
    noise = Gaussian.for_loss(Approx(1, "1e-6"), 10, Relation.REPLACE)
    assert approximate.error == noise.error("0.95", 100) / 100_000
    assert weights.error > local.error > pure.error > approximate.error  # here weights are no help
    assert all(row.least is None or row.least < row.error for row in asked.rows)
    assert [row.rate for row in asked.rows[:3]] == pytest.approx([math.sqrt(1e-3), 1e-3, 1e-4])
    assert weights.rate == pytest.approx(math.sqrt(math.sqrt(math.log(1024)) * math.log(100) / 1e5))


def test_weights_win_only_where_questions_are_very_many() -> None:
    many = Rates(10**6, 10**6, Fraction(1), Fraction(1, 10**6), 1024)
    _, pure, _, weights = many.rows
    assert weights.error < pure.error
    assert weights.error < 1.2 * Rates(10**6, 10**5, Fraction(1), Fraction(1, 10**6), 1024).weights().error


def test_histograms_have_the_errors_of_the_example() -> None:
    """K-ary response: 003's exact variance, averaged over the cells, below its bound; Laplace: its own law."""
    people, cells, epsilon = 1000, 8, 1.0
    models = HistogramModels(people, cells, Fraction(1))
    least = 1 / (cells - 1 + math.exp(epsilon))
    hit = least * math.exp(epsilon)
    noise = hit * (1 - hit) / cells + (1 - 1 / cells) * least * (1 - least)
    assert float(models.kary) == pytest.approx(noise / (people * (hit - least) ** 2), rel=1e-6)
    bound = (1 - least) * math.exp(epsilon) / (people * least * (math.exp(epsilon) - 1) ** 2)
    assert float(models.kary) < bound
    law = Laplace.for_epsilon(1, 2, Relation.REPLACE).law
    variance = sum(float(law.mass(x)) * x * x for x in range(-200, 201))
    assert float(models.central) == pytest.approx(variance / people**2, rel=1e-12)
    assert models.subsets < models.kary
    assert float(models.subsets) == pytest.approx(float(models.central) * models.people_to_match)


@pytest.mark.parametrize(
    "words",
    [
        ("rates", "--people", "10000", "--questions", "100", "--epsilon", "1"),
        ("histogram", "--people", "10000", "--cells", "16", "--epsilon", "1"),
    ],
)
def test_the_commands_print_a_table_numbers_and_a_figure(words: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "figure.png"
    done = RUNNER.invoke(app, ["account", *words, "--figure", str(file)], catch_exceptions=False)
    assert done.exit_code == 0
    assert "error" in done.stdout
    assert file.read_bytes().startswith(b"\x89PNG")
    assert json.loads(RUNNER.invoke(app, ["account", *words, "--json"], catch_exceptions=False).stdout)


def test_fewer_people_are_not_said_to_be_none() -> None:
    few = ("account", "histogram", "--people", "10", "--cells", "16", "--epsilon", "9")
    said = " ".join(RUNNER.invoke(app, few, catch_exceptions=False).stdout.split())
    assert "local reports need 0.1 times as many people." in said


def test_what_cannot_be_asked_is_refused() -> None:
    good = {"people": 10, "questions": 2, "epsilon": 1, "delta": "0.1", "domain": 4}
    bad = {"people": [0, 1, True], "questions": [0], "epsilon": [0, math.nan], "delta": [0, 1], "domain": [1]}
    wrong: list[Callable[[], object]] = [
        *(lambda n=name, v=value: Rates(**{**good, n: v}) for name, values in bad.items() for value in values),
        lambda: HistogramModels(10, 1, Pure(1).exact_epsilon),
        lambda: HistogramModels(0, 2, Fraction(1)),
    ]
    for each in wrong:
        with pytest.raises(Refused):
            each()
