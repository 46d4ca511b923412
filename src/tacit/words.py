"""Paragraphs at a width, in which what belongs together stays on one line."""

from __future__ import annotations

import re
from textwrap import fill

_GLUE = "\u00a0"
_TOGETHER = re.compile(r"[εδρ] = |[ερδ] (?=\d)|± (?=\d)| of (?=\d)")


def folded(text: str, width: int, indent: str = "") -> str:
    """A paragraph at a width; what belongs together, such as ± 5 and ε = 1, stays on one line."""
    glued = _TOGETHER.sub(lambda found: found[0].replace(" ", _GLUE), text)
    lines = fill(glued, width, initial_indent=indent, subsequent_indent=indent, break_long_words=False)
    return lines.replace(_GLUE, " ")
