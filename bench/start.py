"""Start-up time: `import tacit` relative to importing NumPy, commands relative to importing DuckDB and NumPy.

Each run is a process of its own, from its start to its end, with compiled modules kept as an installation keeps them.
The target of a fresh question is half a second on an ordinary machine, where the two libraries take a little more than
a fifth of a second: a ratio of 2.3. A budget and the list of commands should take less than the libraries.
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
ASKED = ("events.toml", QUESTIONS["W2"], "--epsilon", "1")
COMMANDS = {
    "query": (("query", *ASKED, "--fresh"), 2.3),
    "explain": (("explain", *ASKED), 2.3),
    "budget": (("budget", "events.toml"), 1.0),
    "--help": (("--help",), 0.5),
}
"""The label of each command, and its target."""


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
        commands = [running("-m", "tacit", *words) for words, _ in COMMANDS.values()]
        bare, numpy, tacit, libraries, *taken = take_turns([*imports, *commands], ROUNDS)
    above = f"{(tacit - bare) * 1e3:.0f} ms against {(numpy - bare) * 1e3:.0f} ms above a bare interpreter"
    claims = [Claim("import tacit / import numpy", (tacit - bare) / (numpy - bare), 2, True, above)]
    for (name, (_, target)), time in zip(COMMANDS.items(), taken, strict=True):
        whole = f"{time * 1e3:.0f} ms against {libraries * 1e3:.0f} ms, from start to end"
        claims.append(Claim(f"tacit {name} / import duckdb, numpy", time / libraries, target, True, whole))
    report("Start", claims)
