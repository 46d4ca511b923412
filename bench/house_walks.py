"""The walks of three commands through the folders of the tree, as shown in `docs/architecture.md`.

`python -m bench.house_walks` writes them into the page anew. A test compares.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from examples.clinic import write_clinic
from examples.respondents import answer_poll

from bench.house_trace import Trace, traced

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "architecture.md"
FIRST_QUERY = "SELECT region, COUNT(*), AVG(cost) FROM visits GROUP BY region"
RELEASES = ("gaussian(sigma=2, q=0.01) x 100", "laplace(scale=10)")
WALKS = {
    "tacit query": ("query", "clinic.toml", FIRST_QUERY, "--epsilon", "1", "--as", "alice"),
    "tacit account compose": ("account", "compose", *RELEASES, "--delta", "1e-6"),
    "tacit poll estimate": ("poll", "estimate", "reports.jsonl"),
}
"""The commands; the first is the demo's first query, with a new ledger."""


def walk(name: str) -> Trace:
    """The walk of a command, in a folder with its inputs."""
    with TemporaryDirectory(prefix="tacit-walk-") as temporary:
        folder = Path(temporary)
        if name == "tacit query":
            write_clinic(folder / "visits.parquet")
            shutil.copy(ROOT / "examples" / "clinic.toml", folder)
        if name == "tacit poll estimate":
            traced(["poll", "design", "Did you skip a dose?", "--truth", "3/4", "--width", "0.2"], folder)
            answer_poll(folder / "poll.toml", folder / "reports.jsonl", people=400, share=0.25)
        return traced(WALKS[name], folder)


def block(name: str, folders: Sequence[str]) -> str:
    """A walk as it stands on the page."""
    return "\n".join([f"```walk {name}", *folders, "```"])


def blocks(page: str) -> dict[str, list[str]]:
    """Every walk on the page: the folders, by the command."""
    found = re.findall(r"^```walk (.+)\n((?:.+\n)*)```$", page, re.MULTILINE)
    return {name: lines.splitlines() for name, lines in found}


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name, old in blocks(page).items():
        page = page.replace(block(name, old), block(name, walk(name).folders))
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
