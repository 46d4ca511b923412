"""The card of a model: what stands on it, that it needs no data, and that nothing written in a model is run."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.learn.patients import COSTS, SQL

from tacit.curator.dataset import Dataset
from tacit.curator.learning import LearnedModel
from tacit.errors import Refused
from tacit.learn.additive_model import AdditiveModel
from tacit.learn.coded_rows import SCORE
from tacit.learn.features import ModelFeature
from tacit.learn.training_text import TrainingTarget
from tacit.release.measures_read import ReadMeasures
from tacit.release.model_card import model_card
from tacit.release.term_pictures import level_names, term_pictures, term_words


@pytest.fixture
def learned(clinic: Dataset) -> LearnedModel:
    return clinic.learn(SQL, target="urgent", epsilon=20, bins=4, steps=3)


def words_of(page: str) -> str:
    """The texts of a page, without its style."""
    shown = re.sub(r"<style>.*?</style>|<[^>]*>", " ", page, flags=re.DOTALL)
    return " ".join(shown.replace("&nbsp;", " ").split())


def test_a_card_says_what_the_model_is(clinic: Dataset, learned: LearnedModel) -> None:
    answer = clinic.evaluate(learned.model, SQL, by="ward", epsilon=20)
    measures = ReadMeasures.parsed(answer.to_json(), learned.model.digest)
    page = model_card(learned.model, learned.certificate, measures)
    words = words_of(page)
    for said in (
        "It predicts which value urgent has: False, True.",
        "one patient, all visits (add/remove).",
        "ε = 20, δ = 1e-08, for all steps together.",
        "residuals by level, 3 times",
        "Residuals are cut at 0.5.",
        "AUC",
        "What is not protected",
        "Charged as entry 2 of the ledger",
        learned.model.digest,
        "below 25 25 to 50 50 to 75 from 75 NULL, or another",
    ):
        assert said in words
    shown = [cell for row in measures.rows() for cell, _ in row]
    assert all(cell in words for cell in shown)
    assert page.count("<figure>") == 1 + 3  # calibration, and a term for each feature
    assert "<script" not in page
    assert "src=" not in page
    assert "default-src 'none'" in page


def test_a_card_of_a_number_needs_no_evaluation(clinic: Dataset) -> None:
    learned = clinic.learn(COSTS, target="cost", epsilon=20, bins=4, steps=3)
    words = words_of(model_card(learned.model, learned.certificate, None))
    assert "It estimates cost, a number between 0 and 1,000." in words
    assert "No evaluation was given." in words
    found = clinic.evaluate(learned.model, COSTS, epsilon=20)
    measures = ReadMeasures.parsed(found.to_json(), learned.model.digest)
    assert "rmse mae rows" in words_of(model_card(learned.model, learned.certificate, measures))


def test_what_is_written_in_a_model_is_only_text(learned: LearnedModel) -> None:
    """Keys, names and SQL are the analyst's, and may be anything."""
    bad = "<script>alert(1)</script>"
    features = (ModelFeature(bad, bad, None, (bad, "b")), ModelFeature("n", bad, (1, 2), None))
    target = TrainingTarget(bad, bad, (bad, "y"), None)
    model = AdditiveModel(target, features, ((1, 2, 3), (SCORE, 0, -SCORE, 5)), 0.5)
    page = model_card(model, replace(learned.certificate), None)
    assert "<script" not in page
    assert "&lt;script" in page


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"rows": [], "notes": [], "price": {"loss": ""}}', '{"rows": [[]]}'])
def test_a_file_that_is_no_evaluation_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="cannot be read"):
        ReadMeasures.parsed(text, "0" * 64)


def test_an_evaluation_of_another_model_is_refused(clinic: Dataset, learned: LearnedModel) -> None:
    text = clinic.evaluate(learned.model, SQL, epsilon=20).to_json()
    with pytest.raises(Refused, match="of another model"):
        ReadMeasures.parsed(text, "0" * 64)
    whole = json.loads(text)
    whole["rows"][0]["value"] = {"html": "<b>"}
    with pytest.raises(Refused, match="cannot be read"):
        ReadMeasures.parsed(json.dumps(whole), learned.model.digest)


def test_bars_are_as_long_as_scores() -> None:
    feature = ModelFeature("n", "n", (1, 2), None)
    target = TrainingTarget("y", "y", None, (0.0, 10.0))
    model = AdditiveModel(target, (ModelFeature("", "", None, ()), feature), ((0,), (SCORE // 2, 0, -SCORE // 4, 0)), 1)
    (picture,) = term_pictures(model)
    widths = [float(width) for width in re.findall(r'class="bar".*?width="([0-9.]+)"', picture)]
    assert widths[0] == pytest.approx(2 * widths[2], rel=0.01)
    assert widths[1] == widths[3] == 0
    assert level_names(feature) == ["below 1", "1 to 2", "from 2", "NULL, or another"]
    assert term_words(model).startswith("A row begins with 5,")


def test_the_command_needs_no_data(clinic: Dataset, learned: LearnedModel, tmp_path: Path) -> None:
    from click.testing import CliRunner

    from tacit.cli.card import card

    learned.write(tmp_path / "m.json")
    clinic.evaluate(learned.model, SQL, epsilon=20).to_json(tmp_path / "e.json")
    clinic.close()
    (tmp_path / "visits.parquet").unlink()
    places = [str(tmp_path / name) for name in ("m.json", "e.json", "card.html")]
    done = CliRunner().invoke(card, [places[0], "--evaluation", places[1], "--out", places[2]])
    assert done.exit_code == 0
    assert "How good it is" in (tmp_path / "card.html").read_text(encoding="utf-8")
