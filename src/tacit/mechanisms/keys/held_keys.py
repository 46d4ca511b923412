"""Which keys each person holds, at most so many, and how many people hold each."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tacit.mechanisms.statistics.records import Key, column, count_keys, in_key_order, read_key


def count_held(records: Any, most: int) -> Counter[Key]:
    """How many people hold each key that occurs; a record is one key, or for most > 1 also a collection of them.

    A person counts once for each of their keys, and for the first `most` of them in the order of keys; what is no key
    is left out. Each record is read for itself, so one person moves at most `most` counts, each by 1.
    """
    if most == 1:
        return count_keys(records)
    counts: Counter[Key] = Counter()
    for record in column(records):
        held = record if isinstance(record, (list, tuple, set, frozenset)) else (record,)
        keys = {key for item in held if (key := read_key(item)) is not None}
        counts.update(in_key_order(keys)[:most])
    return counts
