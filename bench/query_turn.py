"""One contestant's turn: a fresh process opens the file, answers one workload once, and prints its cost.

Every environment reads this file, so it needs the standard library alone. The workload is first answered about a small
file, so that imports are not timed; the timed answer is the first on the large file.
Of prepared data and of plain DuckDB the second answer is timed instead, each from a file in the machine's cache.
Peak memory is the process's own high-water mark and that of the largest child it waited for.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter, process_time
from typing import Any


def peak_megabytes() -> float:
    """The most memory that this program held, not counting what ran in this process before it."""
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return (int(line.split()[1]) + child) / 1024


def take_turn(
    open_file: Callable[[str, str], Any], workloads: Mapping[str, Callable[[Any], Any]], is_second: bool = False
) -> None:
    """Answer the workload, about the small file, then about the large: the command line ends with them in this order.

    `open_file` takes a path and the workload's name; a workload takes its result and returns {key: {name: value}}.
    The last line printed is JSON.
    """
    name, small, large = sys.argv[-3:]
    workloads[name](open_file(small, name))
    opened = open_file(large, name)
    if is_second:
        workloads[name](opened)
    start, used = perf_counter(), process_time()
    answers = workloads[name](opened)
    taken = {"seconds": perf_counter() - start, "processor": process_time() - used, "megabytes": peak_megabytes()}
    print(json.dumps({**taken, "answers": answers}, default=float))
