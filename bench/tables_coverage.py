"""How often intervals of tables hold what plain SQL gives, where people have several rows, and how wide they are.

Width and error are relative to an oracle's, who knows the people: the best limit in hindsight, at the full price, with
±1.96 times its root mean square error; and width also to that of single queries, one a table, each at the same price.
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
from bench.tables_releases import Measured, released

MEAN, LEAST = 0.94, 0.87
SURE = 0.94


@dataclass(frozen=True)
class Asked:
    """Measures that are released together, of one publication, with intervals of a kind."""

    name: str
    measures: tuple[str, ...]
    interval: str

    @property
    def words(self) -> str:
        return f"{self.name}, {self.interval}, {' + '.join(self.measures)}"


def coverage_claims() -> list[Claim]:
    """All publications, each measure by itself and all together; counts with `at_most`, too."""
    releases = int(os.environ.get("TACIT_TABLES_RELEASES", "40"))
    jobs = int(os.environ.get("TACIT_TABLES_JOBS", "2"))
    asked = list(_asked())
    begun, found = monotonic(), []
    with get_context("fork").Pool(jobs) as pool:
        for one, measured in zip(asked, pool.imap(_measured, [(each, releases) for each in asked]), strict=True):
            found.append((one, measured))
            print(f"{monotonic() - begun:6.0f} s  {one.words}: {_mean(measured):.3f}", file=sys.stderr, flush=True)
    for name in dict.fromkeys(one.name for one in asked):
        show(name, releases, [each for each in found if each[0].name == name])
    return [claim for one, measured in found for claim in _claims(one, measured)]
