"""Translation of lowered SQL, which is DuckDB's, to another engine's dialect.

SELECT and its clauses are written in the target dialect: every column by name, every name resolved. Parsing and walking
take some Python calls for each part of a statement, so `deep` raises Python's recursion limit for the deepest one.
Queries are at most 120 parts deep, and lowering adds a fixed number to that. A statement that is still too deep is
refused: every statement is translated once before its charge.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from threading import Lock
from typing import Final

import sqlglot
from sqlglot import exp

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.query.engines.dialect import Dialect
from tacit.query.engines.expression_walk import (
    Attempting,
    Handler,
    NameScope,
    TranslatedColumn,
    TranslatedRelation,
    Walk,
    attempt,
    without_attempts,
)
from tacit.query.engines.operator_handlers import OPERATORS
from tacit.query.engines.value_handlers import AGGREGATES, LEAVES
from tacit.query.sql.dialects.sql_type import hull, unified
from tacit.query.sql.dialects.translator import Piece, cannot
from tacit.query.sql.expressions.rule_registry import FUNCTIONS

FRAMES: Final = 20_000
_ONE_AT_A_TIME = Lock()  # the limit is shared by all threads, and is restored


@contextmanager
def deep() -> Iterator[None]:
    """Calls in this block may nest `FRAMES` deep."""
    with _ONE_AT_A_TIME:
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(before, FRAMES))
        try:
            yield
        except RecursionError:
            raise Refused(
                "a query nested this deeply", "The statement has too many parts inside one another.", "a flatter query."
            ) from None
        finally:
            sys.setrecursionlimit(before)


_HANDLERS: Mapping[type[exp.Expression], Handler] = {
    **{node: entry.lowered.translation for entry in FUNCTIONS if entry.lowered for node in entry.nodes},
    **LEAVES,
    **OPERATORS,
    **AGGREGATES,
    exp.Try: attempt,
}
_NAMED: Mapping[str, Handler] = {
    name: entry.lowered.translation for entry in FUNCTIONS if entry.lowered for name in entry.names
}
_CLAUSES = {"expressions", "from_", "joins", "where", "group", "having", "with_", "distinct", "qualify"}
_PLACE = "__place"
_MOST_COLUMNS = 1_500  # PostgreSQL allows 1,664, some of which a run needs itself
Relations = Mapping[str, TranslatedRelation]


@frozen
class Selects:
    """Translates whole SELECTs; `relations` are the tables and common table expressions that they may name."""

    dialect: Dialect
    relations: Relations

    def query(self, node: exp.Expression) -> TranslatedRelation:
        """A SELECT, or several joined by UNION ALL: its text without brackets, and its columns."""
        clause = node.args.get("with_")
        if clause is not None:
            return self._named(clause, node)
        if isinstance(node, exp.Union):
            return self._union(node)
        if not isinstance(node, exp.Select) or {key for key, value in node.args.items() if value} - _CLAUSES:
            raise self._refusal("this SELECT")
        return self._qualified(node) if node.args.get("qualify") else self._select(node)

    def _walk(self, scope: NameScope) -> Walk:
        return Walk(self.dialect, scope, _HANDLERS, _NAMED, self.query)

    def _refusal(self, what: str) -> Exception:
        return cannot(self.dialect.engine, what, "a query without it; or the data in a Parquet file.")

    def _named(self, clause: exp.Expression, node: exp.Expression) -> TranslatedRelation:
        known, said = dict(self.relations), []
        for part in clause.expressions:
            body = replace(self, relations=known).query(part.this)
            name = self.dialect.quoted(part.alias)
            known[part.alias.lower()] = TranslatedRelation(name, body.columns)
            text = self.dialect.materialized(body.sql) if part.args.get("materialized") else f"AS ({body.sql})"
            said.append(f"{name} {text}")
        rest = node.copy()
        rest.set("with_", None)
        body = replace(self, relations=known).query(rest)
        return replace(body, sql=f"WITH {', '.join(said)} {body.sql}")

    def _union(self, node: exp.Union) -> TranslatedRelation:
        if node.args.get("distinct") or node.args.get("order"):
            raise self._refusal("UNION")
        left, right = self.query(node.this), self.query(node.expression)
        columns = []
        for one, two in zip(left.columns, right.columns, strict=True):
            kind = unified(one.type, two.type)
            if kind is None or kind not in (one.type, two.type):
                raise self._refusal(f"UNION ALL of {one.type} and {two.type}")
            columns.append(TranslatedColumn(one.name, kind, hull([one.reach, two.reach]), fixed=one.fixed or two.fixed))
        return TranslatedRelation(f"{left.sql} UNION ALL {right.sql}", tuple(columns))

    def _select(self, node: exp.Select) -> TranslatedRelation:
        origin = node.args.get("from_")
        scope, places = self._from(origin.this, node.args.get("joins") or []) if origin else (NameScope(), "")
        walk = self._walk(scope)
        outputs = self._outputs(node, scope, walk)
        if len(outputs) > _MOST_COLUMNS:
            asked, why = f"{len(outputs)} columns in one SELECT", "A server takes no more in one statement."
            raise cannot(self.dialect.engine, asked, f"at most {_MOST_COLUMNS} that are used.", why)
        listed = ", ".join(f"{piece.sql} AS {self.dialect.quoted(name)}" for name, piece in outputs)
        clauses = [f"SELECT {'DISTINCT ' if node.args.get('distinct') else ''}{listed}"]
        if origin:
            clauses.append(f"FROM {places}")
        if where := node.args.get("where"):
            clauses.append(f"WHERE {walk(where.this).sql}")
        if group := node.args.get("group"):
            clauses.append(f"GROUP BY {', '.join(self._key(key, scope, outputs, walk) for key in group.expressions)}")
        if having := node.args.get("having"):
            clauses.append(f"HAVING {walk(having.this).sql}")
        columns = tuple(TranslatedColumn(name, piece.type, piece.reach, fixed=piece.fixed) for name, piece in outputs)
        is_grouped = bool(group) or any(relation.is_grouped for _, relation in scope.sources)
        return TranslatedRelation(" ".join(clauses), columns, is_grouped)

    def _key(self, node: exp.Expression, scope: NameScope, outputs: list[tuple[str, Piece]], walk: Walk) -> str:
        """A GROUP BY name: a column of that name if there is one, else the output of that name."""
        if isinstance(node, exp.Column) and scope.find(node.name, node.table or None) is None:
            names = [name.lower() for name, _ in outputs]
            if names.count(node.name.lower()) == 1:
                return str(names.index(node.name.lower()) + 1)
        return walk(node).sql

    def _outputs(self, node: exp.Select, scope: NameScope, walk: Walk) -> list[tuple[str, Piece]]:
        found: list[tuple[str, Piece]] = []
        for item in node.expressions:
            if isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star)):
                found += self._all(item, scope, walk)
            elif isinstance(item, exp.Alias):
                found.append((item.alias, walk(item.this)))
            elif isinstance(item, exp.Column):
                found.append((item.name, walk(item)))
            else:
                raise self._refusal("a column without a name")
        return found

    def _all(self, item: exp.Expression, scope: NameScope, walk: Walk) -> list[tuple[str, Piece]]:
        """The columns of *."""
        wanted = item.args.get("table")
        return [
            (column.name, walk(exp.column(column.name, table=alias, quoted=True)))
            for alias, relation in scope.sources
            if wanted is None or wanted.name.lower() == alias.lower()
            for column in relation.columns
        ]

    def _from(self, first: exp.Expression, joins: list[exp.Join]) -> tuple[NameScope, str]:
        alias, relation = self._source(first)
        scope, text = NameScope([(alias, relation)]), f"{relation.sql} AS {self.dialect.quoted(alias)}"
        for join in joins:
            kind = " ".join(word for word in (join.method, join.side, join.kind) if word).upper()
            if kind not in ("", "INNER", "LEFT"):
                raise self._refusal(f"{kind} JOIN")
            alias, relation = self._source(join.this)
            using: list[str] = [name.name for name in join.args.get("using") or []]
            merged = scope.merged | {name.lower() for name in using}
            scope = NameScope([*scope.sources, (alias, relation)], frozenset(merged))
            if using:
                test = f"USING ({', '.join(map(self.dialect.quoted, using))})"
            else:
                test = f"ON {self._walk(scope)(join.args['on']).sql}"
            word = "LEFT JOIN" if kind == "LEFT" else "JOIN"
            text += f" {word} {relation.sql} AS {self.dialect.quoted(alias)} {test}"
        return scope, text

    def _source(self, node: exp.Expression) -> tuple[str, TranslatedRelation]:
        if isinstance(node, exp.Subquery):
            body = self.query(node.this)
            is_calculated = body.is_grouped and isinstance(node.this, exp.Select) and not node.this.args.get("group")
            return node.alias, replace(body, sql=f"({self.dialect.settled(body.sql) if is_calculated else body.sql})")
        relation = self.relations.get(node.name.lower()) if isinstance(node, exp.Table) else None
        if relation is None:
            raise self._refusal(f"FROM {node.name}")
        return node.alias or node.name, relation

    def _qualified(self, node: exp.Select) -> TranslatedRelation:
        """QUALIFY, which some engines lack, as a sub-query with numbered rows."""
        test = node.args["qualify"].this
        if not (isinstance(test, exp.EQ) and isinstance(test.this, exp.Window)):
            raise self._refusal("this QUALIFY")
        inner = node.copy()
        inner.set("qualify", None)
        inner.append("expressions", exp.alias_(test.this.copy(), _PLACE, quoted=True))
        body = self._select(inner)
        columns = body.columns[:-1]
        listed = ", ".join(self.dialect.quoted(column.name) for column in columns)
        place = f"{self.dialect.quoted(_PLACE)} = {test.expression.name}"
        alias = self.dialect.quoted("__qualified")
        return TranslatedRelation(f"SELECT {listed} FROM ({body.sql}) AS {alias} WHERE {place}", columns)


def translate(sql: str, tables: Mapping[str, TranslatedRelation], dialect: Dialect) -> TranslatedRelation:
    """One SELECT in the target dialect: its text, without brackets, and its columns with their types.

    `tables` are the relations that it may name, each with its text after FROM. Claim: on the same rows both texts give
    the same values; a statement that cannot be translated is `Refused`, and nothing is read.
    """
    with deep():
        known = {name.lower(): relation for name, relation in tables.items()}
        tree = sqlglot.parse_one(sql, read="duckdb")
        if not isinstance(tree, exp.Expression):
            raise TypeError("lowered SQL is one SELECT")
        return Selects(dialect, known).query(tree if isinstance(dialect, Attempting) else without_attempts(tree))
