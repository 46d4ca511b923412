"""The two ways Tacit says no: `Refused` before data is touched, `Failed` after."""

from __future__ import annotations

from typing import ClassVar

from tacit.printable import printable, printable_lines


class Refused(ValueError):  # noqa: N818  (a refusal is an answer, not an error)
    """A request turned down before any data was read; nothing was spent.

    It says what was asked, why not, and what would be accepted, in printable characters, since it quotes what people
    typed. It never carries a data value.
    """

    has_lines: ClassVar[bool] = False  # of its own; else a line break is part of what somebody typed

    def __init__(self, asked: str, why: str, accepted: str) -> None:
        super().__init__(asked, why, accepted)
        shown = printable_lines if self.has_lines else printable
        self.asked, self.why, self.accepted = shown(asked), shown(why), shown(accepted)

    def __str__(self) -> str:
        end = "" if self.asked.endswith("\n") else ". "  # an expression with a mark under it has its own lines
        return f"Refused: {self.asked}{end}{self.why} Accepted: {self.accepted}"


class Failed(RuntimeError):  # noqa: N818  (as above)
    """Something broke after data was touched. The message is constant, so it cannot betray a person."""

    def __init__(self) -> None:
        super().__init__("The release failed after it was charged; nothing was released.")
