"""Lower bounds of ε from samples alone, against those that DP-Sniper published for the same mechanisms.

Theirs: 2·10⁸ samples in each world after the search (the reference results of its repository). Ours: 10⁷ samples in
all, search included. Both at 90% confidence. Two of theirs exceed the largest bound that 10⁷ samples permit; that
bound, and the samples needed, are shown beside ours.
"""

from __future__ import annotations

from time import perf_counter

from bench.black_box_ceilings import ceiling, needed
from bench.claims import Claim, report
from bench.dp_sniper import DP_SNIPER
from tacit.audit.auditor import Effort
from tacit.audit.black_box.epsilon_estimate import estimate

SAMPLES = 10_000_000
CONFIDENCE = 0.9


def main() -> None:
    claims = []
    for target in DP_SNIPER:
        start = perf_counter()
        found = estimate(target.subject, Effort(1 - CONFIDENCE, SAMPLES, 1e6), early=False)
        detail = (
            f"ε ≥ {found.epsilon:.4f} against {target.published:.4f}; {found.samples:,} samples, "
            f"{perf_counter() - start:.0f} s, by {found.rule.score.name}"
        )
        most = ceiling(target.subject.name, SAMPLES, CONFIDENCE)
        if most is not None and most < target.published:
            wanted = needed(target.subject.name, target.published, CONFIDENCE)
            detail += f"; {SAMPLES:,} samples can show {most:.4f}, it would take {wanted:,.0f}"
        claims.append(Claim(target.subject.name, found.epsilon / target.published, 1, False, detail))
    report("Black box: lower bound of ε / DP-Sniper's", claims)


if __name__ == "__main__":
    main()
