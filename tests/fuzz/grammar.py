"""Random SQL expressions: templates filled to a depth, their operands cut by the query itself to awkward ranges."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from random import Random

from tests.fuzz import awkward, awkward_texts
from tests.fuzz.block import Block, Value
from tests.fuzz.literals import literal
from tests.fuzz.templates import TEMPLATES, WORDS

_HOLE = re.compile(r"{([^}]+)}")
_KINDS = "ifntpasd"
_CUTS = (
    "LEAST(GREATEST({0}, {1}), {2})",
    "GREATEST(LEAST({0}, {2}), {1})",
    "GREATEST({0}, {1})",
    "LEAST({0}, {1})",
)


@dataclass(frozen=True)
class Grammar:
    """Fills templates over the columns of one block."""

    block: Block
    random: Random

    def expression(self, kind: str | None = None, depth: int | None = None) -> str:
        """A random expression, one to four deep."""
        chosen = kind or self.random.choice("iifnnnnttpppaasss")
        return self._made(chosen, depth or self.random.choice((1, 1, 2, 2, 2, 3, 3, 4)))

    def _made(self, kind: str, depth: int) -> str:
        if kind == "d":
            kind = self.random.choice("as")
        if depth == 0:
            return self._leaf(kind)
        if kind == "n" and self.random.random() < 0.2:
            kind = "i"
        return self.filled(self.random.choice(TEMPLATES[kind]), depth)

    def filled(self, template: str, depth: int = 1) -> str:
        """The template with its holes filled: one to the full depth, the others often less."""
        holes = [hole for hole in _HOLE.findall(template) if hole in _KINDS]
        deep = self.random.randrange(len(holes)) if holes else 0
        place = -1

        def fill(match: re.Match[str]) -> str:
            nonlocal place
            hole = match[1]
            if hole.startswith("="):
                return self._literal(hole[1:])
            if hole not in _KINDS:
                return self._word(hole)
            place += 1
            own = depth - 1 if place == deep else self.random.choice((0, 0, self.random.randrange(depth)))
            return self._made(hole, own)

        return _HOLE.sub(fill, template)

    def _word(self, name: str) -> str:
        if name == "LIMITS":
            first, last = self._literal("n"), self._literal("n")
            return f"{first}, {last}"
        return self.random.choice(WORDS[name])

    def _leaf(self, kind: str) -> str:
        """A column, often cut by the query itself; a choice between literals; or a literal."""
        chance = self.random.random()
        if kind == "p":
            return self.random.choice(self.block.names("p")) if chance < 0.3 else self._test()
        name = self.random.choice(self.block.names(kind))
        if chance < 0.25:
            return name
        if chance < 0.6 and kind != "t":
            return self.random.choice(_CUTS).format(name, self._value(name), self._value(name))
        if chance < 0.85:
            first, second, third = (self._literal(kind) for _ in range(3))
            tests = self._leaf("p"), self._leaf("p")
            if self.random.random() < 0.3:
                return f"CASE WHEN {tests[0]} THEN {first} END"
            return f"CASE WHEN {tests[0]} THEN {first} WHEN {tests[1]} THEN {second} ELSE {third} END"
        return self._literal(kind)

    def _test(self) -> str:
        """A comparison with a value of the column's own, or with one that statistics may say it never has."""
        kind = self.random.choice("nas")
        name = self.random.choice(self.block.names(kind))
        value = self._value(name) if self.random.random() < 0.5 else self._literal(kind)
        return f"({name} {self.random.choice('<>=')} {value})"

    def _value(self, name: str) -> str:
        """A value of the column as a literal; where none can be written, one of its kind."""
        kind = next(kind for kind in "ifntpas" if name in self.block.names(kind))
        for value in self.random.choices(self.block.values.get(name, [None]), k=4):
            written = literal(value, self.random) if isinstance(value, str) == (kind == "t") else None
            if written is not None:
                return written
        return literal(_DRAWN[kind](self.random), self.random) or "NULL"

    def _literal(self, kind: str) -> str:
        if kind == "d":
            kind = self.random.choice("as")
        chance = self.random.random()
        if chance < 0.6:
            return self._value(self.random.choice(self.block.names(kind)))
        return "NULL" if chance < 0.63 else literal(_DRAWN[kind](self.random), self.random) or "NULL"


def _limit(random: Random) -> Decimal:
    """The largest number of some DECIMAL(width, scale), or its neighbour."""
    width = random.randint(1, 28)
    most = random.choice((1, -1)) * (10**width + random.choice((-1, 0, 1)))
    return Decimal(most).scaleb(-random.randint(0, min(9, width)))


_DRAWN: dict[str, Callable[[Random], Value]] = {
    "i": lambda random: random.choice((random.randint(-9, 9), random.choice(awkward.INTEGERS))),
    "f": awkward.near,
    "n": lambda random: random.choice((awkward.near(random), _limit(random), random.randint(-9, 9))),
    "t": lambda random: random.choice(awkward_texts.texts(random)),
    "p": lambda random: random.random() < 0.5,
    "a": lambda random: random.choice(awkward.MOMENTS).date(),
    "s": lambda random: random.choice(awkward.MOMENTS),
}
"""Values of each kind that have nothing to do with the rows."""
