"""A group key of a plan, and the values that everybody knows it can have."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from math import prod

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.schema.kind import Key, Kind

MOST_GROUPS = 1_000_000


@frozen
class KeyColumn:
    """An expression of GROUP BY. `domain` lists all its values, NULL among them if it can occur; None: private."""

    name: str  # its canonical SQL
    sql: str
    kind: Kind
    scale: int
    domain: tuple[Key | None, ...] | None
    column: str | None = None  # the column's name where the key is a bare column


def public_groups(keys: Iterable[KeyColumn]) -> list[tuple[Key | None, ...]] | None:
    """Every combination of public keys, in their order; None if any key is private."""
    domains = [key.domain for key in keys]
    known = [domain for domain in domains if domain is not None]
    if len(known) < len(domains):
        return None
    size = prod(len(domain) for domain in known)
    if not size <= MOST_GROUPS:
        raise Refused(
            f"a table of {size:,} groups",
            "Every combination of public keys is shown, empty ones too.",
            f"at most {MOST_GROUPS:,} combinations: coarser keys, or fewer of them.",
        )
    return list(product(*known))
