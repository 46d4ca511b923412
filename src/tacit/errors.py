"""The two errors of Tacit: `Refused` before data is read, `Failed` after."""

from __future__ import annotations

from typing import ClassVar

from tacit.printable import printable, printable_lines


class Refused(ValueError):  # noqa: N818  (a refusal is an answer, not an error)
    """A request turned down before any data was read; nothing was spent.

    The message says what was asked, why it is refused, and what would be accepted. It quotes user input, so it is
    written in printable characters. It never contains a data value.
    """

    # whether the text has line breaks of its own; otherwise a line break is part of the user's input
    has_lines: ClassVar[bool] = False

    def __init__(self, asked: str, why: str, accepted: str) -> None:
        super().__init__(asked, why, accepted)
        shown = printable_lines if self.has_lines else printable
        self.asked, self.why, self.accepted = shown(asked), shown(why), shown(accepted)

    def __str__(self) -> str:
        end = "" if self.asked.endswith("\n") else ". "  # an expression with a mark under it has its own lines
        return f"Refused: {self.asked}{end}{self.why} Accepted: {self.accepted}"


class RefusedText(Refused):
    """The refusal of a text, shown with a mark under the place that is meant."""

    has_lines = True


def pointing(text: str, place: int, why: str, accepted: str) -> Refused:
    """A refusal that shows a line of text with a mark under one character."""
    column = len(text[: max(place, 0)].expandtabs())
    return RefusedText(f"\n  {text}\n  {' ' * column}^\n", why, accepted)


class Failed(RuntimeError):  # noqa: N818  (as above)
    """An error after data was read. The message is constant, so it reveals nothing about the data."""

    def __init__(self) -> None:
        super().__init__("The release failed after it was charged; nothing was released.")
