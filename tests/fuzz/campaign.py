"""A campaign: expressions by the thousand over dense rows, on one engine or several, and everything that they broke."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Protocol

import sqlglot
from sqlglot import exp
from tests.fuzz.block import Block, make_block
from tests.fuzz.grammar import Grammar
from tests.fuzz.law import exact, fault

from tacit.errors import Failed, Refused
from tacit.query.sql.expressions import Scope, type_expression
from tacit.query.sql.values.typed import Typed

BLOCKS = 24
BATCH = 40
_APPROXIMATE = (exp.Cbrt, exp.Ln, exp.Log, exp.Exp, exp.Pow)


@dataclass(frozen=True)
class Sample:
    """An expression that was accepted over the columns of a block."""

    text: str
    typed: Typed
    block: Block


class Holder(Protocol):
    """A holder of the tables of blocks."""

    @property
    def name(self) -> str: ...

    def has_words_for(self, item: Typed, block: Block) -> bool: ...

    def columns(self, items: Sequence[Typed], block: Block) -> list[list[object]]: ...


@dataclass(frozen=True)
class Finding:
    """What an expression did on an engine although it claims that it cannot: the smallest part that does it, first."""

    engine: str
    text: str
    what: str
    typed: Typed
    within: str
    at: int  # how many expressions the campaign had made

    def __str__(self) -> str:
        bounds = f"[{self.typed.low}, {self.typed.high}]{'' if self.typed.nullable else ' NOT NULL'}"
        return f"{self.engine}: {self.text}: {self.what}; believed {self.typed.kind} {bounds}; within {self.within}"


def _is_approximate(text: str, holder: Holder) -> bool:
    """It has a power or a logarithm: Java's mathematics is not C's, and both may be off by a last bit."""
    return holder.name == "spark" and any(sqlglot.parse_one(text, dialect="duckdb").find_all(*_APPROXIMATE))


def rule_of(node: exp.Expression) -> str:
    """The name of a node in the registry."""
    return node.name.lower() if isinstance(node, exp.Anonymous) else type(node).__name__


@dataclass
class Campaign:
    """Blocks of rows, drawn from a seed, and what was seen of expressions over them."""

    seed: int
    blocks: list[Block]
    findings: list[Finding] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, seed: int, blocks: int = BLOCKS) -> Campaign:
        return cls(seed, [make_block(f"d{number}", Random(f"{seed} {number}")) for number in range(blocks)])

    def batches(self, count: int, together: int = BATCH) -> Iterator[list[Sample]]:
        """So many accepted expressions, each batch over one block and for one statement."""
        random, left = Random(self.seed), count
        while left:
            for block in self.blocks:
                scope, grammar = block.scope, Grammar(block, random)
                batch: list[Sample] = []
                while len(batch) < min(together, left):
                    text = grammar.expression()
                    typed = self._accepted(sqlglot.parse_one(text, dialect="duckdb"), scope)
                    if typed is not None:
                        batch.append(Sample(text, typed, block))
                left -= len(batch)
                if batch:
                    yield batch

    def _accepted(self, tree: exp.Expression, scope: Scope) -> Typed | None:
        try:
            typed = type_expression(tree, scope)
        except Refused:
            self.seen["refused"] += 1
            return None
        self.seen["accepted"] += 1
        self.rules.update(map(rule_of, tree.walk()))
        return typed

    def check(self, batch: Sequence[Sample], engines: Sequence[Holder]) -> None:
        """The law on each engine, and the values of the first on all."""
        first: dict[int, list[object]] = {}
        for holder in engines:
            sayable = [place for place, sample in enumerate(batch) if holder.has_words_for(sample.typed, sample.block)]
            found = self._columns(holder, batch, sayable)
            self.seen[f"refused by {holder.name}"] += len(batch) - len(sayable)
            self.seen[f"run on {holder.name}"] += len(found)
            for place, column in found.items():
                sample = batch[place]
                held = exact(column, sample.typed)
                what = fault(sample.typed, column)
                if what is not None:
                    self._blame(holder, sample, what, None)
                elif first.setdefault(place, held) != held and not _is_approximate(sample.text, holder):
                    self._blame(holder, sample, "another value", engines[0])

    def _columns(self, holder: Holder, batch: Sequence[Sample], places: Sequence[int]) -> dict[int, list[object]]:
        """The columns of a batch; a statement that fails is halved until it has one expression."""
        if not places:
            return {}
        try:
            columns = holder.columns([batch[place].typed for place in places], batch[0].block)
        except Failed:
            if len(places) == 1:
                self._blame(holder, batch[places[0]], "fails", None)
                return {}
            half = len(places) // 2
            return self._columns(holder, batch, places[:half]) | self._columns(holder, batch, places[half:])
        return dict(zip(places, columns, strict=True))

    def _blame(self, holder: Holder, sample: Sample, what: str, other: Holder | None) -> None:
        """A finding: of the smallest part that does it by itself, if one does."""
        tree = sqlglot.parse_one(sample.text, dialect="duckdb")
        parts = sorted(tree.find_all(exp.Condition), key=lambda node: sum(1 for _ in node.walk()))
        for node in parts:
            if isinstance(node, (exp.Literal, exp.Column)) or isinstance(node.parent, exp.Interval):
                continue
            try:
                part = replace(sample, typed=type_expression(node, sample.block.scope))
            except Refused:
                continue
            own = _broken(holder, part, other)
            if own is not None:
                self._find(holder, node.sql("duckdb"), own, part)
                return
        self._find(holder, sample.text, what, sample)

    def _find(self, holder: Holder, text: str, what: str, sample: Sample) -> None:
        found = Finding(holder.name, text, what, sample.typed, sample.text, self.seen["accepted"])
        self.findings.append(found)


def _broken(holder: Holder, sample: Sample, other: Holder | None) -> str | None:
    try:
        (column,) = holder.columns([sample.typed], sample.block)
    except Failed:
        return "fails"
    if (what := fault(sample.typed, column)) is not None or other is None:
        return what
    (first,) = other.columns([sample.typed], sample.block)
    pairs = zip(exact(first, sample.typed), exact(column, sample.typed), strict=True)
    pair = next((pair for pair in pairs if pair[0] != pair[1]), None)
    return None if pair is None else f"{str(pair[1])[:80]} where {other.name} has {str(pair[0])[:80]}"
