"""How many expressions a campaign has: some in every run of the tests, more in the long ones, any number if asked."""

from __future__ import annotations

import os

CHUNK = 10_000
"""Expressions over the blocks of one seed."""


def chunks(usual: int, engine: str) -> list[tuple[int, int]]:
    """Seeds and sizes of the campaigns on an engine; TACIT_FUZZ_DUCKDB=1000000 and its kin ask for so many.

    TACIT_FUZZ_SEED is the first seed, so that a campaign can be run in several parts, or again.
    """
    wanted = int(os.environ.get(f"TACIT_FUZZ_{engine.upper()}", usual))
    first = int(os.environ.get("TACIT_FUZZ_SEED", "1"))
    whole, rest = divmod(wanted, CHUNK)
    return [(first + place, size) for place, size in enumerate([CHUNK] * whole + [rest] * (rest > 0))]
