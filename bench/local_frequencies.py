"""A million people report one of 1,024 options, and all is decoded: Tacit against pure-ldp and multi-freq-ldpy.

Tacit draws from the operating system's entropy, exactly; the peers draw from seeded generators in floating point.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from math import exp
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from bench.claims import Claim, report
from bench.clock import take_turns
from tacit.local.frequencies.block_design import KaryOracle
from tacit.local.frequencies.frequency_estimates import Frequencies
from tacit.local.frequencies.hadamard import HadamardOracle
from tacit.local.frequencies.hashing import HashingOracle
from tacit.local.frequencies.oracle import Oracle
from tacit.local.frequencies.oracle_choice import best
from tacit.local.frequencies.projective import ProjectiveOracle
from tacit.local.frequencies.set_reports import SubsetOracle, UnaryOracle
from tacit.noise.bits import Seeded

PEERS = Path(__file__).parent.parent / ".venv-peers-local" / "bin" / "python"
SCRIPT = Path(__file__).parent / "peers" / "local_frequencies.py"
EPSILON, OPTIONS, PEOPLE = 1, 1024, 10**6
ORACLES: dict[str, type[KaryOracle | SubsetOracle | UnaryOracle | HashingOracle | HadamardOracle]] = {
    "kary": KaryOracle,
    "subset": SubsetOracle,
    "unary": UnaryOracle,
    "hashing": HashingOracle,
    "hadamard": HadamardOracle,
}
EXACT = 1 + 1e-8  # our odds are e^ε rounded down to 32 bits, the peers' are e^ε in floating point


def mean_variance(hit: float, stray: float, options: int) -> float:
    """n·Var averaged over the options, for given people."""
    return (hit * (1 - hit) + (options - 1) * stray * (1 - stray)) / (options * (hit - stray) ** 2)


def peer_variances(options: int) -> dict[str, dict[str, float]]:
    """The hit and stray probabilities of each peer's oracles, from their code."""
    odds = exp(EPSILON)
    buckets, size = round(odds) + 1, max(1, round(options / (odds + 1)))
    within = odds * size / (odds * size + options - size)
    shared = {
        "K-ary": mean_variance(odds / (odds + options - 1), 1 / (odds + options - 1), options),
        "unary": mean_variance(0.5, 1 / (odds + 1), options),
        "hashing": mean_variance(odds / (odds + buckets - 1), 1 / buckets, options),
    }
    strays = (within * (size - 1) + (1 - within) * size) / (options - 1)
    return {
        "pure-ldp": {**shared, "Hadamard": mean_variance(odds / (odds + 1), 0.5, options)},
        "multi-freq-ldpy": {**shared, "subset": mean_variance(within, strays, options)},
    }


def measured_error(oracle: Oracle, options: int, surveys: int = 400, people: int = 2048) -> float:
    """The mean over surveys and options of n times the squared error, everyone's answers spread evenly."""
    answers = np.arange(people) % options
    rows = oracle.rehearse(np.tile(answers, surveys), Seeded(1)).reshape(surveys, people, -1)
    errors = [np.mean((oracle.estimate(survey).values - 1 / options) ** 2) for survey in rows]
    return float(np.mean(errors)) * people


def ask_peers() -> dict[str, float]:
    if not PEERS.exists():
        sys.exit("The peers are not installed: run `make bench-peers` first.")
    done = subprocess.run([PEERS, SCRIPT], check=True, capture_output=True, text=True)
    measured: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return measured


def asked(oracle: Oracle, answers: ArrayLike) -> Frequencies:
    """All reports, and the shares estimated from them."""
    return oracle.estimate(oracle.report(answers))


def main() -> None:
    print(f"{PEOPLE:,} people, {OPTIONS:,} options, ε = {EPSILON}; the peers are timed on fewer people and scaled up.")
    peers, answers, claims = ask_peers(), np.arange(PEOPLE) * 7919 % OPTIONS, []
    for name, kind in ORACLES.items():
        oracle = kind.within(EPSILON, OPTIONS)
        (ours,) = take_turns([partial(asked, oracle, answers)], rounds=5)
        for peer in ("pure-ldp", "multi-freq-ldpy"):
            if f"{peer} {name}" in peers:
                theirs = peers[f"{peer} {name}"]
                detail = f"{ours:.3f} s against {theirs:,.1f} s"
                claims.append(Claim(f"{peer} / Tacit, {name}", theirs / ours, 20, False, detail))
    for options in (4, 8, 16, 256):
        choice = best(EPSILON, options)
        exact, seen = float(choice.oracle.mean_variance), measured_error(choice.oracle, options)
        for peer, variances in peer_variances(options).items():
            rival = min(variances, key=lambda name: variances[name])
            told = f"{type(choice.oracle).__name__} {exact:.4f} (measured {seen:.3f}), {rival} {variances[rival]:.4f}"
            if peer == "pure-ldp":
                told += f" (measured {peers[f'pure-ldp error {options}']:.3f})"
            claims.append(Claim(f"n·Var / {peer}'s best, K = {options}", exact / variances[rival], EXACT, True, told))
    large = ProjectiveOracle.within(EPSILON, 10**6)
    many = np.arange(PEOPLE) * 7919 % 10**6
    (seconds,) = take_turns([partial(asked, large, many)], rounds=1)
    print(f"A million options: {seconds:.1f} s, {large.message_bits} bits a report, by projective geometry.")
    report("Local frequencies", claims)
