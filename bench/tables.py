"""Tables released together: time and error on Adult, and the coverage of intervals for people with many rows.

TACIT_TABLES_RELEASES is how many releases of each publication are made (100), TACIT_TABLES_JOBS in how many processes
(2). There is no peer to compare with: PyPI has no release of a CUBE, nor of several tables with the covariance of their
noise.
"""

from __future__ import annotations

from math import prod, sqrt
from statistics import median

from rich.console import Console
from rich.table import Table

from bench.claims import Claim, report
from bench.tables_adult import DELTA, EPSILON, Released, all_tables, opened, released, sizes
from bench.tables_coverage import coverage_claims
from bench.tables_linear import linear_claims
from bench.tables_naive import NAIVE, weights
from tacit.workload.optimality.tables_optimum import tables_optimum_down
from tacit.workload.optimality.unbiased import unbiased_variance_down
from tacit.workload.residual_basis import Weighting

ROUNDS = 3
TIME = ("planning", "SQL", "noise", "reconstruction")


def main() -> None:
    report("Tables", [*adult_claims(), *linear_claims(), *coverage_claims()])


def adult_claims() -> list[Claim]:
    """Adult's 576 tables, for both weightings."""
    claims = []
    with opened() as data:
        strength = float(data.explain("SELECT COUNT(*) FROM adult", epsilon=EPSILON, delta=DELTA).price.strength)
        for weighting in Weighting:
            found = [released(data, weighting.value) for _ in range(ROUNDS)]
            claims += [*time_claims(weighting, found), *error_claims(weighting, found, strength)]
    return claims


def time_claims(weighting: Weighting, found: list[Released]) -> list[Claim]:
    """Processor time of the part that every mechanism needs, and of everything."""
    middle = {name: median(each.seconds[name] for each in found) for name in found[0].seconds}
    middle["planning"] = found[0].seconds["planning"]  # the same plan is found again afterwards
    said = ", ".join(f"{name} {seconds:.2f}" for name, seconds in middle.items())
    cells, octets = sum(prod(sizes()[place] for place in each) for each in all_tables()), found[0].octets
    return [
        Claim(f"{weighting.value}: plan to tables / 3 s", sum(middle[name] for name in TIME) / 3, 1, True, said),
        Claim(f"{weighting.value}: all, shown / 5 s", sum(middle.values()) / 5, 1, True, ""),
        Claim(f"{weighting.value}: stored octets a cell", octets / cells, 5, True, f"{octets / 1e6:.1f} MB"),
    ]


def error_claims(weighting: Weighting, found: list[Released], strength: float) -> list[Claim]:
    """Root mean square errors against the true tables, the certified bound, and naive ways; and intervals."""
    tables = all_tables()
    weight = dict(zip(tables, weights(tables, sizes(), weighting), strict=True))
    whole = sum(weight[each] * prod(sizes()[place] for place in each) for each in tables)
    total = sum(weight[each] * one.errors[each] for one in found for each in tables) / len(found)
    exact = {each: weighting.of([sizes()[place] for place in each]) for each in tables}
    bound = float(unbiased_variance_down(tables_optimum_down(sizes(), exact), strength / 2))
    naive = {name: way(tables, sizes(), weighting, strength) for name, way in NAIVE.items()}
    show(weighting, {"released": total, "bound": bound, **naive}, whole)
    within = sum(each.within for each in found) / len(found)
    name, share = weighting.value, total / naive["best split"]
    target = {Weighting.CELLS: 0.66, Weighting.TABLES: 0.52}[weighting]
    return [
        Claim(f"{name}: RMSE / bound", sqrt(total / bound), 1.02, True, f"{sqrt(total / whole):.2f}"),
        Claim(f"{name}: variance / best split", share, target, True, f"{sqrt(naive['best split'] / whole):.2f}"),
        Claim(f"{name}: cells within 95%, at least", within, 0.94, False, f"{within:.4f}"),
        Claim(f"{name}: cells within 95%, at most", within, 0.965, True, found[0].words),
    ]


def show(weighting: Weighting, variances: dict[str, float], whole: float) -> None:
    """Root mean square errors of all ways, and their variance over that of the release."""
    table = Table(title=f"576 tables of Adult, ε = {EPSILON}, δ = {DELTA}, --weight {weighting.value}")
    for column in ("way", "RMSE", "variance over the released"):
        table.add_column(column)
    for name, variance in variances.items():
        table.add_row(name, f"{sqrt(variance / whole):.2f}", f"{variance / variances['released']:.3f}")
    Console(width=100).print(table)
