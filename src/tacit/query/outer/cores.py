"""The private core of a statement, and the query around it.

A core is the outermost SELECT that is a private question: its rows, keys and aggregates. The statement around it reads
the core's released groups, as a table, and nothing else. Several cores over the same rows are one question, where
aggregates with FILTER say it: then there is one release, one charge, and one joint noise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from sqlglot import exp

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.outer.core_parts import calls_of, common_tables, keys_of, table_alias
from tacit.query.outer.merged_cores import Core, differ, merged, view
from tacit.query.post_noise.expression import AggregateReference
from tacit.query.post_noise.post_processing import column_names
from tacit.query.post_noise.scope import PostNoiseScope, canonical, plain

_CORE = "__core_"
_MOST_CORES = 32
_MOST_SELECTS = 256  # read, each as often as it is named
_CLAUSES = {
    *("expressions", "from_", "joins", "where", "group", "having", "order", "limit", "offset", "with_", "kind"),
    *("distinct", "qualify", "windows"),
}


@frozen(eq=False)
class SplitStatement:
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
    lookup: Callable[[str], str | None] = field(default=lambda _: None)  # the public table that a name means
    cores: list[Core] = field(default_factory=list)
    selects: list[exp.Select] = field(default_factory=list)  # all that were read

    def split(self, tree: exp.Query) -> SplitStatement | None:
        """The statement, or None where it has no private core."""
        outer = self._query(tree, {})
        if not self.cores:
            return None
        whole, needs_public = merged(self.cores)
        names = {canonical(key): f"k{place}" for place, key in enumerate(whole.keys)}
        calls = {name: f"a{place}" for place, name in enumerate(whole.calls)}
        is_filtered = differ(self.cores)
        views = [
            exp.CTE(this=view(core, bool(names), calls, is_filtered), alias=table_alias(f"{_CORE}{place}"))
            for place, core in enumerate(self.cores)
        ]
        before = outer.args.get("with_")
        outer.set("with_", exp.With(expressions=[*views, *(before.expressions if before else [])]))
        return SplitStatement(whole.question, tuple(names), tuple(calls), outer, needs_public)

    def _query(self, tree: exp.Expr, named: Mapping[str, exp.Expr]) -> exp.Query:
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
        self.selects.append(tree)
        if not len(self.selects) <= _MOST_SELECTS:
            asked = f"more than {_MOST_SELECTS} SELECTs in one statement"
            raise Refused(asked, "A common table is read again wherever it is named.", "fewer of them.")
        known = {**named, **_common(tree)}
        core, refusal = self._core(tree, known)
        return self._over_groups(tree, core, known) if core is not None else self._around(tree, known, refusal)

    def _core(self, select: exp.Select, named: Mapping[str, exp.Expr]) -> tuple[Core | None, Refused | None]:
        """The SELECT's own core, or why it has none."""
        if select.args.get("from_") is None:
            return None, None
        try:
            keys = keys_of(select)
            calls = {canonical(node): node for node in calls_of(select)}
            if not keys and not calls:
                return None, None
            rows = exp.Select(
                from_=select.args["from_"].copy(), joins=[j.copy() for j in select.args.get("joins") or []]
            )
            rows.set("with_", common_tables(select, named))
            where = select.args.get("where")
            core = Core(rows, where.this.copy() if where else None, tuple(keys), calls)
            self.check(core.question)
        except Refused as refused:
            return None, refused
        return core, None

    def _over_groups(self, select: exp.Select, core: Core, named: Mapping[str, exp.Expr]) -> exp.Select:
        """The SELECT over the table of its core's groups: HAVING becomes WHERE."""
        self.cores.append(core)
        if not len(self.cores) <= _MOST_CORES:
            asked = f"more than {_MOST_CORES} private sub-queries in one statement"
            raise Refused(asked, "Each is written out where it is named.", "fewer of them.")
        name = f"{_CORE}{len(self.cores) - 1}"
        scope = PostNoiseScope.of([canonical(key) for key in core.keys], list(core.calls))
        places = {canonical(key): f"__k{place}" for place, key in enumerate(core.keys)}
        places |= {call: f"__a{place}" for place, call in enumerate(core.calls)}
        aliases = {item.alias.lower() for item in select.expressions if isinstance(item, exp.Alias)}

        def read(node: exp.Expr) -> exp.Expr:
            is_alias = isinstance(node, exp.Column) and not node.table and node.name.lower() in aliases
            if is_alias and node.find_ancestor(exp.Order) in select.args.values():
                return node.copy()
            found = scope.found(plain(node)) if not isinstance(node, exp.Alias | exp.Window | exp.Ordered) else None
            if found is not None:
                own = found.name if isinstance(found, AggregateReference) else getattr(found, "name", "")
                return exp.column(places[own], table=name, quoted=True)
            if isinstance(node, exp.Subquery | exp.Exists):
                return type(node)(this=self._query(node if isinstance(node, exp.Subquery) else node.this, named))
            if isinstance(node, exp.Column):
                if is_alias:
                    return node.copy()
                raise scope.column(node)
            done = node.copy()
            for key, value in node.args.items():
                if isinstance(value, list):
                    done.set(key, [read(each) if isinstance(each, exp.Expr) else each for each in value])
                elif isinstance(value, exp.Expr):
                    done.set(key, read(value))
            return done

        titles = column_names(select.expressions, [False] * len(select.expressions))
        if any(title.startswith("__") for title in titles):
            raise Refused("a column whose name begins with __", "Columns of groups are called so.", "another name.")
        items = [
            exp.Alias(this=read(item.unalias()), alias=exp.to_identifier(title, quoted=True))
            for item, title in zip(select.expressions, titles, strict=True)
        ]
        having = select.args.get("having")
        found = exp.Select(expressions=items, from_=exp.From(this=exp.to_table(name, dialect="duckdb")))
        if having:
            found.set("where", exp.Where(this=read(having.this)))
        for clause in ("qualify", "order", "limit", "offset", "windows", "distinct"):
            value = select.args.get(clause)
            if isinstance(value, exp.Expr) and not (clause == "distinct" and not core.calls):
                found.set(clause, read(value))
        if select.args.get("windows"):
            raise Refused("WINDOW", "A window has its definition where it is used here.", "OVER (ORDER BY …).")
        return found

    def _around(self, select: exp.Select, named: Mapping[str, exp.Expr], refusal: Refused | None) -> exp.Select:
        """A SELECT over tables that hold released groups: each of its sub-queries and common tables has a core."""
        done = select.copy()
        done.set("with_", None)
        for table in [node for node in done.find_all(exp.Table) if _level(node) is done]:
            body = named.get(table.name.lower())
            public = None if body is not None or table.args.get("db") else self.lookup(table.name)
            others = {name for name, value in table.args.items() if value} - {"this", "alias"}
            if public is not None and not others and isinstance(table.this, exp.Identifier):
                _refuse_column_names(table)
                table.set("alias", table_alias(table.alias or table.name))
                table.set("this", exp.to_identifier(public, quoted=True))
                continue
            if body is None or others or not isinstance(table.this, exp.Identifier):
                raise refusal or Refused(
                    f"FROM {table.sql('duckdb')}",
                    "It holds no released groups: people's own rows, files and other tables are not read beside them.",
                    "a sub-query with aggregates, and GROUP BY if wanted.",
                )
            _refuse_column_names(table)
            earlier = {name: each for name, each in named.items() if name != table.name.lower()}
            inner = exp.Subquery(this=self._query(body, earlier), alias=table_alias(table.alias or table.name))
            table.replace(inner)
            inner.set("_is_done", True)
        for sub in [node for node in done.find_all(exp.Subquery) if _level(node) is done]:
            if not sub.args.get("_is_done"):
                _refuse_column_names(sub)
                sub.set("this", self._query(sub, named))
        for sub in list(done.find_all(exp.Subquery)):
            sub.args.pop("_is_done", None)
        for test in [node for node in done.find_all(exp.Exists) if _level(node) is done]:
            test.set("this", self._query(test.this, named))
        return done


def _level(node: exp.Expr) -> exp.Expr | None:
    """The SELECT that a node stands in directly."""
    return node.parent_select


def _refuse_column_names(node: exp.Expr) -> None:
    if isinstance(node.args.get("alias"), exp.TableAlias) and node.args["alias"].columns:
        raise Refused(
            node.args["alias"].sql("duckdb"), "It renames columns by their order.", "SELECT … AS a_name in it."
        )


def _common(tree: exp.Expr) -> dict[str, exp.Expr]:
    clause = tree.args.get("with_")
    if clause is None:
        return {}
    if clause.args.get("recursive"):
        raise Refused("WITH RECURSIVE", "A recursion has no bound.", "WITH without RECURSIVE.")
    for part in clause.expressions:
        if part.args["alias"].columns or part.alias.startswith("__"):
            raise Refused(
                f"WITH {part.args['alias'].sql('duckdb')}", "A common table has a plain name.", "WITH d AS (…)."
            )
    return {part.alias.lower(): part.this for part in clause.expressions}


def _refuse_other_clauses(tree: exp.Expr, known: set[str]) -> None:
    extra = {name for name, value in tree.args.items() if value} - known
    if extra:
        named = ", ".join(sorted(name.strip("_").replace("_", " ").upper() for name in extra))
        raise Refused(named, "It has no private form here.", "SELECT, FROM, WHERE, GROUP BY, HAVING, ORDER BY, LIMIT.")
