"""The errors of PostgreSQL that a value of one row can cause."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ROW_ERRORS: Final[Mapping[str, str]] = {
    "22": "data_exception",
    "54": "program_limit_exceeded",
    "0A": "feature_not_supported",  # as for an infinite numeric that is cast to an integer
    "XX": "internal_error",  # as for a text beyond what the server holds
}
"""Classes of SQLSTATE that a value can cause, with the condition that stands for each whole class.

Memory, disk, connections and interrupts are no row's.
"""
