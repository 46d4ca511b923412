"""What `tacit poll estimate` says beside a share: that none fits, weights with two samples, counts, percentages."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from tacit.cli.main import app
from tacit.errors import Refused
from tacit.exact import probability, proper
from tacit.local.polls.designs.list_experiment import ListExperiment
from tacit.local.polls.designs.nonrandomized_response import AtLeastOne
from tacit.local.polls.designs.randomized_response import WarnerDesign
from tacit.local.polls.designs.two_samples import JointPrevalence, UnrelatedEstimated
from tacit.local.polls.designs.wording import Wording
from tacit.local.polls.estimation.rate_interval import Method
from tacit.local.polls.poll_file import read_poll

WARNER = ("Have you cheated?", "--truth", "75%")
LIST = ("I cheated", "--design", "list", "--item", "I own a car", "--item", "I like tea")
BOTH = ("Did you steal?", "--design", "at-least-one", "--innocuous", "Is it your birthday?")


IMPOSSIBLE, STRANGE = "impossible under the design: the raw estimate is", "the reports do not come from this design"


def run(*words: str) -> Result:
    return CliRunner().invoke(app, ["poll", *words])


def asked(folder: Path, questions: list[tuple[str, ...]], answers: list[dict[str, Any]]) -> tuple[str, str]:
    """A poll's file and a file of reports."""
    path, reports = folder / "poll.toml", folder / "reports.jsonl"
    for number, words in enumerate(questions):
        made = run("design", *words, "--name", f"asked{number}", "--file", str(path))
        assert made.exit_code == 0, made.output
    poll = read_poll(path)
    lines = [
        json.dumps({"poll": poll.id, "respondent": f"{place:032x}", "answers": each})
        for place, each in enumerate(answers)
    ]
    reports.write_text("".join(f"{line}\n" for line in lines))
    return str(path), str(reports)


def mixed(people: int = 60) -> list[dict[str, Any]]:
    """Answers to a Warner question, a list and a question of two samples."""
    return [
        {
            "q1": [0, int(place % 3 == 0)],
            "q2": [place % 2, (place * 7) % 3],
            "q3": [place % 2, None if place == 5 else int(place % 5 == 0)],
        }
        for place in range(people)
    ]


@pytest.mark.parametrize(
    ("yes", "words"),
    [
        (10, f"{IMPOSSIBLE} −30.0%, 5.0 standard errors below 0%; {STRANGE}"),
        (0, f"{IMPOSSIBLE} −50.0%, below 0% with all reports alike; {STRANGE}"),
        (90, f"{IMPOSSIBLE} 130.0%, 5.0 standard errors above 100%; {STRANGE}"),
        (
            15,
            "no share fits: the raw estimate is −20.0%, 2.8 standard errors below 0%; chance does this in at most 1 of",
        ),
    ],
)
def test_reports_that_no_share_makes_are_said_to_be_impossible(yes: int, words: str, tmp_path: Path) -> None:
    poll, reports = asked(tmp_path, [WARNER], [{"q1": [0, int(place < yes)]} for place in range(100)])
    found = run("estimate", reports, "--poll", poll, "--figure", str(tmp_path / "shares.png"))
    assert words in found.output
    assert "interval" not in found.output
    assert "(100 answers)" in found.output
    assert (tmp_path / "shares.png").stat().st_size > 5000
    (fields,) = json.loads(run("estimate", reports, "--poll", poll, "--json").output)["asked0"]
    assert fields["interval"] is None
    assert words[:20] in fields["misfit"]
    assert fields["share"] == pytest.approx((yes / 100 - 0.25) / 0.5)


@pytest.mark.parametrize("yes", [20, 25, 50, 75, 80])
def test_reports_that_some_share_makes_have_an_interval(yes: int) -> None:
    found = WarnerDesign("3/4").estimate([int(place < yes) for place in range(100)])
    assert "95% interval" in str(found)


def test_two_samples_can_be_impossible_too() -> None:
    listed = ListExperiment(3).estimate([2, 3] * 200, [0, 1] * 200)
    assert str(listed).startswith("impossible under the design: the raw estimate is −200.0%")
    joint = UnrelatedEstimated("1/2").estimate([0] * 380 + [1] * 20, [1] * 300 + [0] * 100)
    assert "impossible under the design" in str(joint)


def test_carelessness_can_explain_what_is_impossible(tmp_path: Path) -> None:
    poll, reports = asked(tmp_path, [WARNER], [{"q1": [0, int(place < 10)]} for place in range(100)])
    found = run("estimate", reports, "--poll", poll, "--careless", "60%")
    assert "If 60% always said “No”: 0.0%, 95% interval 0.0% to " in found.output
    assert "If 60% always said “Yes”: impossible under the design" in found.output


@pytest.mark.parametrize("share", ["1.5", "150%", "1", "-0.1", "x"])
def test_a_share_that_is_none_is_refused_before_anything_is_said(share: str, tmp_path: Path) -> None:
    poll, reports = asked(tmp_path, [WARNER], [{"q1": [0, 1]}])
    for words in (["--careless", share], ["--careless", share, "--json"]):
        found = run("estimate", reports, "--poll", poll, *words)
        assert found.exit_code == 2
        assert found.output.startswith("Refused: ")
        assert "Have you" not in found.output


def test_weights_are_taken_where_a_question_has_two_samples(tmp_path: Path) -> None:
    """A poll in which somebody has weight 3 has the shares of one in which they come three times."""
    answers = mixed()
    load = [1 + place % 3 for place in range(len(answers))]
    poll, reports = asked(tmp_path, [WARNER, LIST, BOTH], answers)
    weights = tmp_path / "weights.csv"
    weights.write_text("respondent,weight\n" + "".join(f"{place:032x},{each}\n" for place, each in enumerate(load)))
    found = run("estimate", reports, "--poll", poll, "--weights", str(weights), "--json")
    assert found.exit_code == 0, found.output
    repeated = [each for each, times in zip(answers, load, strict=True) for _ in range(times)]
    (tmp_path / "again").mkdir()
    again = asked(tmp_path / "again", [WARNER, LIST, BOTH], repeated)
    whole = json.loads(run("estimate", again[1], "--poll", again[0], "--json").output)
    for name, findings in json.loads(found.output).items():
        for one, other in zip(findings, whole[name], strict=True):
            assert one["share"] == pytest.approx(other["share"])
            assert one["standard_error"] > other["standard_error"]
            assert one["interval"] is not None
    for row in (17, 40):
        weights.write_text(
            "respondent,weight\n" + "".join(f"{place:032x},1\n" for place in range(60) if place < row - 1)
        )
        refused = run("estimate", reports, "--poll", poll, "--weights", str(weights))
        assert refused.exit_code == 2
        assert f"{61 - row} of 60 respondents have none, first that of row {row} of the reports." in refused.output


@pytest.mark.parametrize("design", [AtLeastOne(), UnrelatedEstimated("2/3"), ListExperiment(2)], ids=str)
def test_even_weights_change_nothing(design: Any) -> None:
    words = Wording("Have you?", innocuous="Is it spring?", items=("a", "b"))
    answers = [tuple(each["q3"]) for each in mixed(200)]
    (plain,), (even,) = (design.findings(words, answers, load) for load in (None, [2.5] * 200))
    assert even.estimate.value == pytest.approx(plain.estimate.value)
    assert even.estimate.interval() == pytest.approx(plain.estimate.interval(), abs=0.002)
    (part,) = design.findings(words, answers, [1.0] * 100 + [0.0] * 100)
    (half,) = design.findings(words, answers[:100])
    assert part.estimate.value == pytest.approx(half.estimate.value)
    assert part.estimate.standard_error == pytest.approx(half.estimate.standard_error, rel=0.02)
    with pytest.raises(Refused, match="survey weights"):
        design.findings(words, answers, [1.0])


def test_weighted_intervals_of_two_samples_hold_as_often_as_they_say() -> None:
    """800 polls of 600 people, weights from 1 to 4: 95% of the intervals, within 4.5 standard errors (0.8% each)."""
    rng, held = np.random.default_rng(5), {"unrelated": 0, "list": 0}
    words = Wording("Have you?", innocuous="Is it spring?", items=("a", "b"))
    for _ in range(800):
        groups, load = rng.integers(0, 2, 600), rng.integers(1, 5, 600).astype(float)
        yes = np.where(groups == 0, rng.random(600) < 2 / 3 * 0.3 + 0.25 / 3, rng.random(600) < 0.25)
        items = (rng.random((2, 600)) < 0.4).sum(axis=0) + groups * (rng.random(600) < 0.3)
        (joint,) = UnrelatedEstimated("2/3").findings(words, _pairs(groups, yes), load)
        (listed,) = ListExperiment(2).findings(words, _pairs(groups, items), load)
        assert isinstance(joint.estimate, JointPrevalence)
        low, high = joint.estimate.interval(method=Method.ASYMPTOTIC)  # by score it takes a hundred times as long
        held["unrelated"] += low <= 0.3 <= high
        low, high = listed.estimate.interval()
        held["list"] += low <= 0.3 <= high
    assert all(abs(count / 800 - 0.95) < 0.036 for count in held.values()), held


def _pairs(groups: Any, reports: Any) -> list[tuple[int, Any]]:
    return [(int(group), int(report)) for group, report in zip(groups, reports, strict=True)]


def test_json_has_counts_missing_and_epsilon(tmp_path: Path) -> None:
    poll, reports = asked(tmp_path, [WARNER, LIST, BOTH], mixed())
    found = json.loads(run("estimate", reports, "--poll", poll, "--json").output)
    (one,), (listed,), (joint,) = found.values()
    assert (one["answers"], one["missing"], one["count"]) == (60, 0, 20)
    assert one["epsilon"] == pytest.approx(math.log(3))
    assert one["epsilon_of_poll"] is None, "the list makes it infinite"
    assert (listed["answers"], listed["missing"], listed["count"]) == ([30, 30], 0, [30, 30])
    assert (joint["answers"], joint["missing"], joint["count"]) == ([30, 29], 1, [6, 5])
    assert joint["epsilon"] is None


def test_percentages_are_numbers(tmp_path: Path) -> None:
    assert proper("75%", "truth") == proper("3/4", "truth")
    assert probability("5 %", "share") == probability("0.05", "share")
    for text in ("%", "100%", "0%", "x%", "5%%"):
        with pytest.raises(Refused):
            proper(text, "truth")
    with pytest.raises(Refused):
        probability("101%", "share")
    kinds = [
        ("--truth", "75%", "--width", "5%", "--confidence", "90%"),
        ("--design", "forced", "--truth", "60%", "--yes", "20%", "--no", "20%"),
        ("--design", "kuk", "--red-if-yes", "80%", "--red-if-no", "20%"),
        ("--design", "unrelated", "--sensitive", "70%", "--prevalence", "25%", "--innocuous", "Is it spring?"),
    ]
    for number, words in enumerate(kinds):
        made = run(
            "design", f"Have you? {number}", *words, "--name", f"q{number}", "--file", str(tmp_path / "poll.toml")
        )
        assert made.exit_code == 0, made.output
    assert read_poll(tmp_path / "poll.toml").questions[0].design == WarnerDesign("3/4")
    (tmp_path / "other").mkdir()
    poll, reports = asked(tmp_path / "other", [WARNER], [{"q1": [0, place % 2]} for place in range(50)])
    found = run("estimate", reports, "--poll", poll, "--confidence", "90%", "--careless", "5%")
    assert "90% interval" in found.output
    assert "If 5% answered at random: 50.0%" in found.output
