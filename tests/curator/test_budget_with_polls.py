"""`tacit budget --poll`: what the data set and the polls of the same people cost together."""

from __future__ import annotations

import json
import math

from tests.curator.clinic_command import Clinic


def test_a_poll_stands_beside_the_budget(clinic: Clinic) -> None:
    made = clinic.tacit("poll", "design", "Did you skip a dose?", "--truth", "3/4")
    assert made.code == 0, made.err
    shown = clinic.tacit("budget", "clinic.toml", "--poll", "poll.toml")
    assert shown.code == 0, shown.err
    assert "when all of the budget is spent" in shown.out
    assert "poll.toml, a report to each question  ε = 1.099 (replace)" in shown.out
    told = json.loads(clinic.tacit("budget", "clinic.toml", "--poll", "poll.toml", "--json").out)
    assert math.log(3) < told["with_polls"]["epsilon"] < 4 + math.log(3)
    crowd = clinic.tacit("budget", "clinic.toml", "--poll", "poll.toml", "--shuffled", "10000", "--json")
    assert json.loads(crowd.out)["with_polls"]["epsilon"] < told["with_polls"]["epsilon"] - 0.9
    assert "with_polls" not in json.loads(clinic.tacit("budget", "clinic.toml", "--json").out)


def test_a_poll_without_an_epsilon_is_refused(clinic: Clinic) -> None:
    words = ["--design", "triangular", "--prevalence", "1/4", "--innocuous", "Born in spring?"]
    clinic.tacit("poll", "design", "Did you skip a dose?", *words, "--file", "open.toml")
    refused = clinic.tacit("budget", "clinic.toml", "--poll", "open.toml")
    assert refused.code == 2
    assert "infinite" in refused.err
    shuffled = clinic.tacit("budget", "clinic.toml", "--poll", "open.toml", "--shuffled", "1000")
    assert shuffled.code == 2
    assert "finite ε of its own" in shuffled.err
