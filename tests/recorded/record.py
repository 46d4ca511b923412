"""`python -m tests.recorded.record` writes `queries.json` anew: after a change that is meant to change a record."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from tests.recorded.queries import ASKED
from tests.recorded.recording import Recorder

PLACE = Path(__file__).with_name("queries.json")


def recorded() -> dict[str, Any]:
    """What the file says, by "clinic: query"."""
    return json.loads(PLACE.read_text(encoding="utf-8"))


def main() -> None:
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        patch.setenv("TACIT_WITNESS", f"{name}/elsewhere/witness")
        recorder = Recorder(Path(name), stack)
        made = {f"{clinic}: {query}": recorder.record(clinic, query) for clinic, query in ASKED}
    _tell_changes(recorded() if PLACE.exists() else {}, made)
    lines = (f"{json.dumps(name)}: {json.dumps(record, ensure_ascii=False)}" for name, record in made.items())
    PLACE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _tell_changes(before: dict[str, Any], after: dict[str, Any]) -> None:
    for kind in sorted({kind for record in after.values() for kind in record}):
        changed = [name for name, record in after.items() if record.get(kind) != before.get(name, {}).get(kind)]
        print(f"{kind:<12} {len(changed):>4} of {len(after)} changed. {'; '.join(changed[:3])}")  # noqa: T201


if __name__ == "__main__":
    main()
