"""Random questions in ibis, over the columns of the fuzzers' grammar: filters, computed columns, groups, aggregates."""

from __future__ import annotations

from random import Random
from typing import Any

from tacit.curator.dataset import Dataset
from tacit.curator.ibis_expression import sql_of


def ask_ibis(dataset: Dataset, random: Random) -> str:
    """The SQL of a question that was asked in ibis."""
    table = dataset.table("visits")
    number = random.choice((table.i, table.j + table.l, table.c, table.x, (table.i > table.j).ifelse(table.l, 7)))
    bounded = number.clip(lower=random.randint(-9, 0), upper=random.randint(1, 9))
    if random.random() < 0.5:
        table = table.filter(_condition(table, random))
    answers = {
        "n": table.count(),
        "s": random.choice((bounded.sum(), bounded.mean(), bounded.median(), table.t.nunique())),
    }
    if random.random() < 0.5:
        key = random.choice((table.p, table.q, table.i % 3, table.j > 5))
        return sql_of(table.group_by(key.name("k")).agg(**answers))
    return sql_of(table.agg(**answers))


def _condition(table: Any, random: Random) -> Any:
    return random.choice((table.p, table.i > table.j, table.t.upper() == "NORTH", table.x.notnull(), table.a < table.b))
