"""Queries as ibis expressions: compiled to SQL without a connection, and planned like SQL text."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Protocol, TypeAlias

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from tacit.errors import Refused
from tacit.schema.catalogue import Catalogue, natural_kind
from tacit.schema.description import EachRow, Lookup, OwnColumn, Table
from tacit.schema.kind import Kind


class IbisExpression(Protocol):
    """The protocol of an ibis expression that can be unbound from its backend."""

    def unbind(self) -> Any: ...


Asked: TypeAlias = str | IbisExpression
"""A question: SQL, or an ibis expression over the tables that `Dataset.table` gives."""


def ibis_table(name: str, catalogue: Catalogue) -> Any:
    """A described table for ibis: its columns and their types, and the unit's identifier, to count or group by."""
    table = catalogue.table(name)
    types = {column.name: _type(column.kind, column.scale) for column in table.columns.values()}
    person = _person(table, catalogue)
    if person is not None and person.lower() not in {known.lower() for known in types}:
        types = {person: _person_type(table, person, catalogue), **types}
    return _ibis("ibis").table(types, name=table.name)


def sql_of_all(asked: Asked | Sequence[Asked]) -> str:
    """The SQL of one question or of several, with a semicolon between them."""
    if isinstance(asked, str) or not isinstance(asked, Sequence):
        return sql_of(asked)
    return "\n;\n".join(sql_of(each).rstrip().rstrip(";") for each in asked)  # a text may end with a comment


def sql_of(asked: Asked) -> str:
    """The SQL of a question, with the nested sub-selects of ibis merged."""
    if isinstance(asked, str):
        return asked
    if not type(asked).__module__.startswith("ibis."):
        kind = type(asked).__name__
        raise Refused(f"a question of the type {kind}", "It is neither text nor an ibis expression.", _ACCEPTED)
    from tacit.query.sql.simplification.ibis_idioms import in_plain_words  # SQL text needs neither module
    from tacit.query.sql.simplification.sub_selects import merged

    ibis = _ibis("ibis")
    if not isinstance(asked, ibis.Expr):
        raise Refused("this expression", "It says nothing of which table it is asked.", _ACCEPTED)
    compiler = _ibis("ibis.backends.sql.compilers.duckdb").compiler
    try:
        tree = sqlglot.parse_one(compiler.to_sqlglot(asked.unbind()).sql(dialect="duckdb"), dialect="duckdb")
    except (ibis.common.exceptions.IbisError, SqlglotError, NotImplementedError, LookupError, TypeError, ValueError):
        raise Refused("this expression", "It has no form in SQL of DuckDB's dialect.", _ACCEPTED) from None
    except RecursionError:
        raise Refused("this expression", "It is nested too deeply.", "a shorter expression.") from None
    said = in_plain_words(merged(tree)) if isinstance(tree, exp.Select) else tree
    return said.sql(dialect="duckdb")


_ACCEPTED = "SQL, or an ibis expression such as t.group_by('region').agg(n=t.count()) with t = data.table('visits')."


def _ibis(module: str) -> Any:
    try:
        return import_module(module)
    except ModuleNotFoundError:
        raise Refused("a question in ibis", "ibis is not installed.", "pip install 'tacit[ibis]'; or SQL.") from None


def _type(kind: Kind, scale: int) -> str:
    return kind.traits.ibis or f"decimal(18, {scale})"


def _person(table: Table | Lookup, catalogue: Catalogue) -> str | None:
    """The name of the unit's identifier in this table, also where its rows are owned through another."""
    if isinstance(table, Lookup) or isinstance(table.owner, EachRow):
        return None
    return table.owner.column if isinstance(table.owner, OwnColumn) else catalogue.description.unit.identifier


def _person_type(table: Table | Lookup, person: str, catalogue: Catalogue) -> str:
    found = natural_kind(catalogue.physical_type(table.name, person) or "VARCHAR")
    return "string" if found is None else _type(*found)
