"""Writing the output of a command to a file that its user named."""

from __future__ import annotations

from pathlib import Path

from tacit.errors import Refused


def save(path: Path, text: str) -> None:
    """Write the text; refused with the reason where that fails."""
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise Refused(f"writing to {path}", f"{error.strerror}.", "a file that can be written.") from None
