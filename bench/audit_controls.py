"""The whole audit over all controls, two at a time: the broken ones found, the sound ones passed, and error rates."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from time import perf_counter

from scipy.special import betaincinv
from tests.audit.controls.all_controls import BROKEN

from bench.claims import Claim, report
from tacit.audit.auditor import Effort, audit
from tacit.audit.tacit_mechanisms import SOUND
from tacit.cli.audit import STAGES

ROUNDS = int(os.environ.get("AUDIT_ROUNDS", "1"))  # over the sound controls; more make the interval narrower
ALARM_RATE, CONFIDENCE = 1e-4, 0.95
TARGET_SECONDS = 600


def try_broken(place: int) -> tuple[str, str | None, str]:
    control = BROKEN[place]
    verdict = audit(control.subject, STAGES, Effort(ALARM_RATE, 1_000_000, 40.0))
    return control.subject.name, verdict.fault.stage if verdict.fault else None, control.found_by


def try_sound(task: tuple[int, int]) -> tuple[str, str | None]:
    place, seed = task
    verdict = audit(SOUND[place], STAGES, Effort(ALARM_RATE, 6_000, 4.0, seed))
    return SOUND[place].name, verdict.fault.words if verdict.fault else None


def main() -> None:
    start = perf_counter()
    with ProcessPoolExecutor(2) as pool:
        tried = list(pool.map(try_broken, range(len(BROKEN))))
        tasks = [(place, seed) for seed in range(1, ROUNDS + 1) for place in range(len(SOUND))]
        passed = list(pool.map(try_sound, tasks))
    taken = perf_counter() - start
    missed = [name for name, stage, _ in tried if stage is None]
    elsewhere = [f"{name} ({stage}, not {by})" for name, stage, by in tried if stage not in (None, by)]
    alarms = [f"{name}: {words}" for name, words in passed if words]
    runs = len(passed)
    most = 1 - float(betaincinv(runs - len(alarms), len(alarms) + 1, 1 - CONFIDENCE)) if len(alarms) < runs else 1.0
    for line in (*(f"not found: {name}" for name in missed), *(f"false alarm: {line}" for line in alarms)):
        print(line)
    print(f"found by another stage than the cheapest named: {', '.join(elsewhere) or 'none'}")
    interval = (
        f"{len(alarms)} of {runs} runs; at most {most:.2%} with {CONFIDENCE:.0%} confidence, {ALARM_RATE:g} by proof"
    )
    report(
        "Controls",
        [
            Claim("broken controls found", 1 - len(missed) / len(BROKEN), 1, False, f"{len(BROKEN)} tried"),
            Claim("false alarms", len(alarms) / runs, 1e-3, True, interval),
            Claim("time / 10 minutes", taken / (TARGET_SECONDS * ROUNDS), 1, True, f"{taken:.0f} s on two cores"),
        ],
    )


if __name__ == "__main__":
    main()
