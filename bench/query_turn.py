"""One contestant's turn: a fresh process opens the file, answers one workload once, and says what that took.

Every environment reads this file, so it needs the standard library alone. The workload is first answered about a small
file, so that nobody's imports are timed; what is timed has never seen the large file, nor prepared anything from it.
Peak memory is the process's own high-water mark and that of the largest child it waited for.
"""

import json
import resource
import sys
from pathlib import Path
from time import perf_counter


def peak_megabytes():
    """The most memory that this program held, not counting what ran in this process before it."""
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return (int(line.split()[1]) + child) / 1024


def take_turn(open_file, workloads):
    """Answer the workload, about the small file, then about the large: the command line names them in this order.

    `open_file` takes a path and the workload's name; a workload takes what that gave, and answers {key: {name: value}}.
    The last line printed is JSON.
    """
    name, small, large = sys.argv[1:]
    workloads[name](open_file(small, name))
    opened = open_file(large, name)
    start = perf_counter()
    answers = workloads[name](opened)
    seconds = perf_counter() - start
    print(json.dumps({"seconds": seconds, "megabytes": peak_megabytes(), "answers": answers}, default=float))
