"""REGEXP_MATCHES, ~ and SIMILAR TO for a small language of patterns, written with functions of texts.

Engines have languages of their own, and some backtrack. A pattern here means the same on each, in time linear in the
text: without classes it is one LIKE for each alternative; with classes it is read from its first letter on, each
repetition taking all letters of its class, which is right because what follows cannot begin with one of them.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from typing import TypeAlias

from sqlglot import exp

from tacit.frozen import frozen
from tacit.query.sql.expressions.rule import Family, SqlFunction, Typer, composed, part
from tacit.query.sql.expressions.text_operands import fixed_text, text
from tacit.query.sql.values.refusal import refuse
from tacit.query.sql.values.storage import is_null, null_of, text_sql
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Kind

_MOST_CASES = 64
_MOST_STEPS = 24
_LONGEST = 200
_ACCEPTED = (
    "letters and digits, ^ and $, ., .* and .+, a|b, (a|b) of texts; and behind ^ also [a-z0-9], \\d and \\w, "
    "each perhaps with +, * or {3}, before something else."
)
_ESCAPED = {"d": string.digits, "w": string.ascii_letters + string.digits + "_"}
_RANGE = re.compile(r"([a-z])-([a-z])|([A-Z])-([A-Z])|([0-9])-([0-9])|\\(d|w)|\\?([ -~])")
_TOKEN = re.compile(r"\((?:\?:)?([^()]*)\)|\[([^\]\^][^\]]*)\]|\\(.)|([.%_])|(.)", re.DOTALL)
_TIMES = re.compile(r"([+*])|\{(\d{1,2})\}")
_SPECIAL = set("^$*+?{}[]()|\\")


@frozen
class Letters:
    """Letters of a class, or any (None), that occur in a row: once, or any number of times from `least` on."""

    of: str | None
    least: int = 1
    is_run: bool = False


Atom: TypeAlias = str | Letters | tuple[str, ...]


@frozen
class TextPattern:
    """A pattern: what it matches in a row, and whether it does so from the first letter, and up to the last."""

    atoms: tuple[Atom, ...]
    is_from_start: bool
    is_to_end: bool


def _alternatives(written: str) -> list[str]:
    """The pattern cut at each | that stands in no brackets."""
    found, depth = [""], 0
    for before, letter in pairwise(" " + written):
        depth += (letter in "([") - (letter in ")]") if before != "\\" else 0
        if letter == "|" and depth == 0 and before != "\\":
            found.append("")
        else:
            found[-1] += letter
    return found


def _pattern(node: exp.Expression, written: str, is_whole: bool) -> TextPattern:
    is_from_start, is_to_end = is_whole or written.startswith("^"), is_whole
    body = written.removeprefix("^")
    if body.endswith("$") and not body.endswith("\\$"):
        body, is_to_end = body.removesuffix("$"), True
    atoms: list[Atom] = []
    place = 0
    while place < len(body):
        token = _TOKEN.match(body, place)
        assert token is not None
        place = token.end()
        atom = _atom(node, token, is_whole)
        times = _TIMES.match(body, place)
        if times is not None:
            place = times.end()
            if not isinstance(atom, Letters) or atom.is_run:
                raise refuse(node, f"What {times[0]} repeats is no class of letters.", _ACCEPTED)
            atoms.extend(_repeated(atom, times))
        else:
            atoms.append(atom)
    return TextPattern(tuple(atoms), is_from_start, is_to_end)


def _repeated(atom: Letters, times: re.Match[str]) -> list[Letters]:
    if times[2] is not None:
        return [atom] * int(times[2])
    return [Letters(atom.of, 1 if times[1] == "+" else 0, is_run=True)]


def _atom(node: exp.Expression, token: re.Match[str], is_similar: bool) -> Atom:
    group, letters, escaped, sign, plain = token.groups()
    if group is not None:
        words = tuple(group.split("|"))
        if any(_SPECIAL & {*word} or "." in word for word in words):
            raise refuse(node, "Brackets hold texts.", _ACCEPTED)
        return words
    if letters is not None:
        return Letters(_class(node, letters))
    if escaped is not None:
        if escaped.isalnum() and escaped not in _ESCAPED:
            raise refuse(node, f"\\{escaped} has no meaning here.", _ACCEPTED)
        return Letters(_ESCAPED[escaped]) if escaped in _ESCAPED else str(escaped)
    if sign == "." or (sign == "_" and is_similar):
        return Letters(None)
    if sign == "%" and is_similar:
        return Letters(None, 0, is_run=True)
    letter = str(sign or plain)
    if letter in _SPECIAL:
        raise refuse(node, f"{letter} stands where it has no meaning here.", _ACCEPTED)
    return letter


def _class(node: exp.Expression, written: str) -> str:
    """The letters of a class; all are ASCII."""
    found, place = "", 0
    while place < len(written):
        match = _RANGE.match(written, place)
        if match is None:
            raise refuse(node, "A class has letters and digits of ASCII.", _ACCEPTED)
        ends = [end for end in match.groups()[:6] if end is not None]
        if ends:
            found += "".join(map(chr, range(ord(ends[0]), ord(ends[1]) + 1)))
        else:
            found += _ESCAPED[match[7]] if match[7] else str(match[8])
        place = match.end()
    if not found:
        raise refuse(node, "A class without letters matches nothing.", _ACCEPTED)
    return "".join(dict.fromkeys(found))


def _cases(pattern: TextPattern) -> Iterator[TextPattern]:
    """The pattern for each choice among the texts in brackets, with letters in a row joined."""
    choices = [atom if isinstance(atom, tuple) else (atom,) for atom in pattern.atoms]
    for chosen in product(*choices):
        joined: list[str | Letters] = []
        for atom in chosen:
            if isinstance(atom, str) and joined and isinstance(joined[-1], str):
                joined[-1] += atom
            else:
                joined.append(atom)
        kept = tuple(atom for atom in joined if atom != "")
        yield TextPattern(kept, pattern.is_from_start, pattern.is_to_end)


def _liked(pattern: TextPattern) -> str:
    """A pattern without classes, as LIKE."""
    said = ["" if pattern.is_from_start else "%"]
    for atom in pattern.atoms:
        if isinstance(atom, Letters):
            said.append("_" * atom.least + ("%" if atom.is_run else ""))
        elif isinstance(atom, str):
            said.append(re.sub("[%_!]", lambda sign: f"!{sign[0]}", atom))
    said.append("" if pattern.is_to_end else "%")
    written = re.sub(r"(?<!!)%%+", "%", "".join(said))
    return f"x LIKE {text_sql(written)}" + (" ESCAPE '!'" if "!" in written else "")


def _walked(node: exp.Expression, pattern: TextPattern) -> str:
    """A pattern with classes, read from its first letter: a test for each step, and the text that is left."""
    atoms = pattern.atoms
    if not pattern.is_from_start:
        if len(atoms) == 1 and isinstance(atoms[0], Letters) and atoms[0].of and not pattern.is_to_end:
            return (
                " OR ".join(f"CONTAINS(x, {text_sql(letter)})" for letter in atoms[0].of) if atoms[0].least else "x = x"
            )
        raise refuse(node, "A class of letters is sought anywhere in the text.", f"^ before it; {_ACCEPTED}")
    tests, rest = [], "x"
    for place, atom in enumerate(atoms):
        if isinstance(atom, Letters) and atom.is_run:
            if atom.of is None:
                raise refuse(node, "It has both .* and a class of letters.", _ACCEPTED)
            if any(_may_begin(after, atom.of) for after in _next(atoms[place + 1 :])):
                raise refuse(node, "What follows a repetition may begin with a letter of it.", _ACCEPTED)
            left = f"LTRIM({rest}, {text_sql(atom.of)})"
            tests += [f"LENGTH({left}) < LENGTH({rest})"] if atom.least else []
            rest = left
        elif isinstance(atom, Letters):
            first = "" if atom.of is None else f" AND LTRIM(LEFT({rest}, 1), {text_sql(atom.of)}) = ''"
            tests.append(f"{rest} <> ''{first}")
            rest = f"SUBSTRING({rest}, 2)"
        else:
            tests.append(f"STARTS_WITH({rest}, {text_sql(str(atom))})")
            rest = f"SUBSTRING({rest}, {len(atom) + 1})"
    tests += [f"{rest} = ''"] if pattern.is_to_end else []
    return " AND ".join(tests or ["x = x"])


def _next(atoms: Sequence[Atom]) -> Iterator[Atom]:
    """What may come first of these: up to the first that is not optional."""
    for atom in atoms:
        yield atom
        if not (isinstance(atom, Letters) and not atom.least):
            return


def _may_begin(atom: Atom, letters: str) -> bool:
    if isinstance(atom, Letters):
        return atom.of is None or bool({*atom.of} & {*letters})
    return str(atom)[0] in letters


def _has_class(pattern: TextPattern) -> bool:
    return any(isinstance(atom, Letters) and atom.of is not None for atom in pattern.atoms)


def _match(node: exp.Expression, typer: Typer) -> Typed:
    """Whether the pattern is found in the text, or for SIMILAR TO whether it is the whole text; NULL for NULL."""
    if node.args.get("flag") is not None or node.args.get("full_match"):
        raise refuse(node, "Its options have no meaning here.", "LOWER(x) in its place; REGEXP_MATCHES(x, '^ab').")
    is_whole = isinstance(node, exp.SimilarTo)
    value = text(part(node), typer)
    written = fixed_text(part(node, "expression"), typer, "The pattern")
    if not 0 < len(written) <= _LONGEST:
        raise refuse(node, f"The pattern is empty, or longer than {_LONGEST} letters.", _ACCEPTED)
    cases = [case for each in _alternatives(written) for case in _cases(_pattern(node, each, is_whole))]
    if not (len(cases) <= _MOST_CASES and all(len(case.atoms) <= _MOST_STEPS for case in cases)):
        raise refuse(node, "It has too many alternatives, or parts.", f"at most {_MOST_CASES} and {_MOST_STEPS}.")
    forms = [_walked(node, case) if _has_class(case) else _liked(case) for case in cases]
    if is_null(value):
        return null_of(Kind.BOOLEAN)
    return composed(" OR ".join(f"({form})" for form in forms), typer, x=value)


EXPRESSIONS = Family.of(
    "regular expressions",
    SqlFunction(("REGEXP_MATCHES", "SIMILAR TO", "~"), _match, (exp.RegexpLike, exp.SimilarTo)),
)
