"""Both ends of a certified bracket against the one end of others: composition and calibration."""

from __future__ import annotations

import resource
from fractions import Fraction
from functools import partial

from bench.accountant_cases import LAPLACE, MIXED_DELTA, RESPONSES, SAMPLED, SCALES, TARGETS
from bench.claims import Claim, report
from bench.clock import ask_peer, take_turns
from tacit.exact import exact
from tacit.loss import Gdp, LaplacePair, Loss, binary_response
from tacit.loss.accountant import Bracket, account, least_parameter
from tacit.loss.sampling.subsampled import poisson

Parts = list[tuple[Loss, int]]
FASTER = {"A1": 15, "A2": 4, "A3": 15, "A4": 4, "D": 10}


def sampled(rate: float, sigma: float | Fraction, steps: int) -> Parts:
    return [(poisson(Gdp(1 / exact(sigma, "sigma") ** 2), rate), steps)]


def mixed() -> Parts:
    scales = [exact(round(scale, 10), "scale") for scale in SCALES]
    gaussian: Parts = [(Gdp(1 / scale**2), 1) for scale in scales]
    laplace: Parts = [(LaplacePair(1 / scale), 1) for scale in scales]
    return gaussian + laplace + [(binary_response(round(epsilon, 10)), 1) for epsilon in RESPONSES]


def answer(name: str) -> Bracket:
    if name in SAMPLED:
        *mechanism, delta = SAMPLED[name]
        return account(sampled(*mechanism)).epsilon(delta)
    if name == "C":
        return account([(LaplacePair(1 / exact(LAPLACE[0], "scale")), LAPLACE[1])]).epsilon(LAPLACE[2])
    return account(mixed()).epsilon(MIXED_DELTA)


def calibrate(name: str) -> Fraction:
    rate, _, steps, delta = SAMPLED[name]
    return least_parameter(lambda sigma: sampled(rate, sigma, steps), TARGETS[name], delta)


def main() -> None:
    names = [*SAMPLED, "C", "D"]
    brackets = {name: answer(name) for name in names}
    ours = {name: take_turns([partial(answer, name)], 5)[0] for name in names}
    tuning = {name: take_turns([partial(calibrate, name)], 5)[0] for name in TARGETS}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    google, prv = ask_peer("dp_accounting_cases.py"), ask_peer("prv_cases.py")
    claims = []
    for name, target in FASTER.items():
        theirs = google[f"{name} seconds"]
        detail = f"{theirs * 1e3:.0f} ms against {ours[name] * 1e3:.0f} ms; {brackets[name]}"
        claims.append(Claim(f"dp-accounting / both ends, {name}", theirs / ours[name], target, False, detail))
    for name in ("A1", "A3"):
        theirs = prv[f"{name} seconds"]
        detail = f"{theirs:.1f} s against {ours[name] * 1e3:.0f} ms"
        claims.append(Claim(f"prv-accountant at 1e-3 / both ends, {name}", theirs / ours[name], 200, False, detail))
    for name in TARGETS:
        for peer, measured, target in (("dp-accounting", google, 20), ("Opacus PRV", prv, 5)):
            theirs = measured[f"calibrate {name} seconds"]
            detail = f"{theirs:.1f} s against {tuning[name] * 1e3:.0f} ms"
            claims.append(Claim(f"{peer} / calibration of {name}", theirs / tuning[name], target, False, detail))
    below = [name for name in names if google[f"{name} epsilon"] < brackets[name].lower]
    told = f"below ours: {', '.join(below)}" if below else "every one is at or above our lower end"
    claims.append(Claim("dp-accounting's ends below our lower ends", len(below), 0, True, told))
    widest = max(bracket.gap for bracket in brackets.values())
    claims.append(Claim("widest bracket / 1e-3", widest / 1e-3, 1, True, f"{widest:.2g}"))
    claims.append(Claim("peak memory / 500 MB", peak / 500, 1, True, f"{peak:.0f} MB"))
    report("Accountant", claims)
