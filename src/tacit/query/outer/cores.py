"""The private core of a statement, and the query around it.

A core is the outermost SELECT that is a private question: its rows, keys and aggregates. The statement around it reads
the core's released groups, as a table, and nothing else. Several cores over the same rows are one question, where
aggregates with FILTER say it: then there is one release, one charge, and one joint noise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Final

from sqlglot import exp

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.aggregates.aggregate_calls import CALLS
from tacit.query.post_noise.expression import AggregateReference
from tacit.query.post_noise.post_processing import column_names
from tacit.query.post_noise.scope import PostNoiseScope, canonical, plain
from tacit.query.sql.from_clause import group_keys

RELEASED: Final = "__released"
"""The table of released groups: key columns k0, k1 …, and aggregates a0, a1 …"""

_CORE = "__core_"
_MOST_CORES = 32
_CLAUSES = {
    *("expressions", "from_", "joins", "where", "group", "having", "order", "limit", "offset", "with_", "kind"),
    *("distinct", "qualify", "windows"),
}
_ALONE = "COUNT(*), COUNT(x) and SUM(x), which the groups add up to"


@frozen(eq=False)
class Core:
    """A private question inside a statement: the rows with their condition, the keys, and the calls by their SQL."""

    rows: exp.Select  # WITH, FROM and joins
    where: exp.Expression | None
    keys: tuple[exp.Expression, ...]
    calls: Mapping[str, exp.Expression]

    @property
    def question(self) -> exp.Select:
        """The core as a SELECT of its keys and calls."""
        select = self.rows.copy()
        select.set("expressions", [node.copy() for node in (*self.keys, *self.calls.values())])
        select.set("where", exp.Where(this=self.where.copy()) if self.where else None)
        select.set("group", exp.Group(expressions=[key.copy() for key in self.keys]) if self.keys else None)
        return select


@frozen(eq=False)
class Statement:
    """One private question, and the query that computes the answer from the table of its groups."""

    core: exp.Select
    keys: tuple[str, ...]  # the canonical SQL of the keys, in the order of the columns k0, k1 …
    calls: tuple[str, ...]  # the same of the aggregates a0, a1 …
    outer: exp.Query
    needs_public_keys: bool  # whether several cores are merged in one, so that private keys would choose for each other


@frozen(eq=False)
class Splitter:
    """The search for the cores of a statement; `check` refuses a SELECT that is no private question."""

    check: Callable[[exp.Select], object]
    cores: list[Core] = field(default_factory=list)

    def split(self, tree: exp.Query) -> Statement | None:
        """The statement, or None where it has no private core."""
        outer = self._query(tree, {})
        if not self.cores:
            return None
        merged, needs_public = _merged(self.cores)
        names = {canonical(key): f"k{place}" for place, key in enumerate(merged.keys)}
        calls = {name: f"a{place}" for place, name in enumerate(merged.calls)}
        is_filtered = _differ(self.cores)
        views = [
            exp.CTE(this=_view(core, bool(names), calls, is_filtered), alias=_named_table(f"{_CORE}{place}"))
            for place, core in enumerate(self.cores)
        ]
        before = outer.args.get("with_")
        outer.set("with_", exp.With(expressions=[*views, *(before.expressions if before else [])]))
        return Statement(merged.question, tuple(names), tuple(calls), outer, needs_public)

    def _query(self, tree: exp.Expression, named: Mapping[str, exp.Expression]) -> exp.Query:
        """The query with each core replaced by the table of its groups; refused where private rows remain."""
        if isinstance(tree, exp.SetOperation):
            _refuse_other_clauses(tree, {"this", "expression", "distinct", "order", "limit", "offset", "with_"})
            known = {**named, **_common(tree)}
            done = tree.copy()
            done.set("with_", None)
            for side in ("this", "expression"):
                inner = self._query(tree.args[side], known)
                done.set(side, exp.Subquery(this=inner) if isinstance(tree.args[side], exp.Subquery) else inner)
            return done
        if isinstance(tree, exp.Subquery):
            _refuse_other_clauses(tree, {"this", "alias"})
            return self._query(tree.this, named)
        if not isinstance(tree, exp.Select):
            raise Refused(f"{tree.sql('duckdb')[:60]}", "It is no SELECT.", "SELECT … FROM … .")
        _refuse_other_clauses(tree, _CLAUSES)
        known = {**named, **_common(tree)}
        core, refusal = self._core(tree, known)
        return self._over_groups(tree, core, known) if core is not None else self._around(tree, known, refusal)

    def _core(self, select: exp.Select, named: Mapping[str, exp.Expression]) -> tuple[Core | None, Refused | None]:
        """The SELECT's own core, or why it has none."""
        if select.args.get("from_") is None:
            return None, None
        try:
            keys = _keys(select)
            calls = {canonical(node): node for node in _calls(select)}
            if not keys and not calls:
                return None, None
            rows = exp.Select(from_=select.args["from_"].copy(), joins=[j.copy() for j in select.args.get("joins") or []])
            rows.set("with_", _needed(select, named))
            where = select.args.get("where")
            core = Core(rows, where.this.copy() if where else None, tuple(keys), calls)
            self.check(core.question)
        except Refused as refused:
            return None, refused
        return core, None

    def _over_groups(self, select: exp.Select, core: Core, named: Mapping[str, exp.Expression]) -> exp.Select:
        """The SELECT over the table of its core's groups: HAVING becomes WHERE."""
        self.cores.append(core)
        if not len(self.cores) <= _MOST_CORES:
            asked = f"more than {_MOST_CORES} private sub-queries in one statement"
            raise Refused(asked, "Each is written out where it is named.", "fewer of them.")
        name = f"{_CORE}{len(self.cores) - 1}"
        scope = PostNoiseScope.of([canonical(key) for key in core.keys], list(core.calls))
        places = {canonical(key): f"k{place}" for place, key in enumerate(core.keys)}
        places |= {call: f"a{place}" for place, call in enumerate(core.calls)}
        aliases = {item.alias.lower() for item in select.expressions if isinstance(item, exp.Alias)}

        def read(node: exp.Expression) -> exp.Expression:
            is_alias = isinstance(node, exp.Column) and not node.table and node.name.lower() in aliases
            if is_alias and node.find_ancestor(exp.Order) in select.args.values():
                return node.copy()
            found = scope.found(plain(node)) if not isinstance(node, exp.Alias | exp.Window | exp.Ordered) else None
            if found is not None:
                own = found.name if isinstance(found, AggregateReference) else getattr(found, "name", "")
                return exp.column(places[own], table=name, quoted=True)
            if isinstance(node, exp.Subquery):
                return exp.Subquery(this=self._query(node, named))
            if isinstance(node, exp.Column):
                if is_alias:
                    return node.copy()
                raise scope.column(node)
            done = node.copy()
            for key, value in node.args.items():
                if isinstance(value, list):
                    done.set(key, [read(each) if isinstance(each, exp.Expression) else each for each in value])
                elif isinstance(value, exp.Expression):
                    done.set(key, read(value))
            return done

        titles = column_names(select.expressions, [False] * len(select.expressions))
        items = [
            exp.alias_(read(item.unalias()), title, quoted=True)
            for item, title in zip(select.expressions, titles, strict=True)
        ]
        having = select.args.get("having")
        found = exp.Select(expressions=items, from_=exp.From(this=exp.to_table(name, dialect="duckdb")))
        if having:
            found.set("where", exp.Where(this=read(having.this)))
        for clause in ("qualify", "order", "limit", "offset", "windows", "distinct"):
            value = select.args.get(clause)
            if isinstance(value, exp.Expression) and not (clause == "distinct" and not core.calls):
                found.set(clause, read(value))
        if select.args.get("windows"):
            raise Refused("WINDOW", "A window has its definition where it is used here.", "OVER (ORDER BY …).")
        return found

    def _around(
        self, select: exp.Select, named: Mapping[str, exp.Expression], refusal: Refused | None
    ) -> exp.Select:
        """A SELECT over tables that hold released groups: each of its sub-queries and common tables has a core."""
        done = select.copy()
        done.set("with_", None)
        for table in [node for node in done.find_all(exp.Table) if _level(node) is done]:
            body = named.get(table.name.lower())
            others = {name for name, value in table.args.items() if value} - {"this", "alias"}
            if body is None or others or not isinstance(table.this, exp.Identifier):
                raise refusal or Refused(
                    f"FROM {table.sql('duckdb')}",
                    "It holds no released groups: people's own rows, files and other tables are not read beside them.",
                    "a sub-query with aggregates, and GROUP BY if wanted.",
                )
            _refuse_column_names(table)
            earlier = {name: each for name, each in named.items() if name != table.name.lower()}
            inner = exp.Subquery(this=self._query(body, earlier), alias=_named_table(table.alias or table.name))
            table.replace(inner)
            inner.set("_is_done", True)
        for sub in [node for node in done.find_all(exp.Subquery) if _level(node) is done]:
            if not sub.args.get("_is_done"):
                _refuse_column_names(sub)
                sub.set("this", self._query(sub, named))
        for sub in list(done.find_all(exp.Subquery)):
            sub.args.pop("_is_done", None)
        return done


def _named_table(name: str) -> exp.TableAlias:
    return exp.TableAlias(this=exp.to_identifier(name, quoted=True))


def _level(node: exp.Expression) -> exp.Expression | None:
    """The SELECT that a node stands in directly."""
    return node.parent_select


def _refuse_column_names(node: exp.Expression) -> None:
    if isinstance(node.args.get("alias"), exp.TableAlias) and node.args["alias"].columns:
        raise Refused(node.args["alias"].sql("duckdb"), "It renames columns by their order.", "SELECT … AS a_name in it.")


def _common(tree: exp.Expression) -> dict[str, exp.Expression]:
    clause = tree.args.get("with_")
    if clause is None:
        return {}
    if clause.args.get("recursive"):
        raise Refused("WITH RECURSIVE", "A recursion has no bound.", "WITH without RECURSIVE.")
    for part in clause.expressions:
        if part.args["alias"].columns or part.alias.startswith("__"):
            raise Refused(f"WITH {part.args['alias'].sql('duckdb')}", "A common table has a plain name.", "WITH d AS (…).")
    return {part.alias.lower(): part.this for part in clause.expressions}


def _needed(select: exp.Select, named: Mapping[str, exp.Expression]) -> exp.With | None:
    """The common tables that a SELECT's rows are read from, in an order in which each comes after those it reads."""
    wanted: dict[str, exp.Expression] = {}

    def visit(node: exp.Expression) -> None:
        for table in node.find_all(exp.Table):
            name = table.name.lower()
            if name in named and name not in wanted:
                visit(named[name])
                wanted[name] = named[name]

    for clause in ("from_", "where"):
        if select.args.get(clause):
            visit(select.args[clause])
    for join in select.args.get("joins") or []:
        visit(join)
    order = [name for name in named if name in wanted]
    listed = [exp.CTE(this=named[name].copy(), alias=_named_table(name)) for name in order]
    return exp.With(expressions=listed) if listed else None


def _keys(select: exp.Select) -> list[exp.Expression]:
    """The keys of GROUP BY; DISTINCT of columns without aggregates is GROUP BY all of them."""
    distinct = select.args.get("distinct")
    if distinct and not distinct.args.get("on") and not select.args.get("group") and not list(_calls(select)):
        return [item.unalias() for item in select.expressions if not item.find(exp.Window)]
    if select.args.get("group") and select.args["group"].args.get("all"):
        items = [item.unalias() for item in select.expressions]
        return [item for item in items if not item.find(exp.AggFunc, exp.WithinGroup, exp.Window)]
    return group_keys(select)


def _calls(select: exp.Select) -> list[exp.Expression]:
    """The aggregate calls that are computed of rows: those inside a window function's arguments are, itself is not."""
    found: list[exp.Expression] = []

    def visit(node: exp.Expression, is_windowed: bool) -> None:
        if isinstance(node, exp.Window):
            visit(node.this, True)
            for part in (*(node.args.get("partition_by") or []), node.args.get("order")):
                if part is not None:
                    visit(part, False)
        elif is_windowed and isinstance(node, exp.Filter | exp.IgnoreNulls | exp.RespectNulls):
            visit(node.this, True)
        elif isinstance(node, CALLS) and not is_windowed:
            found.append(node)
        elif not isinstance(node, exp.Query):
            for part in node.iter_expressions():
                visit(part, False)

    clauses = [*select.expressions, *(select.args.get(name) for name in ("having", "qualify", "order"))]
    for clause in clauses:
        if clause is not None:
            visit(clause, False)
    return found


def _refuse_other_clauses(tree: exp.Expression, known: set[str]) -> None:
    extra = {name for name, value in tree.args.items() if value} - known
    if extra:
        named = ", ".join(sorted(name.strip("_").replace("_", " ").upper() for name in extra))
        raise Refused(named, "It has no private form here.", "SELECT, FROM, WHERE, GROUP BY, HAVING, ORDER BY, LIMIT.")


def _differ(cores: Sequence[Core]) -> bool:
    return len({_sql(core.where) for core in cores}) > 1


def _sql(node: exp.Expression | None) -> str:
    return "" if node is None else canonical(node)


def _merged(cores: Sequence[Core]) -> tuple[Core, bool]:
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
            node = _filtered(call, core.where) if _differ(cores) else call
            calls[canonical(node)] = node
    where = None if _differ(cores) else first.where
    needs_public = bool(keyed) and (is_mixed or _differ(cores))
    return Core(first.rows, where, keyed[0].keys if keyed else (), calls), needs_public


def _adds_up(call: exp.Expression) -> bool:
    inner = call.this if isinstance(call, exp.Filter) else call
    return isinstance(inner, exp.Count | exp.Sum) and not isinstance(inner.this, exp.Distinct)


def _filtered(call: exp.Expression, where: exp.Expression | None) -> exp.Expression:
    if where is None:
        return call
    if isinstance(call, exp.Filter):
        return exp.Filter(this=call.this.copy(), expression=exp.Where(this=exp.and_(call.expression.this, where)))
    return exp.Filter(this=call.copy(), expression=exp.Where(this=where.copy()))


def _view(core: Core, is_keyed: bool, calls: Mapping[str, str], is_filtered: bool) -> exp.Select:
    """The groups of one core, from the table of all."""
    adds_up = is_keyed and not core.keys
    items = [exp.column(f"k{place}", quoted=True) for place in range(len(core.keys))]
    for place, call in enumerate(core.calls.values()):
        column = exp.column(calls[canonical(_filtered(call, core.where) if is_filtered else call)], quoted=True)
        items.append(exp.alias_(exp.Sum(this=column) if adds_up else column, f"a{place}", quoted=True))
    return exp.Select(expressions=items, from_=exp.From(this=exp.to_table(RELEASED)))
