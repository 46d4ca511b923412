"""The PostgreSQL engine: the server adds up the data, and returns only bounded integers.

A statement that fails on a row runs again on a second connection, with NULL for the failing part on that row. Without
failures it costs nothing, because the first statement does not include it. The second connection, in which the
functions of `AttemptingPostgres` are created, reads the snapshot of the first. The functions are temporary and end with
the connection. The role needs TEMPORARY on the database, as PUBLIC has; otherwise the statement fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import TYPE_CHECKING, Any, Final

from psycopg import Connection, Error

from tacit.errors import Failed, Refused
from tacit.frozen import frozen
from tacit.query.engines.expression_walk import TranslatedColumn, TranslatedRelation
from tacit.query.engines.postgres.columns import (
    COLUMNS_SQL,
    PostgresColumn,
    arrow_table,
    column_of,
    quoted,
    relation_of,
)
from tacit.query.engines.postgres.connection import (
    BEGIN,
    VERSION_SQL,
    batches,
    fetched,
    held,
    looked_up,
    named,
    opened,
    snapshot,
)
from tacit.query.engines.postgres.dialect import SETTINGS, AttemptingPostgres, Postgres
from tacit.query.engines.protocol import Headers
from tacit.query.engines.translation import translate
from tacit.query.sql.dialects.sql_type import type_named
from tacit.schema.description import Description, Source

if TYPE_CHECKING:
    import pyarrow as pa

IS_ON = True  # tests turn it off to test the first line alone; it is not a setting
_PLACE = "tacit_before"
SAVEPOINT: Final = f"SAVEPOINT {_PLACE}"
"""To be set once the tables are held: a statement that fails ends nothing but what came after it."""


def attempted(
    sql: str, tables: Mapping[str, TranslatedRelation], kept: Sequence[tuple[str, str]]
) -> tuple[str, list[str]]:
    """A SELECT with every TRY in it and in the SELECTs kept before, and the statements that create its functions."""
    dialect, relations = AttemptingPostgres(), dict(tables)
    try:
        for name, body in kept:
            said = translate(body, relations, dialect)
            relations[name] = TranslatedRelation(f"({said.sql})", said.columns)
        text = translate(sql, relations, dialect).sql
    except Refused:
        raise Failed from None
    return text, dialect.definitions() if IS_ON else []


@contextmanager
def same_moment(source: Source, first: Connection[Any], definitions: Sequence[str]) -> Iterator[Connection[Any]]:
    """A second connection that sees what the first does, with these functions; `Failed` if there can be none."""
    try:
        # because no snapshot can be shared from within it
        first.execute(f"ROLLBACK TO SAVEPOINT {_PLACE}; RELEASE SAVEPOINT {_PLACE}")
        moment = first.execute("SELECT pg_catalog.pg_export_snapshot()").fetchall()[0][0]
        first.execute(SAVEPOINT)
        with opened(source) as second:
            second.execute("; ".join(["BEGIN READ WRITE", SETTINGS, *definitions, "COMMIT"]))
            second.execute(f"{BEGIN}; SET TRANSACTION SNAPSHOT '{moment}'")
            yield second
    except (Error, Refused):
        raise Failed from None


@frozen
class PostgresSession:
    """One snapshot of the database. A kept result is a SELECT that is read again; tables are never written.

    `kept` are the SELECTs of lowered SQL, in their order; `relations` the tables, and those SELECTs as they are sent.
    """

    source: Source
    connection: Connection[Any]
    tables: Mapping[str, TranslatedRelation]
    relations: dict[str, TranslatedRelation]
    kept: list[tuple[str, str]] = field(default_factory=list)
    dialect: Postgres = field(default_factory=Postgres)

    def run(self, sql: str) -> pa.Table:
        said = translate(sql, self.relations, self.dialect)
        return arrow_table(fetched(self.connection, said.sql, lambda: self._run_again(sql)), said.columns)

    def keep(self, name: str, sql: str) -> None:
        said = translate(sql, self.relations, self.dialect)
        self.relations[name.lower()] = TranslatedRelation(f"({said.sql})", said.columns)
        self.kept.append((name.lower(), sql))

    def lend(self, sql: str) -> tuple[Mapping[str, str], Iterator[pa.Table]]:
        said = translate(sql, self.relations, self.dialect)
        types = {column.name: str(column.type) for column in said.columns}
        return types, (arrow_table(rows, said.columns) for rows in self._lent(sql, said))

    def _run_again(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a statement that failed on a row, with NULL for the failing parts."""
        text, functions = attempted(sql, self.tables, self.kept)
        if not functions:
            raise Failed
        with same_moment(self.source, self.connection, functions) as second:
            return fetched(second, text)

    def _lent(self, sql: str, said: TranslatedRelation) -> Iterator[list[tuple[Any, ...]]]:
        """Rows that were returned cannot be taken back, so parts that could fail are attempted from the start."""
        text, functions = attempted(sql, self.tables, self.kept)
        if not functions:
            yield from batches(self.connection, said.sql)
            return
        with same_moment(self.source, self.connection, functions) as second:
            yield from batches(second, text)


@frozen
class PostgresEngine:
    """Reads tables of PostgreSQL databases as they are. The role needs CONNECT, USAGE and SELECT, no more."""

    def header(self, source: Source) -> tuple[tuple[str, str], ...]:
        with snapshot(source) as connection:
            return tuple((column.name, column.type) for column in _columns(connection, source))

    def version(self, source: Source) -> str:
        with snapshot(source) as connection:
            oid = held(connection, source)
            return ":".join(str(part) for part in looked_up(connection, VERSION_SQL, [oid])[0])

    def public_values(self, source: Source, column: str) -> list[object]:
        with snapshot(source) as connection:
            known = {own.name: own for own in _columns(connection, source)}
            if column not in known:
                raise Refused(f"the column {column}", "The table has no such column.", "a column of the public table.")
            relation = relation_of(*named(source), (known[column],))
            sql = f'SELECT DISTINCT {quoted(column)} FROM {relation.sql} AS "__public" ORDER BY 1'
            try:
                return [row[0] for row in connection.execute(sql).fetchall()]
            except Error:
                raise Refused(
                    f"the column {column} of {source.table}", "It cannot be read.", "a column of a public table."
                ) from None

    def said(self, sql: str, physical: Headers) -> str:
        """A SELECT over these tables in PostgreSQL's SQL, refused if that is impossible; it needs no connection."""
        relations = {
            table: TranslatedRelation(
                quoted(table), tuple(TranslatedColumn(name, type_named(kind)) for name, kind in columns.items())
            )
            for table, columns in physical.items()
        }
        return translate(sql, relations, Postgres()).sql

    @contextmanager
    def session(self, description: Description, physical: Headers | None = None) -> Iterator[PostgresSession]:
        sources = {table.name: table.source for table in description.sources}
        try:
            with snapshot(first := next(iter(sources.values()))) as connection:
                relations = {
                    name.lower(): _relation(connection, source, (physical or {}).get(name))
                    for name, source in sources.items()
                }
                connection.execute(SAVEPOINT)
                yield PostgresSession(first, connection, relations, dict(relations))
        except Refused:
            raise Failed from None
        except Error:
            raise Failed from None


def _relation(connection: Connection[Any], source: Source, planned: Mapping[str, str] | None) -> TranslatedRelation:
    """The table, if its columns still have the types that a plan was made for."""
    columns = _columns(connection, source)
    types = {column.name: column.type for column in columns}
    if planned is not None and any(types.get(name) != kind for name, kind in planned.items()):
        raise Failed
    return relation_of(*named(source), columns)


def _columns(connection: Connection[Any], source: Source) -> tuple[PostgresColumn, ...]:
    rows: Sequence[tuple[Any, ...]] = looked_up(connection, COLUMNS_SQL, [held(connection, source)])
    columns = tuple(map(column_of, rows))
    if len({column.name.lower() for column in columns}) < len(columns):
        why = "Two of its columns differ in upper and lower case alone: no query could say which is meant."
        raise Refused(
            f"the table {source.table}", why, "a table or a materialized view whose columns have other names."
        )
    return columns
