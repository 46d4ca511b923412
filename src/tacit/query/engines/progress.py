"""How far a statement is: DuckDB tells how many rows it has read, which is not how much of the time is over."""

from __future__ import annotations

from typing import Final

_SCAN_TOLD: Final = 0.17
_SCAN_TAKES: Final = 0.6
_END_TOLD: Final = 0.8


def share_of_time(told: float, is_staged: bool) -> float:
    """What part of the time is over when DuckDB tells a part of the rows; 0 where it tells nothing.

    It counts every reading of rows alike. Where people's totals are added up first, then read again for norms and
    sums, reading the source is about a sixth of all that is read, but more than half of the time.
    """
    if not told > 0:
        return 0.0
    if not is_staged:
        return min(told, 1.0)
    if told <= _SCAN_TOLD:
        return told / _SCAN_TOLD * _SCAN_TAKES
    return min(1.0, _SCAN_TAKES + (told - _SCAN_TOLD) / (_END_TOLD - _SCAN_TOLD) * (1 - _SCAN_TAKES))
