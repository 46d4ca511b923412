"""What docs/sql-semantics.md lists as supported: its words, and its examples over the clinic's columns."""

from __future__ import annotations

import re
from pathlib import Path

_PAGE = (Path(__file__).parents[3] / "docs" / "sql-semantics.md").read_text()
_SUPPORTED = _PAGE.split("## What is supported")[1].split("\n## ")[0]
_ROWS = [re.split(r"(?<!\\)\|", line) for line in _SUPPORTED.splitlines() if line.startswith("|")][2:]
EXAMPLES = [text.replace("\\|", "|") for row in _ROWS for text in re.findall(r"`([^`]+)`", row[2])]
LISTED = {text.replace("\\|", "|") for row in _ROWS for text in re.findall(r"`([^`]+)`", row[1])}
