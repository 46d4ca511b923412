"""Names and texts as a TOML file writes them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def quoted(text: str) -> str:
    """A text between quotation marks, with every character that may not stand there escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def key_text(name: str) -> str:
    """A name as a key: bare where that is allowed, else quoted."""
    return name if _BARE.fullmatch(name) else quoted(name)


def dotted(parts: Sequence[str]) -> str:
    """The place of a value in a file, such as `tables.visits.columns.age.max`."""
    return ".".join(key_text(part) for part in parts)
