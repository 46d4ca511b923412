"""Escape text for display: characters that a terminal, a log or a browser would interpret or hide are written out.

Names, aliases, comments and keys are user input. An escape sequence in one could clear a screen, a
character that turns the direction of writing could make one name look like another, and a line break could forge a line
of a log. Python's `isprintable` is false for all of these: controls (C0, DEL, C1), format characters (bidirectional
overrides and isolates, zero-width ones), line and paragraph separators, every space but the plain one, lone surrogates,
and what is not assigned.
"""

from __future__ import annotations


def printable(text: str) -> str:
    """One line: every character that cannot be printed as itself is written as Python writes it, such as \\x1b."""
    if text.isprintable():
        return text
    return "".join(mark if mark.isprintable() else mark.encode("unicode_escape").decode() for mark in text)


def printable_lines(text: str) -> str:
    """Escape each line, for a text whose line breaks Tacit wrote itself."""
    return text if text.isprintable() else "\n".join(map(printable, text.split("\n")))


def printable_json(text: str) -> str:
    """Equivalent JSON in printable characters; other characters occur only within its strings."""
    return "\n".join("".join(map(_in_json, line)) for line in text.split("\n"))


def _in_json(mark: str) -> str:
    if mark.isprintable():
        return mark
    code = ord(mark)
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\u{0xD800 + (code - 0x10000 >> 10):04x}\\u{0xDC00 + (code - 0x10000 & 0x3FF):04x}"
