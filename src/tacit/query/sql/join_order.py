"""The order in which the tables of FROM are joined: private rows first, and each further table by an equality.

`FROM a, b WHERE a.x = b.x` is a join that is written in two places. Claim: the rows are those of the tables as they
were written. Proof: an inner join is a product with a condition, products may be taken in any order, and a condition
may be tested at once or later. `(p AND q) OR (p AND r)` is `p AND (q OR r)`, in three-valued logic too. A LEFT JOIN of
tables that come before commutes with inner joins that do not name its right side.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, reduce

from sqlglot import exp

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.sql.joins import conjuncts, join_kind
from tacit.query.sql.rows import Rows
from tacit.schema.description import Lookup

_EQUALITY = "WHERE with an equality of its column and one of another table."


@frozen(eq=False)
class FromItem:
    """A table or sub-query in FROM, and how it was joined; None: it stands first."""

    alias: str
    relation: Rows | Lookup
    join: exp.Join | None = None
    implied: frozenset[str] = frozenset()  # names of the person that its rows have through another table

    @property
    def is_public(self) -> bool:
        return isinstance(self.relation, Lookup)

    @cached_property
    def names(self) -> frozenset[str]:
        """Its columns, in lower case."""
        if isinstance(self.relation, Lookup):
            return frozenset(map(str.lower, self.relation.columns))
        return frozenset(name for _, name in (*self.relation.columns, *self.relation.identifiers))

    @property
    def is_bare(self) -> bool:
        """Whether it is joined by a comma or CROSS JOIN."""
        if self.join is None or self.join.args.get("on") or self.join.args.get("using"):
            return False
        return not self.join.method and not self.join.side and self.join.kind.upper() in ("", "CROSS")


@frozen(eq=False)
class JoinStep:
    """A further table, and the condition on which it is joined to those before it."""

    source: FromItem
    kind: str
    condition: exp.Expression


@frozen(eq=False)
class JoinOrder:
    """The first private rows, the joins in their order, and what is left of WHERE."""

    first: Rows
    steps: tuple[JoinStep, ...]
    where: exp.Expression | None


def join_order(sources: Sequence[FromItem], where: exp.Expression | None) -> JoinOrder:
    """The joins as they are written, if they can be made so; otherwise in an order in which they can."""
    if all(source.is_public for source in sources):
        name = sources[0].relation.name if isinstance(sources[0].relation, Lookup) else sources[0].alias
        raise Refused(
            f"a query of {name} alone", "It is public: no privacy is needed.", "the table itself, read as it is."
        )
    first, *further = sources
    steps = [
        JoinStep(each, join_kind(each.join), _condition(each, sources[:place]))
        for place, each in enumerate(further, 1)
        if each.join is not None and not each.is_bare
    ]
    is_as_written = len(steps) == len(further) and not any(map(_has_further_tests, steps))
    if is_as_written and isinstance(first.relation, Rows):
        return JoinOrder(first.relation, tuple(steps), where)
    return _Ordering(sources, steps, where).order()


def _has_further_tests(step: JoinStep) -> bool:
    """Whether an inner join to a public table asks for more than its key."""
    return step.kind == "JOIN" and step.source.is_public and len(conjuncts(step.condition)) > 1


def _condition(source: FromItem, before: Sequence[FromItem]) -> exp.Expression:
    """The condition of ON, or the equalities that USING means."""
    assert source.join is not None
    condition = source.join.args.get("on")
    if isinstance(condition, exp.Expression):
        return condition
    parts: list[exp.Expression] = []
    for name in source.join.args["using"]:
        owner = next((each for each in before if name.name.lower() in each.names), None)
        if owner is None:
            raise Refused(f"USING ({name.name})", "The first table has no such column.", "a column of both tables.")
        parts.append(exp.EQ(this=exp.column(name.name, owner.alias), expression=exp.column(name.name, source.alias)))
    return reduce(lambda first, second: exp.And(this=first, expression=second), parts)


class _Ordering:
    """The tables that are joined so far, and the conditions that no join has yet."""

    def __init__(self, sources: Sequence[FromItem], steps: Sequence[JoinStep], where: exp.Expression | None) -> None:
        self.sources, self.outer = sources, [step for step in steps if step.kind != "JOIN"]
        inner = [part for step in steps if step.kind == "JOIN" for part in conjuncts(step.condition)]
        self.late = {step.source.alias for step in self.outer}
        for part in inner:
            if self._read(part) & self.late:
                why = "It needs rows that a LEFT JOIN before it may leave empty."
                raise Refused(f"JOIN … ON {part.sql('duckdb')}", why, "the LEFT JOIN after the other joins.")
        self.left = [*inner, *(part for each in conjuncts(where) for part in _factored(each))] if where else inner
        self.steps: list[JoinStep] = []

    def order(self) -> JoinOrder:
        waiting = [source for source in self.sources if source.alias not in self.late]
        first = next((source for source in waiting if not source.is_public), None)
        if first is None or not isinstance(first.relation, Rows):
            name = waiting[0].alias
            why = "Every public row would be there, with people's rows or without."
            raise Refused(
                f"{name} on the left of a LEFT JOIN", why, f"JOIN; or the private table first, and {name} after it."
            )
        waiting.remove(first)
        joined = {first.alias}
        while waiting:
            step = self._next(sorted(waiting, key=lambda source: source.is_public), joined)
            self.steps.append(step)
            waiting.remove(step.source)
            joined.add(step.source.alias)
        where = _all(self.left) if self.left else None
        return JoinOrder(first.relation, (*self.steps, *self.outer), where)

    def _next(self, waiting: Sequence[FromItem], joined: set[str]) -> JoinStep:
        """The first table with an equality to those that are joined, private ones before public ones."""
        for source in waiting:
            found = [part for part in self.left if self._leads(part, source, joined)]
            if source.is_public:
                found = found[:1]  # any other equality is tested after the join
            if found:
                self.left = [part for part in self.left if not any(part is each for each in found)]
                return JoinStep(source, "JOIN", _all(found))
        raise self._unlinked(waiting[0])

    def _leads(self, part: exp.Expression, source: FromItem, joined: set[str]) -> bool:
        """Whether a condition is an equality of a table's column, of a public table its key, with one of others."""
        node = part.unnest()
        if not isinstance(node, exp.EQ):
            return False
        sides = (node.this.unnest(), node.expression.unnest())
        for own, other in (sides, sides[::-1]):
            read = self._read(other)
            if self._read(own) == {source.alias} and read and read <= joined:
                is_by_key = not isinstance(source.relation, Lookup) or own.name.lower() == source.relation.key.lower()
                if is_by_key and not (source.is_public and not all(isinstance(each, exp.Column) for each in sides)):
                    return True
        return False

    def _read(self, node: exp.Expression) -> set[str]:
        """The tables whose columns an expression names; an empty name for a column that is not certain."""
        return {self._owner(column) for column in node.find_all(exp.Column)}

    def _owner(self, column: exp.Column) -> str:
        table, name = column.table.lower(), column.name.lower()
        found = [each for each in self.sources if name in each.names and table in ("", each.alias.lower())]
        if len(found) > 1:
            found = [each for each in found if name not in each.implied]
        return found[0].alias if len(found) == 1 else ""

    def _unlinked(self, source: FromItem) -> Refused:
        if isinstance(source.relation, Lookup):
            why, key = "A public table is joined by its key, and no condition equates it.", source.relation.key
            return Refused(f"{source.alias} in FROM", why, f"WHERE {source.alias}.{key} = a column of another table.")
        why = "No equality leads to it, so every row would meet every other."
        people = {
            each.alias: f"{each.alias}.{min(name for _, name in each.relation.identifiers)}"
            for each in self.sources
            if isinstance(each.relation, Rows) and each.relation.identifiers
        }
        other = next((person for alias, person in people.items() if alias != source.alias), None)
        cure = f"WHERE {people[source.alias]} = {other}." if source.alias in people and other else _EQUALITY
        return Refused(f"{source.alias} in FROM", why, cure)


def _factored(node: exp.Expression) -> list[exp.Expression]:
    """`(p AND q) OR (p AND r)` as p and `q OR r`; any other condition as it is."""
    branches = [conjuncts(branch) for branch in _branches(node) if isinstance(branch, exp.Expression)]
    texts = [{part.sql() for part in branch} for branch in branches]
    common = set.intersection(*texts)
    if len(branches) == 1 or not common:
        return [node]
    rest = [[part for part in branch if part.sql() not in common] for branch in branches]
    found = [part for part in branches[0] if part.sql() in common]
    if all(rest):
        found.append(reduce(lambda one, other: exp.Or(this=one, expression=other), map(_all, rest)))
    return found


def _all(conditions: Sequence[exp.Expression]) -> exp.Expression:
    """All of them; those that are joined by OR in brackets."""
    joined = exp.and_(*conditions)
    assert isinstance(joined, exp.Expression)
    return joined


def _branches(node: exp.Expr) -> list[exp.Expr]:
    node = node.unnest()
    return [*_branches(node.this), *_branches(node.expression)] if isinstance(node, exp.Or) else [node]
