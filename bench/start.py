"""How long it takes to start: `import tacit` in import times of NumPy, `tacit query` in those of DuckDB and NumPy.

Each run is a process of its own, from its start to its end, with compiled modules kept as an installation keeps them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.claims import Claim, report
from bench.clock import take_turns
from bench.events import QUESTIONS, SMALL, events
from bench.events_description import PEERS_LIMIT, describe

ROUNDS = 15
COMMAND = ("-m", "tacit", "query", "events.toml", QUESTIONS["W2"], "--epsilon", "1", "--fresh")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="tacit-bench-") as name:
        folder = Path(name)
        describe(events(SMALL), folder, PEERS_LIMIT)
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        environment |= {
            "PYTHONPYCACHEPREFIX": str(folder / "compiled"),
            "TACIT_HOME": str(folder / "home"),
            "TACIT_WITNESS": str(folder / "witness"),
        }

        def running(*words: str) -> Callable[[], object]:
            command = [sys.executable, *words]
            return lambda: subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)

        imports = [running("-c", code) for code in ("pass", "import numpy", "import tacit", "import duckdb, numpy")]
        bare, numpy, tacit, libraries, query = take_turns([*imports, running(*COMMAND)], ROUNDS)
    above = f"{(tacit - bare) * 1e3:.0f} ms against {(numpy - bare) * 1e3:.0f} ms above a bare interpreter"
    whole = f"{query * 1e3:.0f} ms against {libraries * 1e3:.0f} ms, from start to end"
    report(
        "Start",
        [
            Claim("import tacit / import numpy", (tacit - bare) / (numpy - bare), 2, True, above),
            Claim("tacit query on 1,000 rows / import duckdb, numpy", query / libraries, 3, True, whole),
        ],
    )
