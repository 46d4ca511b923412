"""The attack on kinds of models: its intervals, its bounds, whom it lists, and what the steward reads.

Seeds are fixed. Where noise comes from the system's entropy, the rate of false alarms is written down.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pytest
from click.testing import CliRunner, Result
from scipy.stats import beta, binom, binomtest
from tests.audit.membership.test_membership_attacks import Deaf, Nearest

from tacit.audit.membership.attacked_models import NETWORK, PRIVATE, AttackedModel, opened_model, own_model
from tacit.audit.membership.attacked_table import AttackedTable
from tacit.audit.membership.exposed_people import most_exposed
from tacit.audit.membership.found_members import Rate, find_members
from tacit.audit.membership.model_attack import attack_on
from tacit.audit.membership.rounds import Marks, Played, Reals
from tacit.audit.membership.shadow_models import attack_training, bound_of_guesses
from tacit.audit.own_function import read_claim
from tacit.cli.main import app
from tacit.errors import Refused


@pytest.mark.parametrize("trials", [1, 7, 30])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_intervals_cover_by_enumeration(trials: int, confidence: float) -> None:
    """All outcomes of a binomial count: for no rate has what misses it a probability above 1 − confidence.

    Broken twin: intervals for half of the confidence do miss more often.
    """

    def least_covered(level: float) -> float:
        ends = [Rate(count, trials).interval(level) for count in range(trials + 1)]
        covered = []
        for rate in np.linspace(0, 1, 201):
            holds = [low <= rate <= high for low, high in ends]
            covered.append(float(binom.pmf(np.arange(trials + 1), trials, rate)[holds].sum()))
        return min(covered)

    assert least_covered(confidence) >= confidence - 1e-9
    assert trials == 1 or least_covered(confidence / 2) < confidence


@pytest.mark.parametrize(("count", "trials"), [(0, 10), (10, 10), (3, 1600), (600, 1600)])
def test_intervals_are_those_of_scipy(count: int, trials: int) -> None:
    known = binomtest(count, trials).proportion_ci(0.95, method="exact")
    assert Rate(count, trials).interval() == pytest.approx((known.low, known.high), abs=1e-8)


def test_members_found_by_hand() -> None:
    played = Played.of([1] * 4 + [0] * 10, [9, 8, 7, 1, *range(10)])
    none, one = find_members(played, 0), find_members(played, "0.1")
    assert (none.hits.count, none.alarms.count) == (0, 0)
    assert (one.hits.count, one.alarms.count) == (1, 1), "above 8, the second highest of others, is the 9"
    assert one.of_a_hundred == 25
    assert find_members(played, 1).hits.count == 4
    assert one.describe().startswith("at 10% false alarms 1 of 4 members (25.0%; 0.6% to 80.6%), 1 of 10 others (10.0%")


def test_alarms_at_a_chosen_threshold_are_covered() -> None:
    """The rate above the (k+1)-th highest of m others is Beta(k+1, m−k): the interval of k of m misses it rarely."""
    for others, alarms in ((200, 0), (200, 2), (1600, 16), (1600, 1)):
        low, high = Rate(alarms, others).interval(0.95)
        missed = beta.sf(high, alarms + 1, others - alarms) + beta.cdf(low, alarms + 1, others - alarms)
        assert missed <= 0.05 + 1e-6


def gaussian_models(people: int, moved: float, models: int, seed: int) -> tuple[Marks, Reals]:
    """Logits of people in models that tell nothing of anybody but of the first, whom it moves."""
    rng = np.random.default_rng(seed)
    saw = rng.random((models, people)) < 0.5
    told = rng.normal(0, 1 + np.arange(people) % 3, (models, people))
    told[:, 0] += moved * saw[:, 0]
    return saw, told


def test_nobody_is_listed_by_chance() -> None:
    """In 300 attacks at most 5% list somebody: above 15 + 4·√15 = 30 with probability below 10⁻³."""
    lists = [most_exposed(*gaussian_models(60, 0, 24, seed)) for seed in range(300)]
    assert 1 <= sum(bool(each) for each in lists) <= 30
    found = most_exposed(*gaussian_models(60, 5, 24, 1))
    assert [each.person for each in found] == [0]
    assert 3 < found[0].score < 8


def columns(people: int = 120, each: int = 1, seed: int = 5) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    owners = np.repeat(np.arange(people), each)
    x = rng.standard_normal((len(owners), 4))
    sick = (x[:, 0] + 1.5 * rng.standard_normal(len(owners)) > 0).tolist()
    return {"who": [f"p{owner}" for owner in owners], "ill": sick, **{f"x{k}": x[:, k].tolist() for k in range(4)}}


def remembering() -> AttackedModel:
    return own_model("tests:nearest", lambda: Nearest(0.05))


def test_a_model_that_remembers_is_broken_by_every_attack() -> None:
    found = attack_on(remembering(), AttackedTable.of(columns(), "ill", "who", 400), 16, 4)
    assert found.bound > 1.5
    assert all(bound.epsilon > 1 for bound in found.bounds.values()), found.bounds
    one, tenth = found.found["likelihood ratio"]
    assert one.hits.interval()[0] > 0.2 > 10 * one.alarms.value
    assert tenth.hits.value > 0.1
    assert len(found.exposed) > 20
    assert not found.refutes, "it promises nothing"


def test_a_model_that_learns_nothing_is_not() -> None:
    deaf = own_model("tests:deaf", lambda: Deaf(1.0))
    found = attack_on(deaf, AttackedTable.of(columns(), "ill", "who", 400), 8, 4, confidence="0.999")
    assert found.bound == 0
    assert not found.exposed
    assert "Nobody stands out" in found.describe()


def test_a_refusal_of_the_model_itself_keeps_its_cure() -> None:
    """Any other error of a model is told by its type alone, for its text may hold a value."""

    def refusing() -> Deaf:
        raise Refused("so few rows", "They are not enough.", "a hundred.")

    def failing() -> Deaf:
        raise KeyError("who is ill")

    table = AttackedTable.of(columns(), "ill", "who", 400)
    with pytest.raises(Refused, match=r"so few rows.*a hundred"):
        attack_on(own_model("tests:refusing", refusing), table, 8, 4)
    with pytest.raises(Refused, match="It raises KeyError") as told:
        attack_on(own_model("tests:failing", failing), table, 8, 4)
    assert "who is ill" not in str(told.value)


@pytest.mark.parametrize(("claim", "least"), [("epsilon=1", 0.99), ("epsilon=1 delta=1e-6", 1), ("mu=0.2", 0.8)])
def test_a_false_claim_is_refuted(claim: str, least: float) -> None:
    liar = own_model("tests:liar", lambda: Nearest(0.05), read_claim(claim))
    found = attack_on(liar, AttackedTable.of(columns(), "ill", "who", 400), 16, 4)
    assert least <= (liar.epsilon or 0) <= 1
    assert found.refutes
    assert "claimed ≤ " in found.describe()
    assert "The claimed ε is refuted" in found.describe()


def test_the_bound_of_an_exactly_private_training_is_valid() -> None:
    """Randomized response for each coin, at ε = 1: in 100 attacks the bound at 80% is above 1 at most 20 + 4·√20 times.

    A valid bound is so with probability above 0.999. Many people of several targets make it close, too.
    """
    epsilon = 1.0
    bounds: dict[str, list[float]] = {"ratio": [], "threshold": []}
    for seed in range(100):
        rng = np.random.default_rng(seed)

        def respond(part: Marks, rng: np.random.Generator = rng) -> Reals:
            kept = rng.random(part.size) < 1 / (1 + np.exp(-epsilon))
            return np.where(kept == part, 1.0, -1.0) + 0.01 * rng.random(part.size)

        attack = attack_training(respond, 200, 8, 4, seed)
        for name, played in (("ratio", attack.played), ("threshold", attack.by_threshold)):
            bounds[name].append(bound_of_guesses(played, 1e-6, "0.8").epsilon)
    for name, found in bounds.items():
        assert sum(bound > epsilon for bound in found) <= 38, name
        assert np.median(found) > 0.6, name


def test_a_person_is_in_with_all_rows_or_none() -> None:
    table = AttackedTable.of(columns(60, 3), "ill", "who", 40, seed=2)
    assert (table.people, len(table.labels)) == (40, 120)
    part = np.arange(40) < 7
    assert np.bincount(table.owners, table.rows_of(part)).tolist() == [3] * 7 + [0] * 33
    assert table.by_person(np.ones(120)).tolist() == [1] * 40
    rows = table.rows_in_file(0)
    assert rows == [rows[0], rows[0] + 1, rows[0] + 2]
    assert (rows[0] - 1) % 3 == 0, "counted from 1, three of each person"
    changed = table.mislabelled(part).labels != table.labels
    assert np.array_equal(changed, table.rows_of(part))
    found = attack_on(remembering(), table, 16, 2)
    assert found.bound > 0.5
    assert re.search(r"rows \d+, \d+, \d+: ", found.describe())
    assert len(found.fields()["most_exposed"][0]["rows"]) == 3


def test_what_is_read_of_a_table() -> None:
    read = {
        "class": ["a", "b", "c", None, "a"] * 8,
        "age": [30, 50, None, 1, 40] * 8,
        "ward": ["n", "s", None, "n", "s"] * 8,
        "odd": [float("nan"), 0.5, 1.5, 2.5, 0.5] * 8,
        "one": [1] * 40,
        "note": [f"note {place}" for place in range(40)],
    }
    table = AttackedTable.of(read, "class", None, 400)
    assert table.people == 32, "without a label a row is left out"
    assert table.left_out == ("one", "note")
    assert table.classes == ("a", "b", "c")
    assert sorted(set(table.numbers.tolist())) == [each for each in range(1, 41) if each % 5 != 4]
    assert table.matrix.shape == (32, 2 + 2 + 2), "age, no age; n, s; odd, no odd"
    assert ((table.matrix >= 0) & (table.matrix <= 1)).all()


@pytest.mark.parametrize(
    ("target", "unit", "why"),
    [
        ("nothing", None, "the column nothing"),
        ("ill", "nobody", "the column nobody"),
        ("x1", None, "120 values"),
        ("ill", "ill", "an attack on 2 people"),
    ],
)
def test_tables_that_are_refused(target: str, unit: str | None, why: str) -> None:
    with pytest.raises(Refused, match=why):
        AttackedTable.of(columns(), target, unit, 400)


class Raising(Deaf):
    def fit(self, rows: np.ndarray, labels: np.ndarray) -> None:
        raise ValueError("12 patients")


def test_an_error_of_a_model_says_no_value() -> None:
    failing = own_model("tests:failing", lambda: Raising(1.0))
    with pytest.raises(Refused, match="raises ValueError") as refused:
        attack_on(failing, AttackedTable.of(columns(), "ill", "who", 400))
    assert "12 patients" not in str(refused.value)


def test_a_private_model_is_trained_on_the_chosen_people_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which rows reach the data set, and that each training has an account of its own."""
    from tacit.curator.declared_table import DeclaredTable

    seen = []
    opened = DeclaredTable.opened

    def watched(self: DeclaredTable, rows: Any, units: Any) -> Any:
        seen.append((self.name, rows, units))
        return opened(self, rows, units)

    monkeypatch.setattr(DeclaredTable, "opened", watched)
    table = AttackedTable.of(columns(60, 2), "ill", "who", 60)
    part = np.arange(60) % 2 == 0
    with opened_model("naive-bayes", 1, "1e-6") as model:
        told = [model.confidence(table, each) for each in (part, ~part)]
    assert (model.epsilon, model.delta) == (1, 1e-6)
    assert all(each.shape == (60,) and np.isfinite(each).all() for each in told)
    (first, rows, units), (second, *_) = seen
    assert first != second
    assert sorted(units) == sorted([*range(0, 60, 2)] * 2)
    assert len(rows["target"]) == len(rows["x1"]) == 60


@pytest.mark.parametrize("kind", [kind for kind in PRIVATE if kind != NETWORK])
def test_every_private_kind_says_how_sure_it_is(kind: str) -> None:
    """At a price at which noise is nothing, labels that a feature gives are known; three classes where a kind has them.

    False labels of people who were left out are not.
    """
    many = 2 if kind in ("additive", "logistic") else 3
    place = np.arange(120)
    told = {"ill": [f"class {each}" for each in place % many], "sign": [f"s{each}" for each in place % many]}
    told |= {"other": [f"o{each}" for each in place % 5]}
    with opened_model(kind, 1000, "1e-6") as model:
        sure = model.confidence(AttackedTable.of(told, "ill", None, 400), place % 7 != 0)
        table = AttackedTable.of(told, "ill", None, 400)
        unsure = model.confidence(table.mislabelled(place % 7 == 0), place % 7 != 0)
    assert (sure > 0).all(), "more than one half on the right class"
    assert np.array_equal(unsure > 0, place % 7 != 0), "people who were left out are predicted by the others"


def run(*words: object) -> Result:
    return CliRunner().invoke(app, ["attack", "model", *map(str, words)])


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    table = columns(100) | {"ward": ["north", "south", "east", "south"] * 25}
    arrow_csv.write_csv(pa.table(table), tmp_path / "patients.csv")
    return tmp_path / "patients.csv"


NEAREST = "tests.audit.membership.test_model_attack:nearest"


def nearest() -> Nearest:
    return Nearest(0.05)


def test_the_command_reports_and_draws(patients: Path, tmp_path: Path) -> None:
    figure = tmp_path / "roc.svg"
    small = ("--shadows", 4, "--targets", 1, "--unit", "who")
    done = run(patients, "--target", "ill", "--model", NEAREST, "--model", "naive-bayes", *small, "--figure", figure)
    assert done.exit_code == 0, done.output
    assert "nearest, attacked with 100 people, 4 shadow models and 1 target." in done.output
    assert re.search(r"Of 100 members exposed: \d+ by likelihood ratio, \d+ by threshold on the loss", done.output)
    assert "the model promises none" in done.output
    assert "certified ≤ 1." in done.output
    assert "for the steward alone" in done.output
    words = " ".join(re.findall(r"<!-- (.*?) -->", figure.read_text("utf-8")))
    assert re.search(r"\d+ of 100 members exposed by nearest,\s*\d+ by naive-bayes", words)
    assert "out of reach at ε = 1" in words


def test_the_command_as_json(patients: Path) -> None:
    done = CliRunner().invoke(
        app, ["attack", "model", str(patients), "--target", "ill", "--model", NEAREST, "--shadows", "8", "--json"]
    )
    assert done.exit_code == 0, done.output
    (told,) = json.loads(done.stdout)
    assert told["promised_epsilon"] is None
    assert not told["is_refuted"]
    assert told["audited_epsilon"] == max(told["bounds"].values()) > 1
    assert set(told["bounds"]) == {"likelihood ratio", "threshold on the loss", "canaries"}
    assert all(set(each) == {"rows", "score"} for each in told["most_exposed"])
    first = told["found"]["likelihood ratio"][0]
    assert first["members"]["low"] < first["members"]["rate"] < first["members"]["high"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--target", "ill", "--model", "hinge"), "a model called hinge"),
        (("--target", "ill", "--model", "nothing:here"), "the function nothing:here"),
        (("--target", "ill", "--people", 5), "people"),
        (("--target", "ill", "--claims", "epsilon=1"), "a claim about private models"),
        (("--target", "ill", "--model", NEAREST, "--claims", "epsilon=1 delta=1e-3"), "says nothing at δ"),
        (("--target", "ill", "--shadows", 2), "shadows"),
        (("--target", "ill", "--epsilon", 0), "epsilon"),
        (("--target", "ill", "--delta", 0), "delta"),
        (("--target", "ward"), "the target has 3"),
        (("--target", "ward", "--model", "logistic"), "the target has 3"),
    ],
)
def test_what_is_refused(words: tuple[object, ...], why: str, patients: Path) -> None:
    refused = run(patients, *words)
    assert refused.exit_code == 2, refused.output
    assert why in refused.output
    assert "Accepted: " in refused.output
