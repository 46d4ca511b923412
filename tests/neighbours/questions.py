"""Random questions: expressions of the fuzzers' grammar in every clause, over every kind of relation.

Every relation has the columns of the grammar, for any origin: a table, a foreign-key table, a join, a
sub-query, or totals of each person; so that one grammar asks about all of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from random import Random

import sqlglot
from tests.fuzz.block import PHYSICAL, Block
from tests.fuzz.grammar import Grammar
from tests.fuzz.literals import literal

from tacit.errors import Refused
from tacit.query.sql.expressions import type_expression
from tacit.query.sql.values.storage import time_of
from tacit.schema.kind import Kind

_KIND = {"BIGINT": "i", "DOUBLE": "n", "VARCHAR": "t", "BOOLEAN": "p", "DATE": "a", "TIMESTAMP": "s"}
_QUOTED = re.compile(r"('(?:[^']|'')*')")
_NAME = re.compile(r"\b[a-z]\b")
_JOINS = (
    ("visits AS v {side}JOIN items AS w ON v.visit = w.visit", "items"),
    ("visits AS v {side}JOIN people AS w ON v.pid = w.who", "people"),
    ("items AS v {side}JOIN people AS w ON v.pid = w.who", "people"),
    ("visits AS v {side}JOIN visits AS w ON v.pid = w.pid AND v.visit = w.visit", "visits"),
    ("items AS w, main.visits AS v WHERE v.visit = w.visit", "items"),
    ("people AS w CROSS JOIN visits AS v, wards AS u WHERE u.j = v.j AND w.who = v.pid", "people"),
)
_PUBLIC = (
    "visits AS v {side}JOIN wards AS w ON v.j = w.j",
    "visits AS v {side}JOIN wards AS w ON v.j = w.j",
    "wards AS w, visits AS v WHERE v.j = w.j AND v.j < 5",
    "wards AS u, wards AS w, visits AS v WHERE (v.j = w.j AND u.j = v.j AND u.x > 0) OR (v.j = w.j AND u.j = v.j)",
)
_OF_WARDS = "jxtp"


@dataclass(frozen=True)
class Questions:
    """Random questions about the tables of a population."""

    block: Block
    random: Random
    by_row: bool
    may_choose_keys: bool
    search: float = 0.35  # of the questions

    def ask(self) -> str:
        """A query; every third one searches for an expression that leaves its bounds."""
        if self.random.random() < self.search:
            return self._searching()
        origin, person = self._origin()
        keys = [self._key() for _ in range(self.random.choice((0, 0, 1, 1, 2)))]
        calls = [self._call(person) for _ in range(self.random.choice((1, 1, 2, 3)))]
        where = f" WHERE {self._made('p')}" if self.random.random() < 0.4 else ""
        group = f" GROUP BY {', '.join(keys)}" if keys else ""
        having = f" HAVING COUNT(*) > {self.random.choice((-9, 0, 2))}" if self.random.random() < 0.1 else ""
        return f"SELECT {', '.join([*keys, *calls])} FROM {origin}{where}{group}{having}"

    def _searching(self) -> str:
        """Many sums at once, of people who are one row each: there no total is cut."""
        origin = self._table() if self.by_row else self._each()
        beyond = [
            self._beyond(self._made(self.random.choice("innasss"), self.random.choice((1, 1, 2)))) for _ in range(40)
        ]
        calls = [f"{self.random.choice(('SUM', 'SUM', 'MEDIAN'))}({sql})" for sql in beyond if sql is not None]
        return f"SELECT {', '.join(calls[:16] or ['COUNT(*)'])} FROM {origin}"

    def _made(self, kind: str, depth: int | None = None) -> str:
        return Grammar(self.block, self.random).expression(kind, depth or self.random.choice((1, 1, 2, 2, 3)))

    def _origin(self) -> tuple[str, str | None]:
        """FROM, and the identifier's name in it."""
        if self.by_row:
            form = self.random.choice((self._table, self._projected, self._public))
            return form(), None
        form = self.random.choice(
            (self._table, self._projected, self._public, self._joined, self._joined, self._each, self._each, self._each)
        )
        if form == self._projected and self.random.random() < 0.7:
            return self._beside(), "pid"
        return form(), "pid"

    def _beside(self) -> str:
        """Rows that are kept by other rows of the same person, or by public rows."""
        test = f" AND {self._qualified(self._made('p', 1))}" if self.random.random() < 0.5 else ""
        negated, table = self.random.choice(("", "NOT ")), self.random.choice(("visits", "items"))
        key = self.random.choice("ijntpas")
        beside = self.random.choice(
            (
                f"{negated}EXISTS (SELECT 1 FROM {table} AS w WHERE w.visit = v.visit{test})",
                f"{negated}EXISTS (SELECT 1 FROM visits AS w WHERE w.pid = v.pid AND w.{key} > v.{key}{test})",
                f"v.{key} {negated}IN (SELECT w.{key} FROM {table} AS w WHERE w.pid = v.pid)",
                f"v.pid {negated}IN (SELECT who FROM people AS w WHERE {self._made('p', 1)})",
                f"v.j {negated}IN (SELECT j FROM wards WHERE x > 0)",
            )
        )
        listed = ", ".join([*self._pid("v."), *(f"v.{name} AS {name}" for name in PHYSICAL)])
        order = ", ".join(f"v.{self.random.choice('ijntpas')}{self.random.choice((' DESC', ''))}" for _ in range(2))
        number = f" QUALIFY ROW_NUMBER() OVER (PARTITION BY v.pid ORDER BY {order}) <= 2"
        last = number if self.random.random() < 0.4 else ""
        return f"(SELECT {listed} FROM visits AS v WHERE {beside}{last}) AS s"

    def _table(self) -> str:
        return "visits" if self.by_row else self.random.choice(("visits", "visits", "items"))

    def _pid(self, prefix: str = "") -> list[str]:
        return [] if self.by_row else [f"{prefix}pid AS pid"]

    def _projected(self) -> str:
        """A sub-query, some of whose columns are computed."""
        listed = [self._column(name) for name in PHYSICAL]
        where = f" WHERE {self._made('p')}" if self.random.random() < 0.5 else ""
        return f"(SELECT {', '.join([*self._pid(), *listed])} FROM {self._table()}{where}) AS s"

    def _column(self, name: str) -> str:
        if self.random.random() < 0.8:
            return name
        return f"{self._made(_kind(name), 1)} AS {name}"

    def _public(self) -> str:
        return self._mixed(self.random.choice(_PUBLIC).format(side=self._side()), _OF_WARDS)

    def _joined(self) -> str:
        origin, _ = self.random.choice(_JOINS)
        more = f" AND {self._qualified(self._made('p', 1))}" if self.random.random() < 0.4 else ""
        return self._mixed(origin.format(side=self._side()) + more, "".join(PHYSICAL))

    def _side(self) -> str:
        return self.random.choice(("", "LEFT "))

    def _mixed(self, origin: str, right: str) -> str:
        """Each column from one side or the other."""
        sides = {name: "w" if name in right and self.random.random() < 0.5 else "v" for name in PHYSICAL}
        listed = [f"{side}.{name} AS {name}" for name, side in sides.items()]
        behind = f" ({', '.join([*([] if self.by_row else ['pid']), *sides])})" if self.random.random() < 0.2 else ""
        return f"(SELECT {', '.join([*self._pid('v.'), *listed])} FROM {origin}) AS s{behind}"

    def _each(self) -> str:
        """Totals of each person, or of each person and key."""
        listed = [f"{self._total(name)} AS {name}" for name in PHYSICAL]
        keys = [self._made(self.random.choice("pi"), 1)] if self.random.random() < 0.2 else []
        where = f" WHERE {self._made('p', 1)}" if self.random.random() < 0.3 else ""
        having = " HAVING COUNT(*) < 9" if self.random.random() < 0.15 else ""
        group = f" GROUP BY {', '.join(['pid', *keys])}"
        return f"(SELECT {', '.join(['pid', *listed])} FROM {self._table()}{where}{group}{having}) AS s"

    def _total(self, name: str) -> str:
        kind = _kind(name)
        inside = name if self.random.random() < 0.7 else self._made(kind, 1)
        if kind == "p":
            return f"MAX(CASE WHEN {inside} THEN 1 ELSE 0 END) = {self.random.choice('01')}"
        chance = self.random.random()
        if kind == "i" and chance < 0.2:
            return self.random.choice(("COUNT(*)", f"COUNT(DISTINCT {inside})", f"SUM(({inside}) % 7)"))
        if kind == "n" and chance < 0.2:
            return f"{self.random.choice(('SUM', 'AVG'))}({self.random.choice('ijl')} % 1000)"
        return f"{self.random.choice(('MIN', 'MAX'))}({inside})"

    def _qualified(self, sql: str) -> str:
        """The same of columns of either side."""
        pieces = _QUOTED.split(sql)
        side = self.random.choice("vw")
        return "".join(piece if place % 2 else _NAME.sub(rf"{side}.\g<0>", piece) for place, piece in enumerate(pieces))

    def _key(self) -> str:
        kinds = "pppiitas" if self.may_choose_keys else "pppi"
        kind = self.random.choice(kinds)
        made = self._made(kind)
        return f"({made}) % 3" if kind == "i" and self.random.random() < 0.5 else made

    def _call(self, person: str | None) -> str:
        text = self._aggregate(person)
        return f"{text} FILTER (WHERE {self._made('p', 1)})" if self.random.random() < 0.15 else text

    def _aggregate(self, person: str | None) -> str:
        chance = self.random.random()
        if chance < 0.08:
            return "COUNT(*)"
        if chance < 0.14:
            return f"COUNT({self._made(self.random.choice('intpas'))})"
        if chance < 0.18 and person:
            return f"COUNT(DISTINCT {person})"
        if chance < 0.32:
            kind = self.random.choice("intpas")
            plain = self.random.choice(self.block.names(kind))
            return f"COUNT(DISTINCT {plain if self.random.random() < 0.5 else self._made(kind)})"
        if chance < 0.65:
            call = self.random.choice(("SUM", "SUM", "SUM", "AVG", "VAR_POP", "STDDEV_SAMP"))
            return f"{call}({self._bounded(self.random.choice('iinnn'))})"
        if chance < 0.72:
            first, second = (self._bounded(self.random.choice("iinn")) for _ in range(2))
            return f"{self.random.choice(('CORR', 'COVAR_POP', 'REGR_SLOPE'))}({first}, {second})"
        made = self._bounded(self.random.choice("innas"))
        call = self.random.choice(("MEDIAN({})", "MIN({})", "MAX({})", "QUANTILE_CONT({}, 0.9)"))
        return call.format(made)

    def _bounded(self, kind: str) -> str:
        """A number or a time that has bounds, most often; or how far it is beyond those that the plan believes."""
        made = self._made(kind)
        chance = self.random.random()
        if chance < 0.4:
            return made
        if chance < 0.7:
            return self._beyond(made) or made
        low, high = (Grammar(self.block, self.random)._literal(kind) for _ in range(2))
        return f"GREATEST(LEAST({made}, {high}), {low})"

    def _beyond(self, sql: str) -> str | None:
        """A question of an attacker who knows the planner: its answer is 0 if the expression keeps its bounds."""
        try:
            typed = type_expression(sqlglot.parse_one(sql, dialect="duckdb"), self.block.scope)
        except Refused:
            return None
        is_above = self.random.random() < 0.5
        bound = typed.high if is_above else typed.low
        if bound is None or typed.is_constant:
            return None
        call = "GREATEST" if is_above else "LEAST"
        if typed.kind.is_time:
            unit = self.random.choice(("second", "day", "hour"))
            moment = literal(time_of(typed.kind, bound), self.random)
            return f"{call}(date_diff('{unit}', {moment}, {sql}), 0)"
        number = float(bound) if typed.kind is Kind.FLOAT else Decimal(bound.numerator) / bound.denominator
        written = literal(number, self.random)
        return None if written is None else f"{call}({sql} - ({written}), 0)"


def _kind(name: str) -> str:
    return _KIND.get(PHYSICAL[name], "n")
