"""Sub-queries grouped by the person: one row per person (and key), with exact totals of that person's own rows."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from tacit.errors import Refused
from tacit.query.sql.clamp import or_null, total
from tacit.query.sql.expressions.rule_registry import type_expression, type_predicate
from tacit.query.sql.fixed_point import Steps, in_steps
from tacit.query.sql.rows import UNIT, Ownership, Rows, Select, SelectItem, quoted
from tacit.query.sql.scan import once_named, output_name, visible
from tacit.query.sql.values.column_reader import low_sql
from tacit.query.sql.values.domains import HANDED_ON, kept, told_apart
from tacit.query.sql.values.exact_intervals import doubles
from tacit.query.sql.values.storage import double_sql, interval
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Kind

_MOST = 2**50  # larger totals of one person are cut
_ACCEPTED = "COUNT(*), COUNT(x), COUNT(DISTINCT x), SUM(x), AVG(x), MIN(x) and MAX(x)."


class PersonScope:
    """Names inside a per-person SELECT: its group keys, and the totals it computes."""

    def __init__(self, rows: Rows, most: int | None = None) -> None:
        self.rows = rows
        self.most = _MOST if most is None else min(most, _MOST)  # rows of a person: a COUNT is cut there
        self.totals: dict[str, tuple[str, Typed]] = {}
        self.calls: dict[str, exp.Expression] = {}
        self.keys: dict[str, tuple[str, Typed]] = {}
        self.hashes: set[int] = set()  # of the keys
        self.extremes: dict[str, Typed] = {}  # what MIN and MAX are of

    def column(self, name: str, table: str | None) -> Typed:
        held = {"__total": self.totals, "__key": self.keys}.get(table or "", {})
        for place, typed in held.values():
            if place == name:
                return replace(typed, sql=quoted(f"{table}.{place}"))
        raise Refused(
            f"the column {name} outside an aggregate",
            "A person may have several rows with different values of it.",
            f"an aggregate of it, or {name} in GROUP BY.",
        )


def per_person(select: exp.Select, rows: Rows, alias: str, keys: list[exp.Expression], most: int | None = None) -> Rows:
    """The rows of a SELECT that is grouped by the person and `keys`; `most` is declared to be the rows of a person.

    Each row is computed from one person's rows. Grouped by the person only, GROUP BY gives one row per person.
    """
    scope = PersonScope(rows, most)
    for position, (node, typed) in enumerate(zip(keys, _kept_keys(keys, select, scope), strict=True)):
        scope.keys[node.sql("duckdb")] = (f"k{position}", replace(typed, weight=0))
        scope.hashes.add(hash(node))
    outputs: dict[tuple[str, str], Typed] = {}
    names: set[tuple[str, str]] = set()
    for item in select.expressions:
        body, name = (item.this, item.alias) if isinstance(item, exp.Alias) else (item, item.alias_or_name)
        if isinstance(body, exp.Column) and rows.is_identifier(body.name, body.table or None):
            names.add(once_named(alias, name or body.name, outputs))
            continue
        if not name:
            raise Refused(f"{body.sql('duckdb')} without a name", "The outer query could not call it.", "… AS a_name.")
        typed = type_expression(_placed(body, scope), scope)
        outputs[once_named(alias, name, outputs, names)] = typed
    outputs = dict(zip(outputs, kept(list(outputs.values()), HANDED_ON), strict=True))
    listed = [SelectItem(f"{typed.sql} AS {output_name(key)}", output_name(key)) for key, typed in outputs.items()]
    having = select.args.get("having")
    test = type_predicate(_placed(having.this, scope), scope).sql if having else None
    places = [SelectItem(f"{typed.sql} AS {quoted(f'__key.{place}')}") for place, typed in scope.keys.values()]
    totals = [
        SelectItem(f"{sql} AS {quoted(f'__total.{place}')}", quoted(f"__total.{place}")) for place, sql in _sums(scope)
    ]
    groups = ", ".join([UNIT, *(quoted(f"__key.{place}") for place, _ in scope.keys.values())])
    grouped = Select((SelectItem(UNIT), *places, *totals), (rows.select, f' AS "__rows" GROUP BY {groups}'))
    where = f" WHERE {test}" if test else ""
    outer = Select((SelectItem(UNIT), *listed), (grouped, f' AS "__people"{where}'))
    ownership = Ownership.MANY if keys else Ownership.ONE
    chain, joined = (rows.chain, rows.joined) if keys else (0, None)
    known = (outer, visible(outputs), frozenset(names), ownership, rows.tables, None)
    return Rows(*known, chain, rows.scans, rows.looks, joined, rows.bounds)


def _kept_keys(keys: list[exp.Expression], select: exp.Select, scope: PersonScope) -> list[Typed]:
    """The keys, and in the scope the arguments of MIN and MAX: all columns that a group keeps."""
    having = select.args.get("having")
    clauses = [*select.expressions, *([having] if having else [])]
    calls = {call.this.sql("duckdb"): call for clause in clauses for call in clause.find_all(exp.Min, exp.Max)}
    found = {text: call.this for text, call in calls.items() if not isinstance(call.this, exp.Distinct)}
    values = kept([type_expression(node, scope.rows) for node in (*keys, *found.values())])
    scope.extremes = dict(zip(found, values[len(keys) :], strict=True))
    return values[: len(keys)]


def _placed(node: exp.Expression, scope: PersonScope) -> exp.Expression:
    """The expression with every aggregate and every key replaced by the column that holds it."""
    return _exchanged(node.copy(), scope)


def _exchanged(node: exp.Expression, scope: PersonScope) -> exp.Expression:
    """`_placed` on a copy of the tree.

    Each list of parts is set once, because otherwise time is quadratic in its length.
    """
    held = _held(node, scope)
    if held is not None:
        return held
    for key, value in list(node.args.items()):
        if isinstance(value, exp.Expression):
            node.set(key, _exchanged(value, scope))
        elif isinstance(value, list):
            node.set(key, [_exchanged(part, scope) if isinstance(part, exp.Expression) else part for part in value])
    return node


def _held(part: exp.Expression, scope: PersonScope) -> exp.Expression | None:
    """The column with an aggregate or a key; SQL is generated only for parts that may be one of these."""
    if not (isinstance(part, exp.AggFunc) or hash(part) in scope.hashes):
        return None
    text = part.sql("duckdb")
    if text in scope.keys:
        return exp.column(scope.keys[text][0], table="__key")
    if not isinstance(part, exp.AggFunc):
        return None
    if text not in scope.totals:
        scope.totals[text] = (f"t{len(scope.totals)}", _total(part, scope))
        scope.calls[text] = part
    return exp.column(scope.totals[text][0], table="__total")


def _total(node: exp.Expression, scope: PersonScope) -> Typed:
    """The typed value of an aggregate over one person's rows; its SQL is the name of its column."""
    inside = node.this.expressions[0] if isinstance(node.this, exp.Distinct) and node.this.expressions else node.this
    if isinstance(node.this, exp.Distinct) and len(node.this.expressions) != 1:
        raise Refused(f"{node.sql('duckdb')} of each person", "Pairs are not counted.", _ACCEPTED)
    place = quoted(f"__total.t{len(scope.totals)}")
    if isinstance(node, exp.Count):
        if not isinstance(inside, exp.Star):
            type_expression(inside, scope.rows)
        return Typed(Kind.INTEGER, place, Fraction(0), Fraction(scope.most), nullable=False)
    if not isinstance(node, (exp.Sum, exp.Avg, exp.Min, exp.Max)) or isinstance(node.this, exp.Distinct):
        raise Refused(f"{node.sql('duckdb')} of each person", "It has no total form here.", _ACCEPTED)
    if isinstance(node, (exp.Min, exp.Max)):
        value = scope.extremes[inside.sql("duckdb")]
        return replace(value, sql=place, nullable=True, weight=0)
    value = type_expression(inside, scope.rows)
    if not (value.kind.is_number and value.low is not None and value.high is not None):
        raise Refused(
            f"{node.sql('duckdb')} of each person",
            "Its values have no bounds.",
            "min and max declared for its columns.",
        )
    steps = in_steps(value, f"{node.sql('duckdb')} of each person")
    if isinstance(node, exp.Avg):
        bounds = doubles(interval(value))
        return Typed(Kind.FLOAT, place, bounds.low, bounds.high)
    if value.kind is Kind.FLOAT:
        raise Refused(
            f"{node.sql('duckdb')} of each person",
            "Sums of floating-point numbers depend on the order of the rows.",
            "a column of type money or decimal, or ROUND(x)::BIGINT.",
        )
    low = Fraction(0) if value.low >= 0 else -_MOST * steps.step
    high = Fraction(0) if value.high <= 0 else _MOST * steps.step
    return Typed(value.kind, place, low, high, scale=value.scale)


def _sums(scope: PersonScope) -> list[tuple[str, str]]:
    """The SQL of every total, over the rows."""
    found = []
    for text, (place, _) in scope.totals.items():
        found.append((place, _sum_sql(scope.calls[text], scope)))
    return found


def _sum_sql(node: exp.Expression, scope: PersonScope) -> str:
    distinct = isinstance(node.this, exp.Distinct)
    inside = node.this.expressions[0] if distinct else node.this
    if isinstance(node, exp.Count) and isinstance(inside, exp.Star):
        return f"least(COUNT(*), {scope.most})"
    if isinstance(node, exp.Count):
        counted = type_expression(inside, scope.rows)
        return f"least(COUNT({f'DISTINCT {told_apart(counted)}' if distinct else counted.sql}), {scope.most})"
    if isinstance(node, (exp.Min, exp.Max)):
        value = scope.extremes[inside.sql("duckdb")]
        return _extreme(value, f"{'MIN' if isinstance(node, exp.Min) else 'MAX'}({value.sql})")
    value = type_expression(inside, scope.rows)
    steps = in_steps(value, f"{node.sql('duckdb')} of each person")
    if isinstance(node, exp.Avg):
        return _average(value, steps)
    cut = f"CAST(least(greatest({total(steps.cut())}, {-_MOST}), {_MOST}) AS BIGINT)"
    return f"CASE WHEN COUNT({steps.sql}) > 0 THEN {cut} END" if steps.nullable else cut


def _extreme(value: Typed, sql: str) -> str:
    """The least or greatest of a person's values, within their stated bounds."""
    if value.low is None or value.high is None:
        return sql
    return or_null(sql, low_sql(value), low_sql(replace(value, low=value.high)))


def _average(value: Typed, steps: Steps) -> str:
    """The mean of a person's values, from whole steps: independent of the order of the rows."""
    mean = f"CAST({total(steps.cut())} AS DOUBLE) / COUNT({steps.sql}) * {double_sql(steps.step)}"
    low, high = double_sql(value.low or 0.0), double_sql(value.high or 0.0)
    return f"CASE WHEN COUNT({steps.sql}) > 0 THEN least(greatest({mean}, {low}), {high}) END"
