"""Levels that only the rows know: keys are chosen privately first, then a model is trained on those that were shown."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Final, TypeAlias

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.learn.features import ModelFeature, literal
from tacit.learn.model_kind import ModelFit
from tacit.learn.training_text import named_items, parsed_rows
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Bits
from tacit.query.engines.protocol import Session, Stage, add_up
from tacit.query.execution.noisy_table import in_group_order, integers, key_columns
from tacit.query.lowering.tally import TallyBlock
from tacit.query.plans.group_keys import KeyColumn, KeyRule
from tacit.query.plans.price import Price, noise_share
from tacit.query.sql.expressions.rule_registry import type_expression
from tacit.query.sql.from_clause import read_rows
from tacit.query.sql.rows import Rows
from tacit.schema.catalogue import Catalogue
from tacit.schema.kind import Key, Kind

FoundLevels: TypeAlias = Mapping[str, tuple[Key, ...]]
"""The values of columns by their names."""

KEYS_SHARE: Final = Fraction(1, 10)  # of the price, for all columns together
_MOST: Final = (500, 200, 100, 50, 20, 10)  # keys of a column, the first in their order
_KINDS: Final = (Kind.TEXT, Kind.INTEGER, Kind.DATE)


@frozen(eq=False)
class FoundLevelsFit:
    """A choice of keys for each of some columns, released first, and then the stages of a fit on them.

    Claim: all together are as `price` says, μ² outside an event of probability δ. Proof: each of m columns has a
    `KeyRule` with `KEYS_SHARE`/m of the price and δ/m, whose claims hold for the sums of its `TallyBlock`: outside the
    event neighbours show keys from the same list by noisy weights of the rule's norm. Levels are those keys, so that
    the fit on them is a plan that depends on an earlier release; it costs the rest of μ². Shares add up to 1, and so do
    the parts of δ, by a union bound. The number of stages is that of the fit on no keys: fixed before the first.
    """

    rows: Rows
    keys: tuple[KeyColumn, ...]
    make: Callable[[FoundLevels], ModelFit]
    most: int  # keys of one column: with so many the fit was planned before, and is not refused

    @property
    def chooses_keys(self) -> bool:
        return True

    def blocks_of(self, price: Price) -> list[TallyBlock]:
        """The weights of keys, column by column."""
        share, delta = KEYS_SHARE / len(self.keys), price.keys_delta / len(self.keys)
        noise = noise_share(price, share, self.relation)
        return [TallyBlock(self.rows, (key,), (), (), noise, KeyRule(noise, delta)) for key in self.keys]

    def stages(self, price: Price) -> tuple[Stage, ...]:
        """The choice of keys, then the stages of the fit."""
        rest = replace(price, strength=price.strength * (1 - KEYS_SHARE))

        def choose(session: Session, bits: Bits, _: Sequence[bytes]) -> bytes:
            found = [_shown(session, block, bits)[: self.most] for block in self.blocks_of(price)]
            features = zip(self.keys, found, strict=True)
            return json.dumps([ModelFeature(key.name, "", None, values).fields() for key, values in features]).encode()

        @lru_cache(maxsize=1)
        def later(chosen: bytes) -> tuple[Stage, ...]:
            features = map(ModelFeature.from_fields, json.loads(chosen))
            return self.make({each.name: each.values or () for each in features}).stages(rest)

        def stage(place: int) -> Stage:
            return lambda session, bits, released: later(released[0])[place](session, bits, released[1:])

        return choose, *[stage(place) for place in range(len(self._blank.stages(rest)))]

    @cached_property
    def _blank(self) -> ModelFit:
        """The fit without any of the keys."""
        return self.make({key.name: () for key in self.keys})

    @property
    def training(self) -> Any:
        return self._blank.training

    @property
    def relation(self) -> Relation:
        return self._blank.relation

    @property
    def unit(self) -> str:
        return self._blank.unit

    @property
    def rows_sql(self) -> str:
        return self._blank.rows_sql

    @property
    def notes(self) -> str:
        return f"{self._blank.notes} Levels of {', '.join(key.name for key in self.keys)} were chosen privately."

    @property
    def claims(self) -> tuple[str, ...]:
        return (*self._blank.claims, "keys that one person alone holds are levels with probability at most δ")

    @property
    def blocks(self) -> tuple[Mapping[str, str], ...]:
        chosen = {"counts": "people of each key", "noise": "rounded Gaussian", "share": str(KEYS_SHARE)}
        return chosen, *({**each, "share": f"{1 - KEYS_SHARE} of {each['share']}"} for each in self._blank.blocks)

    @property
    def digest(self) -> str:
        said = f"found {[key.name for key in self.keys]} {[key.sql for key in self.keys]} {self._blank.digest}"
        return hashlib.sha256(said.encode()).hexdigest()


def _shown(session: Session, block: TallyBlock, bits: Bits) -> tuple[Key, ...]:
    """The keys of one column that are shown; NULL, and keys that have no literal, stay among everything else."""
    table = add_up(session, block.sql(), where="w > 0")
    weights = integers(table, "w")
    (keys,) = key_columns(table, 1)
    order = in_group_order([keys, list(range(len(keys)))])
    places = [int(str(group[1])) for group in order]
    assert isinstance(block.rule, KeyRule)
    shown = block.rule.shown(weights[places], bits)
    found = (keys[place] for place, is_shown in zip(places, shown, strict=True) if is_shown)
    return tuple(key for key in found if key is not None and _has_literal(key))


def _has_literal(key: Key) -> bool:
    try:
        literal(key)
    except Refused:
        return False
    return True


def fit_on_levels(sql: str, private: str, catalogue: Catalogue, make: Callable[[FoundLevels], ModelFit]) -> ModelFit:
    """The fit of which some columns, by their names, have levels that are chosen privately."""
    names = [name.strip().lower() for name in private.split(",") if name.strip()]
    if not names:
        return make({})
    select = parsed_rows(sql)
    rows, items = read_rows(select, catalogue), named_items(select)
    keys = []
    for name in dict.fromkeys(names):
        if name not in items:
            raise Refused(f"private levels of {name}", "The SELECT names no such column.", ", ".join(items) + ".")
        typed = type_expression(items[name], rows)
        if typed.kind not in _KINDS:
            raise Refused(f"private levels of {name}", f"It is a {typed.kind}.", "texts, whole numbers, dates.")
        keys.append(KeyColumn(name, typed.sql, typed.kind, typed.scale, None))
    return FoundLevelsFit(rows, tuple(keys), make, _most_keys(keys, make))


def _most_keys(keys: Sequence[KeyColumn], make: Callable[[FoundLevels], ModelFit]) -> int:
    """The most keys of a column with which the fit can be planned, so that no refusal is left for after the charge.

    Fewer levels are refused nowhere, where more are not.
    """
    for most in _MOST:
        try:
            make({key.name: tuple(_some_key(key.kind, place) for place in range(most)) for key in keys})
        except Refused:
            if most == _MOST[-1]:
                raise
        else:
            return most
    raise AssertionError("there is a least number of keys")


def _some_key(kind: Kind, place: int) -> Key:
    """A key of this kind."""
    if kind is Kind.TEXT:
        return f"key {place}"
    return place if kind is Kind.INTEGER else date(2000, 1, 1) + timedelta(place)
