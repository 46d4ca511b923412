"""A text that needs its operands several times."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tacit.query.dialects.piece import Piece

_SHORT = 80  # letters that may stand several times


def once(operands: Sequence[Piece], text: Callable[..., str]) -> str:
    """The text over names of the operands, each evaluated once; over the operands themselves where they are short.

    A planner calculates what is fixed beforehand, the parts of a CASE that no row would reach included: so a fixed
    operand is given a name too, unless all are. OFFSET 0 keeps the planner from putting operands back in place of their
    names. COUNT(*) would count the row in there.
    """
    is_mixed = any(piece.fixed for piece in operands) and not all(piece.fixed for piece in operands)
    is_short = all(len(piece.sql) <= _SHORT for piece in operands) and not is_mixed
    if is_short or any("COUNT(*)" in piece.sql for piece in operands):
        return text(*(piece.sql for piece in operands))
    names = [f"a{place}" for place in range(len(operands))]
    listed = ", ".join(f"{piece.sql} AS {name}" for piece, name in zip(operands, names, strict=True))
    inner = text(*(f'"__once".{name}' for name in names))
    return f'(SELECT {inner} FROM (SELECT {listed} OFFSET 0) AS "__once")'
