"""The private cores of a statement as one question: aggregates with FILTER say what their WHERE said.

Then there is one release, one charge, and one joint noise, whatever the statement computes from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.post_noise.scope import Names, canonical, plain

RELEASED: Final = "__released"
"""The table of released groups: key columns k0, k1 …, and aggregates a0, a1 …"""

_ALONE: Final = "COUNT(*), COUNT(x) and SUM(x), which the groups add up to"


@frozen(eq=False)
class Core:
    """A private question inside a statement: the rows with their condition, the keys, and the calls by their SQL."""

    rows: exp.Select  # WITH, FROM and joins
    where: exp.Expr | None
    keys: tuple[exp.Expr, ...]
    calls: Mapping[str, exp.Expr]

    @property
    def question(self) -> exp.Select:
        """The core as a SELECT of its keys and calls."""
        select = self.rows.copy()
        select.set("expressions", [node.copy() for node in (*self.keys, *self.calls.values())])
        select.set("where", exp.Where(this=self.where.copy()) if self.where else None)
        select.set("group", exp.Group(expressions=[key.copy() for key in self.keys]) if self.keys else None)
        return select


def differ(cores: Sequence[Core]) -> bool:
    return len({_sql(core.where) for core in cores}) > 1


def _sql(node: exp.Expr | None) -> str:
    return "" if node is None else canonical(node)


def merged(cores: Sequence[Core]) -> tuple[Core, bool]:
    """One core for all of them, and whether it must have public keys.

    Claim: each aggregate of each core has its own value. Proof: rows of the same FROM are the same; where conditions
    differ, FILTER keeps the rows that WHERE kept; a total without keys is the sum of its groups, which are all there.
    """
    first = cores[0]
    if len({canonical(core.rows) for core in cores}) > 1:
        raise Refused(
            "private answers from different tables in one statement",
            "They would be several releases, each with a price of its own.",
            "one query for each; or the same FROM in all of them, with WHERE as it differs.",
        )
    keyed = [core for core in cores if core.keys]
    if len({tuple(map(canonical, core.keys)) for core in keyed}) > 1:
        raise Refused(
            "private answers by different groups in one statement",
            "They would be several releases, each with a price of its own.",
            "one GROUP BY in all of them; `tacit tables` for tables by different groups; or one query for each.",
        )
    is_mixed = bool(keyed) and len(keyed) < len(cores)
    for core in cores if is_mixed else []:
        if not core.keys and not all(_adds_up(call) for call in core.calls.values()):
            raise Refused("an aggregate of all rows beside those of groups", "It is another release.", f"{_ALONE}.")
    calls = {}
    for core in cores:
        for call in core.calls.values():
            node = _filtered(call, core.where) if differ(cores) else call
            calls[canonical(node)] = node
    where = None if differ(cores) else first.where
    needs_public = bool(keyed) and (is_mixed or differ(cores))
    return Core(first.rows, where, keyed[0].keys if keyed else (), calls), needs_public


def _adds_up(call: exp.Expr) -> bool:
    inner = call.this if isinstance(call, exp.Filter) else call
    return isinstance(inner, exp.Count | exp.Sum) and not isinstance(inner.this, exp.Distinct)


def _filtered(call: exp.Expr, where: exp.Expr | None) -> exp.Expr:
    if where is None:
        return call
    if isinstance(call, exp.Filter):
        return exp.Filter(this=call.this.copy(), expression=exp.Where(this=exp.and_(call.expression.this, where)))
    return exp.Filter(this=call.copy(), expression=exp.Where(this=where.copy()))


def view(core: Core, is_keyed: bool, calls: Mapping[str, str], is_filtered: bool) -> exp.Select:
    """The groups of one core, from the table of all: where its WHERE speaks of keys alone, groups are left out by it.

    The names of its columns are none that a statement gives, so that an alias means no column of the core.
    """
    adds_up = is_keyed and not core.keys
    items: list[exp.Expr] = [
        exp.alias_(exp.column(f"k{place}", quoted=True), f"__k{place}", quoted=True) for place in range(len(core.keys))
    ]
    for place, call in enumerate(core.calls.values()):
        column = exp.column(calls[canonical(_filtered(call, core.where) if is_filtered else call)], quoted=True)
        items.append(exp.alias_(exp.Sum(this=column) if adds_up else column, f"__a{place}", quoted=True))
    found = exp.Select(expressions=items, from_=exp.From(this=exp.to_table(RELEASED)))
    kept = key_conditions(core) if is_filtered else []
    return found.where(*kept, copy=False) if kept else found


def key_conditions(core: Core) -> list[exp.Expr]:
    """The conditions of WHERE that are of keys alone, over the table of released groups."""
    keys = {canonical(key): f"k{place}" for place, key in enumerate(core.keys)}
    names = Names.of(list(keys))

    def read(node: exp.Expr) -> exp.Expr:
        key = names.find(plain(node))
        return node if key is None else exp.column(keys[key], table=RELEASED, quoted=True)

    where = core.where.copy().unnest() if core.where is not None and keys else None
    conditions = list(where.flatten()) if isinstance(where, exp.And) else [where] if where is not None else []
    found = [condition.copy().transform(read) for condition in conditions if not condition.find(exp.Query)]
    return [each for each in found if all(column.table == RELEASED for column in each.find_all(exp.Column))]
