"""Texts as operands of functions, arguments that must be literals, and texts that are changed letter by letter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from tacit.query.sql.expressions.rule import Typer
from tacit.query.sql.values.domains import mapped
from tacit.query.sql.values.refusal import refuse
from tacit.query.sql.values.storage import is_null, null_of
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Kind

_LAST = 2**32 - 1  # position


def text(node: exp.Expression, typer: Typer) -> Typed:
    """The expression; refused unless it is a text."""
    value = typer(node)
    if is_null(value):
        return null_of(Kind.TEXT)
    if value.kind is not Kind.TEXT:
        raise refuse(node, f"A text is wanted here; this is {value.kind}.", "CAST(… AS VARCHAR) around it.")
    return value


def fixed_text(node: exp.Expression, typer: Typer, what: str) -> str:
    """The text of a literal."""
    value = text(node, typer)
    if not (value.is_constant and value.keys):
        raise refuse(node, f"{what} must be a literal.", "a quoted text such as 'abc'.")
    return str(value.keys[0])


def fixed_number(node: exp.Expression, typer: Typer, least: int, accepted: str) -> int:
    """The integer of a literal."""
    value = typer(node)
    if not (value.is_constant and value.kind is Kind.INTEGER and value.keys):
        raise refuse(node, "Positions and lengths must be literals.", accepted)
    number = int(str(value.keys[0]))
    if not least <= number <= _LAST:
        raise refuse(node, f"It must be at least {least}.", accepted)
    return number


def changed(
    value: Typed, sql: str, function: Callable[[str], str], only_ascii: bool = False, longest: int | None = None
) -> Typed:
    """A text that is not longer than its operand, and has at most `longest` letters if that is given.

    Its keys are computed here where the engine certainly computes the same.
    """
    keys = None
    if value.keys is not None and not (only_ascii and not all(str(key).isascii() for key in value.keys)):
        keys = mapped(value, lambda key: function(str(key)))
    is_constant = value.is_constant and keys is not None
    most = value.longest if longest is None else min(longest, value.longest)
    return replace(value, sql=sql, keys=keys, is_constant=is_constant, longest=most)
