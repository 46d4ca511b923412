"""`tacit learn` on a clinic, as people type it: fit, predict, evaluate, and what is refused."""

from __future__ import annotations

import json

import pytest
from tests.curator.clinic_command import Clinic

COSTS = "SELECT cost, region, age FROM visits"
REGIONS = "SELECT region, age, cost FROM visits"
FIT = ("learn", "fit", "clinic.toml")


def test_a_number_is_learned_predicted_and_evaluated(clinic: Clinic) -> None:
    fitted = clinic.tacit(*FIT, COSTS, "--target", "cost", "--epsilon", "2", "--out", "m.json")
    assert fitted.code == 0
    assert "Additive regression of cost by 2 columns, in 20 steps." in fitted.out
    assert "This release alone: ε = 2" in fitted.out
    (clinic.folder / "new.csv").write_text("Region,Age\nnorth,30\nsouth,\n")
    predicted = clinic.tacit("learn", "predict", "m.json", "new.csv")
    name, *values = predicted.out.split()
    assert (predicted.code, name, len(values)) == (0, "cost", 2)
    assert all(0 <= float(value) <= 1000 for value in values)
    judged = clinic.tacit("learn", "evaluate", "clinic.toml", "m.json", COSTS, "--epsilon", "1")
    assert judged.code == 0
    assert "rmse" in judged.out


def test_a_class_is_learned_and_predicted_with_its_probability(clinic: Clinic) -> None:
    assert clinic.tacit(*FIT, REGIONS, "--target", "region", "--epsilon", "2", "--out", "m.json").code == 0
    (clinic.folder / "new.csv").write_text("age,cost\n30,20.5\n")
    predicted = clinic.tacit("learn", "predict", "m.json", "new.csv", "--out", "p.csv")
    assert "Wrote p.csv." in predicted.err
    heading, line = (clinic.folder / "p.csv").read_text().split("\n")[:2]
    assert heading == "region,probability of south"
    assert line.split(",")[0] in ("north", "south")
    judged = clinic.tacit("learn", "evaluate", "clinic.toml", "m.json", REGIONS, "--epsilon", "1")
    assert "accuracy" in judged.out
    model = json.loads((clinic.folder / "m.json").read_text())
    assert model["certificate"]["statement"]["query"].startswith("learn region from: SELECT")


def test_every_setting_makes_another_release(clinic: Clinic) -> None:
    others = [("--bins", "5"), ("--steps", "3"), ("--rows", "2"), ("--clip", "0.1")]
    fits = [(*FIT, COSTS, "--target", "cost", "--epsilon", "0.1", "--out", "m.json", *other) for other in [(), *others]]
    assert all("This release alone" in clinic.tacit(*fit).out for fit in fits)
    assert all("free" in clinic.tacit(*fit).out for fit in fits)


def test_a_model_is_verified_as_it_was_released(clinic: Clinic) -> None:
    assert clinic.tacit(*FIT, COSTS, "--target", "cost", "--epsilon", "1", "--out", "m.json").code == 0
    held = clinic.tacit("verify", "m.json", "--ledger", "clinic.toml")
    assert (held.code, "the one that was released, number by number" in held.out) == (0, True)
    whole = json.loads((clinic.folder / "m.json").read_text())
    whole["model"]["clip"] = 0.125
    (clinic.folder / "m.json").write_text(json.dumps(whole))
    other = clinic.tacit("verify", "m.json")
    assert (other.code, "something in the model was changed" in other.out) == (1, True)
    (clinic.folder / "new.csv").write_text("region,age\nnorth,30\n")
    assert clinic.tacit("learn", "predict", "m.json", "new.csv").code == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((COSTS, "--target", "cost", "--out", "m.json"), "training without a price"),
        ((COSTS, "--target", "price", "--epsilon", "1", "--out", "m.json"), "the target price"),
        (
            ("SELECT cost, ward FROM visits", "--target", "cost", "--epsilon", "1", "--out", "m.json"),
            "ward as a feature",
        ),
        ((COSTS, "--target", "cost", "--epsilon", "9", "--out", "m.json"), "Refused, nothing spent"),
        ((COSTS, "--target", "cost", "--epsilon", "1", "--out", "nowhere/m.json"), "to write nowhere/m.json"),
        ((COSTS, "--target", "cost", "--epsilon", "1", "--bins", "1", "--out", "m.json"), "1 bins"),
    ],
)
def test_what_is_refused_spends_nothing(clinic: Clinic, words: tuple[str, ...], said: str) -> None:
    ended = clinic.tacit(*FIT, *words)
    assert ended.code == 2
    assert said in ended.err
    assert clinic.entries() == []
    assert not (clinic.folder / "m.json").exists()


def test_rows_without_a_feature_are_refused(clinic: Clinic) -> None:
    assert clinic.tacit(*FIT, COSTS, "--target", "cost", "--epsilon", "1", "--out", "m.json").code == 0
    (clinic.folder / "new.csv").write_text("age\n30\n")
    ended = clinic.tacit("learn", "predict", "m.json", "new.csv")
    assert (ended.code, "rows without region" in ended.err) == (2, True)
    assert clinic.tacit("learn", "predict", "clinic.toml", "new.csv").code == 2


def test_ways_are_compared_at_a_price_that_is_said_first(clinic: Clinic) -> None:
    words = ("learn", "compare", "clinic.toml", REGIONS, "--target", "region", "--bins", "4")
    refused = clinic.tacit(*words, "--epsilon", "1.9")
    assert (refused.code, "Refused, nothing spent" in refused.err) == (2, True)
    assert clinic.entries() == []
    done = clinic.tacit(*words, "--epsilon", "0.3")
    assert done.code == 0
    assert done.err.startswith("6 releases, each ε = 0.3: together they use ")
    assert [done.out.count(each) for each in ("\noutput\n", "\nobjective\n", "\ngradient\n", "accuracy")] == [
        1,
        1,
        1,
        3,
    ]
    assert len(json.loads(clinic.left())["entries"]) == 6


@pytest.mark.parametrize("way", ["output", "objective", "gradient"])
def test_a_convex_model_is_a_kind_of_model(clinic: Clinic, way: str) -> None:
    model = ("--model", "logistic", "--by", way, "--bins", "4", "--epsilon", "1")
    fitted = clinic.tacit(*FIT, REGIONS, "--target", "region", *model, "--out", "m.json")
    assert fitted.code == 0
    assert "Logistic classification of region by 2 columns, noise " in fitted.out
    assert "free" in clinic.tacit(*FIT, REGIONS, "--target", "region", *model, "--out", "m.json").out
    (clinic.folder / "new.csv").write_text("age,cost\n30,20.5\n")
    assert clinic.tacit("learn", "predict", "m.json", "new.csv").out.startswith("region,probability of south")
