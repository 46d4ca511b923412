"""Ways to read a query's aggregates from sums of tables other than the sums it asks for.

Let n be the rows where x is not NULL. The identities are those of sums: Σx = Σ(x − c) + c·n, so that SUM(x) is read
from what AVG(x) was measured by; AVG(x) = c + Σ(x − c)/n with any centre c, 0 among them, so that it is read from
SUM(x) and COUNT(x); a sum with FILTER over keys alone is that of the cells which the filter keeps; and where x is
computed from keys, Σx and n are sums over cells of x, and of 1 where it is not NULL, times the number of their rows.

Claim: they hold exactly of what is counted below the noise. Proof: the enforcing read keeps every value within its
bounds, or NULL; a NULL counts as the centre and adds 0 about any; steps, rows and filters are the same, since both
readings are made from one text. Where people are scaled, one factor a person multiplies all sums, and the identities
are linear in rows: they hold of scaled people, up to the rounding of their units.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property

from sqlglot import exp, parse_one

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.aggregates.aggregate import Aggregate, Measure
from tacit.query.aggregates.moments import Mean, Total
from tacit.query.plans.question import Question, parsed_selects
from tacit.query.post_noise.scope import canonical
from tacit.query.sql.joins import conjuncts

Combined = tuple[tuple[Measure, int], ...]
"""Measures with the numbers that they are multiplied by."""
Tests = tuple[exp.Expr, ...]

_ROWS = ("kind", "from_", "joins", "where", "with_")
_ONE, _ZERO = exp.Literal.number(1), exp.Literal.number(0)


@frozen(eq=False)
class AggregateWay:
    """An aggregate, what each of its parts is in measures of tables, and the conditions over keys on its cells.

    Where `value` is given, the parts are numbers of rows, and each row counts as this number over keys.
    """

    aggregate: Aggregate
    sums: Mapping[Measure, Combined]
    tests: Tests = ()
    value: exp.Expr | None = None

    @classmethod
    def of(cls, aggregate: Aggregate, tests: Tests = ()) -> AggregateWay:
        """The aggregate from its own parts."""
        return cls(aggregate, {part: ((part, 1),) for part in aggregate.parts if isinstance(part, Measure)}, tests)

    @property
    def measures(self) -> set[Measure]:
        return {measure for combined in self.sums.values() for measure, _ in combined}


@frozen(eq=False)
class ImpliedWays:
    """The ways of a question's aggregates; `reread` reads another SELECT over the same rows."""

    question: Question
    reread: Callable[[str], Question]

    def among(self, held: Collection[Measure]) -> Mapping[str, AggregateWay] | None:
        """The first way of each aggregate for which all measures are held; None where one has none."""
        found, known = dict[str, AggregateWay](), set(held)
        for name, aggregate in self.question.aggregates.items():
            own = AggregateWay.of(aggregate)
            ways = (own,) if own.measures <= known else self._others.get(name, ())
            fitting = [each for each in ways if each.measures <= known]
            if not fitting:
                return None
            found[name] = fitting[0]
        return found

    @cached_property
    def select(self) -> exp.Select:
        """The SELECT without the alias of its table."""
        return plainly(parsed_selects(self.question.sql)[0])

    @cached_property
    def _others(self) -> Mapping[str, tuple[AggregateWay, ...]]:
        nodes = {name: parse_one(name, dialect="duckdb") for name in self.question.aggregates}
        if _is_one_table(self.select):
            nodes = {name: _without_tables(node) for name, node in nodes.items()}
        found = {name: list(cores(node)) for name, node in nodes.items()}
        rows = self._aggregates([exp.Count(this=exp.Star())])["COUNT(*)"]
        valued = {name: list(_valued(node, self.question.aggregates[name], rows)) for name, node in nodes.items()}
        calls = [core for each in found.values() for core, _ in each]
        means = [mean for core in calls if (mean := _called(exp.Avg, core)) is not None]
        totals = [total for core in calls if (total := _called(exp.Sum, core)) is not None]
        try:
            beside, alone = self._aggregates([*calls, *totals, *means]), self._aggregates(means)
        except Refused:  # one of them is no number
            return {name: tuple(found) for name, found in valued.items()}
        return {
            name: (*(way for core, tests in each for way in _ways(core, tests, beside, alone)), *valued[name])
            for name, each in found.items()
        }

    def _aggregates(self, calls: Sequence[exp.Expr]) -> Mapping[str, Aggregate]:
        """The aggregates that these calls are, where they are asked for together."""
        if not calls:
            return {}
        select = self.select.copy()
        for name in [name for name in select.args if name not in _ROWS]:
            select.set(name, None)
        select.set("expressions", [call.copy() for call in calls])
        return self.reread(select.sql("duckdb")).aggregates


def plainly(select: exp.Select) -> exp.Select:
    """The same SELECT without the alias of its table, where it has one table."""
    if not _is_one_table(select):
        return select.copy()
    copy = _without_tables(select)
    assert isinstance(copy, exp.Select)
    copy.args["from_"].this.set("alias", None)
    return copy


def _is_one_table(select: exp.Select) -> bool:
    origin = select.args.get("from_")
    return origin is not None and isinstance(origin.this, exp.Table) and not select.args.get("joins")


def _without_tables(node: exp.Expr) -> exp.Expr:
    copy = node.copy()
    for column in copy.find_all(exp.Column):
        column.set("table", None)
    return copy


def cores(node: exp.Expr) -> Iterator[tuple[exp.Expr, Tests]]:
    """A call, and the call without its conditions: those of FILTER, then that of a CASE with one branch."""
    yield node, ()
    if isinstance(node, exp.Filter):
        for core, tests in cores(node.this):
            yield core, (*tests, *conjuncts(node.expression.this))
    inside = node.this
    if not isinstance(node, exp.Count | exp.Sum | exp.Avg) or not isinstance(inside, exp.Case) or inside.this:
        return
    (branch, *others), default = inside.args["ifs"], inside.args.get("default")
    is_nothing = default is None or isinstance(default, exp.Null) or (isinstance(node, exp.Sum) and default == _ZERO)
    if others or not is_nothing:
        return
    value = branch.args["true"]
    is_number = isinstance(node, exp.Count | exp.Sum) and value == _ONE  # of rows
    yield (exp.Count(this=exp.Star()) if is_number else type(node)(this=value)), tuple(conjuncts(branch.this))


def _valued(node: exp.Expr, aggregate: Aggregate, rows: Aggregate) -> Iterator[AggregateWay]:
    """COUNT, SUM or AVG of an expression that may be the same for all rows of a cell: from numbers of rows."""
    core, tests = next(each for each in cores(node) if not isinstance(each[0], exp.Filter))
    inside = core.this
    if not isinstance(core, exp.Count | exp.Sum | exp.Avg) or isinstance(inside, exp.Star | exp.Distinct):
        return
    if isinstance(core, exp.Count):
        inside = exp.Case(ifs=[exp.If(this=exp.Is(this=inside.copy(), expression=exp.Null()), true=exp.Null())])
        inside.set("default", _ONE.copy())
    counted = tuple((part, 1) for part in rows.parts if isinstance(part, Measure))
    yield AggregateWay(
        aggregate, {part: counted for part in aggregate.parts if isinstance(part, Measure)}, tests, inside
    )


def _called(kind: type[exp.Expr], core: exp.Expr) -> exp.Expr | None:
    """SUM(x) or AVG(x), with its FILTER, of a call that is the other, or this one."""
    call = core.this if isinstance(core, exp.Filter) else core
    if not isinstance(call, exp.Sum | exp.Avg):
        return None
    other = kind(this=call.this.copy())
    return exp.Filter(this=other, expression=core.expression.copy()) if call is not core else other


def _ways(
    core: exp.Expr, tests: Tests, beside: Mapping[str, Aggregate], alone: Mapping[str, Aggregate]
) -> Iterator[AggregateWay]:
    name = canonical(core)
    mean = _called(exp.Avg, core)
    if mean is None:
        yield AggregateWay.of(beside[name], tests)
        return
    own, total = alone[canonical(mean)], beside[name]
    if isinstance(total, Mean):
        yield AggregateWay.of(own, tests)
    yield AggregateWay.of(total, tests)
    if isinstance(total, Total) and isinstance(own, Mean) and isinstance(total.part, Measure):
        yield AggregateWay(total, {total.part: ((own.total, 1), (own.rows, own.centre))}, tests)
