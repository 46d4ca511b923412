"""`python -m bench [NAME]`: run one subject, or all of them."""

from __future__ import annotations

import sys
from importlib import import_module

SUBJECTS = (
    "noise",
    "release",
    "start",
    "accountant",
    "query",
    "query_overhead",
    "second_line",
    "joins",
    "limits",
    "coverage",
    "coverage_sql",
    "coverage_profile",
    "scale",
    "engines_postgres",
    "engines_spark",
    "local_shuffle",
    "black_box",
    "audit_controls",
    "peers_audit",
    "local_frequencies",
    "hierarchies",
    "many_counts",
    "tables",
    "workloads",
    "learn",
    "learn_scale",
    "learn_convex",
    "learn_sums",
    "learn_images",
    "learn_steps",
    "corpus",
    "house",
)


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in SUBJECTS]
    if unknown:
        print(f"Unknown benchmark: {', '.join(unknown)}. There are: {', '.join(SUBJECTS)}.", file=sys.stderr)
        return 2
    for name in names or SUBJECTS:
        import_module(f"bench.{name}").main()
    return 0


if __name__ == "__main__":  # not in a worker, which imports it anew
    sys.exit(main(sys.argv[1:]))
