"""How long `import tacit` takes, in import times of NumPy."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

from bench.claims import Claim, report
from bench.clock import take_turns


def main() -> None:
    def starting(code: str) -> Callable[[], object]:
        return lambda: subprocess.run([sys.executable, "-c", code], check=True)

    bare, numpy, tacit = take_turns([starting("pass"), starting("import numpy"), starting("import tacit")], 15)
    ratio = (tacit - bare) / (numpy - bare)
    detail = f"{(tacit - bare) * 1e3:.0f} ms against {(numpy - bare) * 1e3:.0f} ms above a bare interpreter"
    report("Start", [Claim("import tacit / import numpy", ratio, 2, True, detail)])
