"""prv-accountant at a precision of 1e-3, and Opacus's calibration by its PRV accountant: seconds."""

import json
import os
import signal
import sys
import types
from contextlib import suppress
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parent.parent))

from accountant_cases import PATIENCE, SAMPLED, TARGETS
from prv_accountant import PRVAccountant
from prv_accountant.privacy_random_variables import PoissonSubsampledGaussianMechanism

# Opacus's accountants need nothing of torch, but its top package does: stand in for that
site = next(path for path in sys.path if path.endswith("site-packages"))
opacus = types.ModuleType("opacus")
opacus.__path__ = [os.path.join(site, "opacus")]
optimizers = types.ModuleType("opacus.optimizers")
optimizers.DPOptimizer = object
sys.modules.update({"opacus": opacus, "opacus.optimizers": optimizers})

from opacus.accountants.utils import get_noise_multiplier  # noqa: E402  (the stand-in must be there first)

measured = {}


def stop(*_):
    raise TimeoutError


signal.signal(signal.SIGALRM, stop)
for name in ("A1", "A3"):
    rate, sigma, steps, delta = SAMPLED[name]
    start = perf_counter()
    accountant = PRVAccountant(
        prvs=[PoissonSubsampledGaussianMechanism(sampling_probability=rate, noise_multiplier=sigma)],
        max_self_compositions=[steps],
        eps_error=1e-3,
        delta_error=delta / 1000,
    )
    low, _, up = accountant.compute_epsilon(delta=delta, num_self_compositions=[steps])
    measured[f"{name} seconds"] = perf_counter() - start
    measured[f"{name} lower"], measured[f"{name} upper"] = float(low), float(up)
for name, target in TARGETS.items():
    rate, _, steps, delta = SAMPLED[name]
    signal.alarm(PATIENCE)
    start = perf_counter()
    with suppress(TimeoutError):
        get_noise_multiplier(
            target_epsilon=target,
            target_delta=delta,
            sample_rate=rate,
            steps=steps,
            accountant="prv",
            epsilon_tolerance=1e-3,
        )
    signal.alarm(0)
    measured[f"calibrate {name} seconds"] = perf_counter() - start
print(json.dumps(measured))
