"""`python -m bench.house_trace query …`: the files that one command enters, in the order of first entry.

A file is entered when one of its functions is called; code that runs during an import does not count.
Its room is its folder below `tacit`, the first on the way; a file at the top is a room of its own. A walk is the list
of rooms in the order in which their files are first entered, where files of one room that follow each other are one
stay. Re-entries are the stays minus the rooms: how often control returns to a room to enter a new file.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from types import FrameType

from bench.house_tree import SOURCE

_NEW_LOCALS = 2  # a flag of code that is a function's, and no module's or class's body


@dataclass
class Trace:
    """The files of a package, by their paths in it, in the order in which control first enters them."""

    root: Path
    files: list[str] = field(default_factory=list)

    @property
    def stays(self) -> list[str]:
        """The walk: each stay in a room, in order."""
        return [room for room, _ in groupby(Path(file).with_suffix("").parts[0] for file in self.files)]

    @property
    def reentries(self) -> int:
        return len(self.stays) - len(set(self.stays))

    @property
    def folders(self) -> list[str]:
        """The folders in the order in which they are first entered, at most two levels deep; of a top file its name."""
        folders = ("/".join(Path(file).parts[:-1][:2]) or Path(file).stem for file in self.files)
        return list(dict.fromkeys(folders))

    @contextmanager
    def running(self) -> Iterator[None]:
        """Record the files entered in this thread."""
        seen: dict[str, str | None] = {}
        importing = 0
        prefix = f"{self.root.resolve()}/"

        def note(frame: FrameType, event: str, _: object) -> None:
            nonlocal importing
            code = frame.f_code
            if code.co_name == "<module>":
                importing += {"call": 1, "return": -1}.get(event, 0)
            if event != "call" or importing or code.co_filename in seen or not code.co_flags & _NEW_LOCALS:
                return
            seen[code.co_filename] = None
            if code.co_filename.startswith(prefix):
                self.files.append(code.co_filename.removeprefix(prefix))

        sys.setprofile(note)
        try:
            yield
        finally:
            sys.setprofile(None)


def traced(words: Sequence[str], folder: Path) -> Trace:
    """The trace of a `tacit` command, run in a folder and in a process of its own, with a ledger there."""
    here = Path(__file__).parent.parent
    places = {"TACIT_HOME": str(folder / "home"), "TACIT_WITNESS": str(folder / "elsewhere" / "witness")}
    paths = os.pathsep.join([str(here), str(SOURCE.parent), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, **places, "PYTHONPATH": paths}
    command = [sys.executable, "-m", "bench.house_trace", *words]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return Trace(SOURCE, json.loads(done.stdout.splitlines()[-1]))


def main(words: Sequence[str]) -> int:
    """Run a `tacit` command and end with the files that it entered, as one line of JSON."""
    trace, code = Trace(SOURCE), 0
    with trace.running():
        from tacit.cli.main import app

        try:
            app(list(words), prog_name="tacit")
        except SystemExit as ended:
            code = int(ended.code or 0)
    print("\n" + json.dumps(trace.files))
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
