"""The coverage of plain SQL's answer by usual and guaranteed intervals, and their width, on people's totals.

TACIT_COVERAGE_DRAWS is how many releases of each cell are drawn (5000), TACIT_COVERAGE_HALF which half of the cells
("shaping" or "held"; both), TACIT_COVERAGE_JOBS in how many processes (2).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from multiprocessing import get_context
from time import monotonic

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.claims import Claim, report
from bench.coverage_data import Cell, cells
from bench.coverage_release import Model, described, most_of
from bench.coverage_score import AT_MOST, Score, Scored, scored
from tacit.noise.bits import Seeded
from tacit.query.plans.limit import IntervalKind

HALVES = {"shaping": "shaping", "held": "held out"}
COVERAGE = {False: (0.95, 0.91), True: (0.94, 0.87)}  # by whether there are groups: of all cells, and of the worst
WIDTH, WIDTH_OF_MOST, ERROR = 2.2, 4.5, 1.8  # over the oracle's: the median, the 90th percentile, the median
WITH_MOST = (1.8, 3.0, 1.6)
GUARANTEED, OTHERS = 0.945, 0.94
SAME = 1.01
_SHOWN = ("one row count", "one row sum", "one row by 12")
_cells: list[Cell] = []


def main() -> None:
    draws, jobs = (
        int(os.environ.get(f"TACIT_COVERAGE_{name}", usual)) for name, usual in (("DRAWS", 5000), ("JOBS", 2))
    )
    half = os.environ.get("TACIT_COVERAGE_HALF")
    halves = list(HALVES.values()) if half is None else [HALVES[half]]
    _cells.extend(cell for each in halves for cell in cells(each))
    found = score_all(draws, jobs)
    claims = same_claims()
    for each in halves:
        own = [one for one in found if one.half == each]
        for is_grouped in (False, True):
            chosen = [one for one in own if one.is_grouped is is_grouped]
            ordinary = [one for one in chosen if one.is_ordinary]
            kind = f"{each}, {'by group' if is_grouped else 'one group'}"
            show(f"{kind}: {draws} draws a cell", ordinary)
            show(f"{kind}: not ordinary", [one for one in chosen if not one.is_ordinary])
            claims += usual_claims(kind, is_grouped, ordinary)
        claims += guaranteed_claims(each, own)
    report("Coverage", claims)


def score_all(draws: int, jobs: int) -> list[Scored]:
    """All cells, in their order, in several processes that share what was read."""
    begun, found = monotonic(), {}
    with get_context("fork").Pool(jobs) as pool:
        for done, (place, one) in enumerate(pool.imap_unordered(_score, ((n, draws) for n in range(len(_cells)))), 1):
            found[place] = one
            said = f"{done}/{len(_cells)} {one.half}, {one.name}: {one.usual.coverage:.3f}"
            print(f"{monotonic() - begun:6.0f} s  {said}", file=sys.stderr, flush=True)
    return [found[place] for place in sorted(found)]


def _score(asked: tuple[int, int]) -> tuple[int, Scored]:
    place, draws = asked
    return place, scored(_cells[place], draws)


def show(title: str, found: Iterable[Scored]) -> None:
    """A table of cells: coverage, that of the worst group, width, error, limit, unknown and certain shares."""
    listed = list(found)
    if not listed:
        return
    table = Table(title=title)
    names = ("covered", "worst", "width", "error", "limit")
    kinds = [*names, "untold", *(f"{AT_MOST:g}x: {name}" for name in names), "sure", "guaranteed", "worst", "width"]
    for column in ("cell", *kinds):
        table.add_column(column)
    for one in listed:
        sure = one.guaranteed
        table.add_row(
            one.name,
            *_shown(one.usual),
            f"{one.usual.untold:.2f}",
            *_shown(one.with_most),
            f"{one.with_most.sure:.2f}",
            f"{sure.coverage:.4f}",
            f"{sure.worst:.4f}",
            f"{sure.width:.2f}",
        )
    Console(width=190).print(table)


def _shown(score: Score) -> tuple[str, ...]:
    return (
        f"{score.coverage:.3f}",
        f"{score.worst:.3f}",
        f"{score.width:.2f}",
        f"{score.error:.2f}",
        f"{score.limit:.2f}",
    )


def usual_claims(kind: str, is_grouped: bool, found: list[Scored]) -> list[Claim]:
    """Coverage, width and error of ordinary cells, without and with at_most."""
    if not found:
        return []
    claims = []
    targets = {"usual": (WIDTH, WIDTH_OF_MOST, ERROR), f"usual, at_most {AT_MOST:g}x": WITH_MOST}
    for (name, (median, most, error)), scores in zip(
        targets.items(), ([one.usual for one in found], [one.with_most for one in found]), strict=True
    ):
        covered, widths = [each.coverage for each in scores], [each.width for each in scores]
        errors = [each.error for each in scores]
        lowest = found[int(np.argmin(covered))].name
        said = f"{kind}: {name}"
        mean, least = COVERAGE[is_grouped]
        claims += [
            Claim(f"{said}: mean coverage", float(np.mean(covered)), mean, False, f"{np.mean(covered):.3f}"),
            Claim(f"{said}: lowest coverage", min(covered), least, False, f"{min(covered):.3f}, {lowest}"),
            Claim(f"{said}: median width", float(np.median(widths)), median, True, f"{_mean(widths):.2f} gmean"),
            Claim(f"{said}: 90th percentile of widths", float(np.quantile(widths, 0.9)), most, True, ""),
            Claim(f"{said}: median error", float(np.median(errors)), error, True, f"{_mean(errors):.2f} gmean"),
        ]
    return claims


def _mean(ratios: list[float]) -> float:
    """The geometric mean."""
    return float(np.exp(np.mean(np.log(ratios))))


def guaranteed_claims(half: str, found: list[Scored]) -> list[Claim]:
    """Guaranteed intervals hold on all cells; on those that are not ordinary, where usual ones cannot."""
    lowest = min(found, key=lambda one: one.guaranteed.coverage)
    lowest_coverage = lowest.guaranteed.coverage
    said = f"{lowest_coverage:.4f}, {lowest.name}"
    claims = [Claim(f"{half}: guaranteed: lowest coverage", lowest_coverage, GUARANTEED, False, said)]
    others = [one for one in found if not one.is_ordinary]
    if others:
        least = min(one.guaranteed.coverage for one in others)
        usual = ", ".join(f"{one.name} {one.usual.coverage:.2f}" for one in others)
        claims.append(Claim(f"{half}: not ordinary, guaranteed", least, OTHERS, False, f"usual ones: {usual}"))
    return claims


def same_claims() -> list[Claim]:
    """A limit that cuts no one costs nothing, compared with a bounded interval at the same limit."""
    ratios, most_ratios = [], []
    for cell in (cell for cell in _cells if cell.name in _SHOWN):
        each = described(cell, is_each=True)
        ratios.append(_width(Model.of(cell, each)) / _width(Model.of(cell, each, IntervalKind.BOUNDED)))
        most = most_of(cell, AT_MOST)
        guaranteed = Model.of(cell, described(cell, most), IntervalKind.GUARANTEED)
        bounded = Model.of(cell, described(cell, limit=most), IntervalKind.BOUNDED)
        most_ratios.append(_width(guaranteed) / _width(bounded))
    if not ratios:
        return []
    return [
        Claim("one row a person: usual / bounded width", max(ratios), SAME, True, ", ".join(_SHOWN)),
        Claim("limit = at_most: guaranteed / bounded width", max(most_ratios), SAME, True, ", ".join(_SHOWN)),
    ]


def _width(model: Model) -> float:
    found = model.releases(Seeded(0), 1)
    return float((found.high - found.low).max())
