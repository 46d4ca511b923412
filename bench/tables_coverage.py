"""The coverage of plain SQL's answer by intervals of tables, where people have several rows, and their width.

Width and error are relative to those of an oracle, which knows the people: the best limit in hindsight, at the full
price, with ±1.96 times its root mean square error; and width also to that of single queries, one per table, each at the
same price.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from multiprocessing import get_context
from time import monotonic

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.claims import Claim
from bench.tables_data import Publication, publications
from bench.tables_oracle import oracle
from bench.tables_releases import EPSILON, Measured, released, single_widths, strength

MEAN, LEAST = 0.94, 0.87  # of the cells of all tables; of the table that is covered least often
WIDTH, ERROR = 2.2, 1.8  # over the oracle's, the median of tables
TIMES = 2.5  # at_most, where it is declared, as a multiple of the most rows of any person
_SINGLE = 5  # releases of each query of its own


@dataclass(frozen=True)
class Asked:
    """Measures that are released together, of one publication, with intervals of a kind."""

    name: str
    measures: tuple[str, ...]
    interval: str

    @property
    def words(self) -> str:
        return f"{self.name}, {self.interval}, {' + '.join(self.measures)}"


@dataclass(frozen=True)
class Found:
    """A table's releases, and its width and error over the oracle's, and its width over that of a single query."""

    measured: Measured
    width: float
    error: float
    single: float


def coverage_claims() -> list[Claim]:
    """All publications, each measure by itself and all together; counts with `at_most`, too."""
    releases = int(os.environ.get("TACIT_TABLES_RELEASES", "100"))
    jobs = int(os.environ.get("TACIT_TABLES_JOBS", "2"))
    asked = _asked()
    begun, found = monotonic(), []
    with get_context("spawn").Pool(jobs) as pool:
        for one, measured in zip(asked, pool.imap(_measured, [(each, releases) for each in asked]), strict=True):
            found.append((one, measured))
            print(f"{monotonic() - begun:6.0f} s  {one.words}: {_mean(measured):.3f}", file=sys.stderr, flush=True)
    for name in dict.fromkeys(one.name for one in asked):
        show(name, releases, [each for each in found if each[0].name == name])
    return [claim for one, measured in found for claim in _claims(one, measured)]


def _asked() -> list[Asked]:
    found = []
    for each in publications():
        found += [Asked(each.name, (measure,), "usual") for measure in each.measures]
        found.append(Asked(each.name, each.measures, "usual"))
        found += [Asked(each.name, ("COUNT(*)",), "guaranteed"), Asked(each.name, ("COUNT(*)",), "bounded")]
    return found


def _named(name: str) -> Publication:
    return next(each for each in publications() if each.name == name)


def _measured(asked: tuple[Asked, int]) -> list[Found]:
    one, releases = asked
    publication = _named(one.name)
    rows = publication.make()
    at_most = ""
    if one.interval == "guaranteed":
        at_most = f"at_most = {{ rows = {round(TIMES * int(rows.person.value_counts().max()))} }}"
    measured = released(publication, one.measures, releases, at_most, one.interval)
    is_alone = one.interval == "usual" and len(one.measures) == 1 and "AVG" not in one.measures[0]
    if not is_alone:
        return [Found(each, np.nan, np.nan, np.nan) for each in measured]
    best = oracle(publication, rows, one.measures[0], strength())
    single = single_widths(publication, one.measures[0], _SINGLE)
    return [
        Found(
            each, each.width / best.width(each.keys), each.error / best.error(each.keys), each.width / single[each.keys]
        )
        for each in measured
    ]


def _mean(found: list[Found]) -> float:
    """Over all cells of all tables and measures."""
    return float(np.concatenate([each.measured.covered.mean(axis=0) for each in found]).mean())


def _claims(asked: Asked, found: list[Found]) -> list[Claim]:
    publication = _named(asked.name)
    if asked.interval == "bounded" or not (publication.is_ordinary or asked.interval == "guaranteed"):
        return []  # bounded and unknown intervals have no promise about all rows
    lowest = min(found, key=lambda each: each.measured.coverage).measured
    said = f"{lowest.coverage:.3f}, {lowest.measure} by {', '.join(lowest.keys) or 'nothing'}"
    claims = [
        Claim(f"{asked.words}: mean", _mean(found), MEAN, False, f"{_mean(found):.3f}"),
        Claim(f"{asked.words}: lowest table", lowest.coverage, LEAST, False, said),
    ]
    if np.isfinite(found[0].width):
        widths, errors = [each.width for each in found], [each.error for each in found]
        singles = f"{np.median([each.single for each in found]):.2f}x a query of its own at the whole price"
        claims += [
            Claim(f"{asked.words}: median width / oracle's", float(np.median(widths)), WIDTH, True, singles),
            Claim(f"{asked.words}: median error / oracle's", float(np.median(errors)), ERROR, True, ""),
        ]
    return claims


def show(name: str, releases: int, found: list[tuple[Asked, list[Found]]]) -> None:
    """All tables of a publication."""
    table = Table(title=f"{name}: {releases} releases, ε = {EPSILON}")
    for column in ("released", "measure", "by", "covered", "truth below", "width", "/ oracle", "/ single", "error /"):
        table.add_column(column)
    for asked, measured in found:
        for each in measured:
            one = each.measured
            kind = asked.interval if len(asked.measures) == 1 else "usual, together"
            shown = (f"{one.coverage:.3f}", f"{one.below:.3f}", f"{one.width:.3g}")
            ratios = (f"{each.width:.2f}", f"{each.single:.2f}", f"{each.error:.2f}")
            table.add_row(kind, one.measure, ", ".join(one.keys) or "total", *shown, *ratios)
    Console(width=140).print(table)
