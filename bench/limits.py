"""The errors of answers without declared limits: limits from a private profile.

Ten million rows; the profile costs ε = 0.5 once, each answer ε = 1. Every peer, with five rows per person, has an error
of 0.6.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from math import fsum, sqrt
from pathlib import Path
from statistics import fmean, median, variance

from bench.claims import Claim, report
from bench.events import LARGE, QUESTIONS, Answers, events, keyed, truth
from bench.events_description import open_events
from bench.query import CONTESTANTS

PROFILES = 10
ANSWERS = 3  # to each question, from one profile
LARGEST = 10  # regions
Rounds = list[list[Answers]]
"""The answers to one question, by profile."""


def ask_often() -> dict[str, Rounds]:
    """Profiles of independent noise, and from each the answers to every question but the last."""
    said: dict[str, Rounds] = {name: [] for name in ("W1", "W2", "W3", "W4")}
    for _ in range(PROFILES):
        with (
            tempfile.TemporaryDirectory(prefix="tacit-bench-") as folder,
            open_events(events(LARGE), Path(folder), rows=None) as dataset,
        ):
            dataset.profile(epsilon=0.5)
            for name, rounds in said.items():
                asked = [
                    dataset.query(QUESTIONS[name], epsilon=1.0, interval="bounded", fresh=True) for _ in range(ANSWERS)
                ]
                rounds.append([keyed(answer.table) for answer in asked])
    return said


def error(rounds: Rounds, key: str, name: str, true: float) -> float:
    """The relative root mean squared error of one number."""
    values = [answers[key][name] for own in rounds for answers in own]
    return sqrt(fmean((value - true) ** 2 for value in values)) / abs(true)


def single(workload: str, rounds: Rounds, true: Answers, target: float) -> list[Claim]:
    errors = {name: error(rounds, "", name, value) for name, value in true[""].items()}
    return [
        Claim(f"error of {workload}'s {name} / {target:g}", found / target, 1, True, f"{found:.2g}")
        for name, found in errors.items()
    ]


def by_region(rounds: Rounds, true: Answers, target: float) -> list[Claim]:
    largest = sorted(true, key=lambda key: -true[key]["count"])[:LARGEST]
    claims = []
    for name in ("count", "sum", "mean"):
        errors = [error(rounds, key, name, true[key][name]) for key in largest]
        detail = f"{fmean(errors):.2g}; worst region {max(errors):.2g}"
        claims.append(Claim(f"error of W2's {name}, ten largest / {target:g}", fmean(errors) / target, 1, True, detail))
    return claims


def by_category(rounds: Rounds, true: Answers) -> list[Claim]:
    released = [len(answers) for own in rounds for answers in own]
    invented = sum(key not in true for own in rounds for answers in own for key in answers)
    spreads = [
        variance([answers[key]["count"] for answers in own])
        for own in rounds
        for key in set.intersection(*(set(answers) for answers in own))
    ]
    deviation, theirs = sqrt(fsum(spreads) / len(spreads)), opendp_deviation()
    return [
        Claim("W3's keys released / 500", median(released) / 500, 1, False, f"{min(released)} to {max(released)}"),
        Claim("W3's keys that are not in the data", invented, 0, True, f"{invented}"),
        Claim("W3's sd of a count / OpenDP", deviation / theirs, 1, True, f"{deviation:.1f} against {theirs:.1f}"),
    ]


def opendp_deviation() -> float:
    """The standard deviation that OpenDP states for its counts by category, at five rows a person."""
    command = [*CONTESTANTS["OpenDP"], "noise", str(events(LARGE)), str(events(LARGE))]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    stated: float = json.loads(done.stdout.splitlines()[-1])["answers"][""]["count"]
    return stated


def main() -> None:
    true, said = truth(LARGE), ask_often()
    one = {name: value for name, value in true["W1"][""].items() if name != "mean"}
    claims = single("W1", said["W1"], {"": one}, 0.01) + by_region(said["W2"], true["W2"], 0.05)
    claims += by_category(said["W3"], true["W3"]) + single("W4", said["W4"], true["W4"], 0.0005)
    report("Limits", claims)
