"""dp-accounting's privacy-loss distributions: seconds and ε of each case, and seconds of a calibration."""

import json
import math
import signal
import sys
from contextlib import suppress
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parent.parent))

import dp_accounting as dp
from accountant_cases import LAPLACE, MIXED_DELTA, PATIENCE, RESPONSES, SAMPLED, SCALES, TARGETS
from dp_accounting.pld import PLDAccountant
from dp_accounting.pld import privacy_loss_distribution as pld

measured = {}


def timed(name, run):
    start = perf_counter()
    measured[f"{name} epsilon"] = float(run())
    measured[f"{name} seconds"] = perf_counter() - start


def sampled(rate, sigma, steps, delta):
    accountant = PLDAccountant()
    accountant.compose(dp.PoissonSampledDpEvent(rate, dp.GaussianDpEvent(sigma)), steps)
    return accountant.get_epsilon(delta)


def laplace():
    accountant = PLDAccountant()
    accountant.compose(dp.LaplaceDpEvent(LAPLACE[0]), LAPLACE[1])
    return accountant.get_epsilon(LAPLACE[2])


def mixed():
    whole = pld.identity()
    for scale in SCALES:
        whole = whole.compose(pld.from_gaussian_mechanism(scale))
    for scale in SCALES:
        whole = whole.compose(pld.from_laplace_mechanism(scale))
    for epsilon in RESPONSES:
        whole = whole.compose(pld.from_randomized_response(2 / (1 + math.exp(epsilon)), 2))
    return whole.get_epsilon_for_delta(MIXED_DELTA)


def calibrated(name):
    rate, _, steps, delta = SAMPLED[name]
    return dp.calibrate_dp_mechanism(
        PLDAccountant,
        lambda sigma: dp.SelfComposedDpEvent(dp.PoissonSampledDpEvent(rate, dp.GaussianDpEvent(sigma)), steps),
        TARGETS[name],
        delta,
        dp.LowerEndpointAndGuess(0.1, 1.0),
        tol=1e-3,
    )


def stop(*_):
    raise TimeoutError


timed("warm-up", lambda: sampled(0.1, 2.0, 10, 1e-5))
for name, case in SAMPLED.items():
    timed(name, lambda case=case: sampled(*case))
timed("C", laplace)
timed("D", mixed)
signal.signal(signal.SIGALRM, stop)
for name in TARGETS:
    signal.alarm(PATIENCE)
    start = perf_counter()
    with suppress(TimeoutError):
        calibrated(name)
    signal.alarm(0)
    measured[f"calibrate {name} seconds"] = perf_counter() - start
print(json.dumps(measured))
