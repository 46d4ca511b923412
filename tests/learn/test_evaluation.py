"""Evaluations through the door: one release, all measures of the rows, by group too, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from tests.learn.patients import COSTS, SQL, TEXT

import tacit
from tacit.curator.dataset import Dataset
from tacit.errors import Refused
from tacit.learn.additive_model import AdditiveModel
from tacit.learn.evaluation.score_bins import scored
from tacit.release.release import Release

HELD = f"{SQL} WHERE cost < 800"
UNIT = 'unit = { row = true, hides = "one visit" }'


def by_row(folder: Path) -> tuple[str, list[dict[str, Any]]]:
    """The visits within bounds, each a person of its own, so that nothing is cut; and their rows."""
    table = pq.read_table(folder / "visits.parquet")
    within = (pc.field("age") >= 0) & (pc.field("age") <= 99) & (pc.field("cost") >= 0) & (pc.field("cost") <= 1000)
    plain = table.filter(within)
    pq.write_table(plain, folder / "rows.parquet")
    text = TEXT.replace('unit = { id = "patient", hides = "one patient, all visits" }', UNIT)
    (folder / "rows.toml").write_text(text.replace("visits.parquet", "rows.parquet"), encoding="utf-8")
    return str(folder / "rows.toml"), plain.to_pylist()


def read(answer: Release) -> dict[tuple[str, ...], tuple[float, float, float]]:
    """The values and their ends by measure, groups and predicted probability."""
    *keys, value, _ = answer.rendered.columns
    texts = zip(*(column.values.values for column in keys), strict=True)
    numbers = zip(value.values.value, value.values.low, value.values.high, strict=True)
    return dict(zip(texts, numbers, strict=True))


def truth(model: AdditiveModel, rows: list[dict[str, Any]]) -> dict[str, float]:
    """The measures by plain arithmetic."""
    columns = {name: [row[name] for row in rows] for name in ("ward", "age", "cost")}
    urgent, scores = np.array([row["urgent"] for row in rows]), model.score(columns)
    chances = model.probability(columns)
    first, second = np.sort(scores[~urgent]), scores[urgent]
    won = np.searchsorted(first, second, "left") + np.searchsorted(first, second, "right")
    return {
        "accuracy": float(np.mean(np.array(model.predict(columns)) == urgent)),
        "AUC": float(won.sum()) / 2 / len(first) / len(second),
        "log loss": float(-np.log(np.where(urgent, chances, 1 - chances)).mean()),
        "share of urgent True": float(urgent.mean()),
        "predicted share of urgent True": float(chances.mean()),
    }


@pytest.fixture
def model(clinic: Dataset) -> AdditiveModel:
    return clinic.learn(SQL, target="urgent", epsilon=20, bins=8).model


def test_measures_are_those_of_the_rows(clinic: Dataset, model: AdditiveModel, tmp_path: Path) -> None:
    """At ε = 50 for one visit noise is nothing: what is left is what bins round."""
    place, table = by_row(tmp_path)
    rows = [row for row in table if row["urgent"] is not None and row["cost"] < 800]
    with tacit.open(place) as visits:
        answer = visits.evaluate(model, HELD, by="ward", epsilon=50)
        assert len(visits.budget().entries) == 1
        assert "Pairs of rows in one bin" in " ".join(answer.notes)
        assert answer.intervals.kind == "guaranteed"
        assert visits.evaluate(model, HELD, by="ward").price.free
    found = read(answer)
    for name, right in truth(model, rows).items():
        assert found[name, "(all)", "all"][0] == pytest.approx(right, abs=0.01)
    low, high = found["AUC", "(all)", "all"][1:]
    assert low <= truth(model, rows)["AUC"] <= high
    in_a = [row for row in rows if row["ward"] == "a"]
    for name, right in truth(model, in_a).items():
        assert found[name, "a", "all"][0] == pytest.approx(right, abs=0.01)
    chances = model.probability({name: [row[name] for row in rows] for name in ("ward", "age", "cost")})
    among = (chances >= 0.2) & (chances < 0.3)
    share = np.mean([row["urgent"] for row, is_in in zip(rows, among, strict=True) if is_in])
    assert found["share of urgent True", "(all)", "0.2 to 0.3"][0] == pytest.approx(share, abs=0.01)


def test_people_are_cut_to_limits_and_the_interval_says_so(clinic: Dataset, model: AdditiveModel) -> None:
    usual = clinic.evaluate(model, HELD, epsilon=20)
    bounded = clinic.evaluate(model, HELD, epsilon=20, interval="bounded")
    assert "assuming that nobody has far more" in usual.interval_words
    assert "for rows cut to the limits" in bounded.interval_words
    numbers = usual.rendered["value"]
    assert numbers.bounded is not None
    wide, narrow = (ends.high - ends.low for ends in (numbers.values, numbers.bounded))
    assert (wide >= narrow - 1e-12).all()
    assert wide[0] > narrow[0]


def test_an_evaluation_is_written_like_other_answers(clinic: Dataset, model: AdditiveModel) -> None:
    answer = clinic.evaluate(model, HELD, epsilon=20)
    rows = json.loads(answer.to_json())["rows"]
    assert {"measure", "predicted", "value", "value_low", "value_high", "rows"} <= rows[0].keys()
    assert answer.to_csv().startswith('"measure","predicted","value","value_low"')
    certificate = answer.certificate
    assert certificate is not None
    assert certificate.statement.asked is not None
    assert "COUNT(*)" in certificate.statement.asked


def test_a_number_is_evaluated_by_its_errors(clinic: Dataset, tmp_path: Path) -> None:
    model = clinic.learn(COSTS, target="cost", epsilon=40, bins=8).model
    place, table = by_row(tmp_path)
    with tacit.open(place) as visits:
        found = visits.evaluate(model, SQL, by="ward", epsilon=50).rendered
    rows = [row for row in table if row["ward"] == "b"]
    columns = {name: [row[name] for row in rows] for name in ("ward", "age", "urgent")}
    off = np.array([row["cost"] for row in rows]) - np.asarray(model.predict(columns))
    at = found["ward"].values.values.index("b")
    assert found["rmse"].values.value[at] == pytest.approx(np.sqrt(np.mean(off**2)), rel=0.02)
    assert found["mae"].values.value[at] == pytest.approx(np.mean(np.abs(off)), rel=0.02)


class JudgedAlone:
    """A model that says no more of itself in SQL than whether it is right."""

    def __init__(self, model: AdditiveModel) -> None:
        self.target, self.digest, self.fields = model.target, model.digest, model.fields
        self.predict, self.probabilities, self.judged_sql = model.predict, model.probabilities, model.judged_sql


def test_a_model_without_a_score_is_judged_by_one_number(clinic: Dataset, model: AdditiveModel, tmp_path: Path) -> None:
    place, table = by_row(tmp_path)
    rows = [row for row in table if row["urgent"] is not None and row["cost"] < 800 and row["ward"] == "a"]
    with tacit.open(place) as visits:
        found = visits.evaluate(JudgedAlone(model), HELD, by="ward", epsilon=50).rendered
    at = found["ward"].values.values.index("a")
    assert found["accuracy"].values.value[at] == pytest.approx(truth(model, rows)["accuracy"], abs=0.01)


def test_what_is_refused_spends_nothing(clinic: Dataset, model: AdditiveModel) -> None:
    spent = len(clinic.budget().entries)
    private = "CAST(cost * 20 AS BIGINT)"
    for by, said in (
        (private, "known only from the rows"),
        ("cost", "look alike"),
        ("predicted", "called so"),
        ("nowhere", "nowhere"),
    ):
        with pytest.raises(Refused, match=said):
            clinic.evaluate(model, "SELECT urgent, ward, age, cost, ward AS predicted FROM visits", by=by, epsilon=1)
    with pytest.raises(Refused, match="without a price"):
        clinic.evaluate(model, HELD)
    with pytest.raises(Refused, match="at most 1,000 groups"):
        clinic.evaluate(model, HELD, by=("age", "age + 1"), epsilon=1)
    assert len(clinic.budget().entries) == spent


def test_a_logistic_model_is_evaluated_by_its_score(clinic: Dataset, tmp_path: Path) -> None:
    learned = clinic.learn(SQL, target="urgent", model="logistic", epsilon=20, bins=8).model
    place, table = by_row(tmp_path)
    rows = [row for row in table if row["urgent"] is not None and row["cost"] < 800]
    with tacit.open(place) as visits:
        found = read(visits.evaluate(learned, HELD, epsilon=50))
    one = scored(learned)
    assert isinstance(one, AdditiveModel)
    columns = {name: [row[name] for row in rows] for name in ("ward", "age", "cost")}
    assert np.allclose(one.probability(columns), learned.probabilities(columns)[:, 1])
    right = truth(one, rows)
    for name in ("accuracy", "AUC", "log loss"):
        assert found[name, "all"][0] == pytest.approx(right[name], abs=0.01)
