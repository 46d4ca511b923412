"""Releases as people write them: `gaussian(sigma=1.1, q=256/60000) x 14100`.

The grammar is closed: a name, named numbers in brackets, and perhaps how many times. Python's own parser
reads the call; nothing is evaluated.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping
from fractions import Fraction

from tacit.errors import Refused
from tacit.exact import exact, whole
from tacit.frozen import frozen

_TIMES = re.compile(r"(?P<call>.*\))(?P<gap>\s*(?:[x×*]\s*)(?P<times>\S.*?)?)?\s*", re.DOTALL)
_FORM = "name(parameter=number, …) x times, as in gaussian(sigma=1.1, q=256/60000) x 14100."


@frozen
class Term:
    """One release as written: its family, its parameters exactly, how many times (None if not said), and the text."""

    family: str
    arguments: Mapping[str, Fraction]
    times: int | None
    text: str

    def refusal(self, name: str, why: str, accepted: str) -> Refused:
        """A refusal that points at a parameter, or at the family where there is no such parameter."""
        found = re.search(rf"\b{re.escape(name)}\s*=", self.text)
        return pointing(self.text, found.start() if found else self.text.find(self.family), why, accepted)


def parse(text: str) -> Term:
    """Read one release; what cannot be read is refused with a mark under the character."""
    found = _TIMES.fullmatch(text)
    if found is None:
        raise pointing(text, len(text.rstrip()), "A release is a name with brackets.", _FORM)
    call = found["call"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        try:
            node = ast.parse(call.lstrip(), mode="eval").body
        except (SyntaxError, ValueError) as error:
            column = (getattr(error, "offset", None) or 1) - 1
            raise pointing(text, _shift(call) + column, "This cannot be read.", _FORM) from None
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        raise pointing(text, _shift(call), "A release is a name with brackets.", _FORM)
    if node.args:
        raise pointing(text, _shift(call) + node.args[0].col_offset, "This number has no name.", _FORM)
    arguments: dict[str, Fraction] = {}
    for keyword in node.keywords:
        place = _shift(call) + keyword.col_offset
        if keyword.arg is None or keyword.arg in arguments:
            raise pointing(text, place, "Each parameter has a name and comes once.", _FORM)
        arguments[keyword.arg] = _number(text, call, keyword.value, keyword.arg)
    return Term(node.func.id, arguments, _times(text, found), text)


class RefusedExpression(Refused):
    """The refusal of an expression, shown with a mark under the place that is meant."""

    has_lines = True


def pointing(text: str, place: int, why: str, accepted: str) -> Refused:
    """A refusal that shows the text with a mark under one character."""
    column = len(text[: max(place, 0)].expandtabs())
    return RefusedExpression(f"\n  {text}\n  {' ' * column}^\n", why, accepted)


def _shift(call: str) -> int:
    return len(call) - len(call.lstrip())


def _number(text: str, call: str, node: ast.expr, name: str) -> Fraction:
    written = ast.get_source_segment(call.lstrip(), node) or ""
    try:
        return exact(re.sub(r"[\s_]", "", written), name)
    except Refused as refused:
        raise pointing(text, _shift(call) + node.col_offset, refused.why, f"{name} = {refused.accepted}") from None


def _times(text: str, found: re.Match[str]) -> int | None:
    if found["gap"] is None:
        return None
    written = re.sub(r"[,_\s]", "", found["times"] or "")
    try:
        return whole(int(written), "times", least=1)
    except (ValueError, Refused):
        place = found.start("times") if found["times"] else len(text)
        raise pointing(text, place, "How many times is a whole number.", "x 1 or more, as in x 1000.") from None
