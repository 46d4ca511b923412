"""The auditor run against installed peers: bit-level tests of their answers, and of integer noise against its law.

Every statement about a peer is printed by this command. Peers answer in their own environment, with their
own randomness, so figures vary from run to run; a sound mechanism is called broken once in 10,000 runs at most.
"""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from tacit.audit.auditor import Effort, Stage, audit
from tacit.audit.stages.bits import BITS
from tacit.audit.stages.exact_tests import LawCells, agreements, fits, least_scale_error
from tacit.audit.subject import AuditSubject, Data, Outputs
from tacit.audit.verdict import Finding, Outcome
from tacit.loss.families.approx import Approx
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Bits, Integers
from tacit.noise.discrete_laplace import DiscreteLaplace
from tacit.noise.gaussian_law import DiscreteGaussianLaw

PEERS = Path(__file__).parent.parent / ".venv-peers-audit" / "bin" / "python"
SCRIPT = Path(__file__).parent / "peers" / "audit_answers.py"


def answers() -> tuple[list[dict[str, Any]], dict[str, Outputs]]:
    """What each peer claims, and its answers about either of two neighbours."""
    if not PEERS.exists():
        sys.exit("The peers are not installed: a virtual environment in .venv-peers-audit, from bench/peers-audit.txt.")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "answers.npz"
        done = subprocess.run([PEERS, "-W", "ignore", SCRIPT, file], check=True, capture_output=True, text=True)
        return json.loads(done.stdout.splitlines()[-1]), dict(np.load(file))


def subject(claim: dict[str, Any], given: tuple[Outputs, Outputs]) -> AuditSubject:
    """The peer as a subject of the audit: a box that returns recorded answers."""
    one, other = claim["values"]
    kept = {one: given[0], other: given[1]}

    def many(data: Data, count: int, bits: Bits) -> Outputs:
        return kept[data][:count]

    loss = Approx(Fraction(str(claim["epsilon"])), Fraction(str(claim["delta"])))
    return AuditSubject(claim["name"], loss, Relation.REPLACE, lambda data, bits: kept[data][0], ((one, other),), many)


def law_stage(said: list[Any], noise: Integers) -> Stage:
    """Stage (c) on recorded noise: its fit to the law, and pairs of neighbouring draws."""
    kind, scale = said
    law = DiscreteLaplace(scale) if kind == "discrete Laplace" else DiscreteGaussianLaw(Fraction(str(scale)) ** 2)

    def look(_: AuditSubject, effort: Effort) -> Finding:
        cells = LawCells.of(law)
        chances = fits(noise, cells) | agreements(noise[::2], noise[1::2], cells)
        least = min(chances, key=lambda name: chances[name])
        line = effort.alarm_rate / len(chances)
        if chances[least] <= line:
            words = f"Noise is not {kind} of scale {scale:g} ({least}): so far off once in {1 / chances[least]:.3g}"
            return Finding("law", Outcome.BROKEN, words, effort.alarm_rate, samples=noise.size)
        seen = f"noise narrower than {kind} of scale {scale:.4g} by {least_scale_error(cells, noise.size, line):.1%}"
        return Finding("law", Outcome.PASSED, "It fits.", effort.alarm_rate, seen, samples=noise.size)

    return Stage("law", lambda _: True, look)


def main() -> None:
    table = Table(title="Peers under audit (a sound one is called broken with probability at most 1e-4)")
    for column in ("mechanism", "claims", "verdict", "what was found, or could have been"):
        table.add_column(column)
    found: dict[str, Any] = {}
    claims, arrays = answers()
    for place, claim in enumerate(claims):
        tried = subject(claim, (arrays[f"{place} 0"], arrays[f"{place} 1"]))
        noise = arrays[f"{place} 0"] - claim["values"][0] if claim["law"] else None
        stages = [BITS] if noise is None else [BITS, law_stage(claim["law"], noise.astype(np.int64))]
        verdict = audit(tried, stages, Effort(1e-4, 40_000))
        fault = verdict.fault
        bound = None if fault is None or fault.epsilon is None else round(fault.epsilon, 2)
        words = fault.words if fault else "; ".join(each.could_see for each in verdict.findings)
        above = "" if bound is None else f" (ε ≥ {bound})"
        table.add_row(tried.name, str(tried.claim), ("broken" if fault else "no fault found") + above, words)
        found[tried.name] = {"broken": fault is not None, "stage": fault.stage if fault else None, "epsilon": bound}
    Console(width=160).print(table)
    print(json.dumps(found, ensure_ascii=False))
