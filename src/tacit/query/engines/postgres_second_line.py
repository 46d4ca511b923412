"""The second line on PostgreSQL: a statement that a row made fail runs again, NULL in place of what failed on that row.

It costs nothing while nothing fails: the statement that runs first is without it. Then a second connection, in which
the functions of `dialects/postgres/attempts.py` are created, reads the snapshot of the first. These are temporary and
end with the connection. The role needs TEMPORARY on the database, as PUBLIC has; else the statement fails as it did.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from psycopg import Connection, Error

from tacit.errors import Failed, Refused
from tacit.query.dialects.postgres.attempts import SETTINGS, AttemptingPostgres
from tacit.query.dialects.scopes import Relation
from tacit.query.dialects.translate import translate
from tacit.query.engines.postgres_connection import BEGIN, opened
from tacit.schema.description import Source

IS_ON = True  # tests turn it off to see the first line alone; no setting reaches it
_PLACE = "tacit_before"
SAVEPOINT: Final = f"SAVEPOINT {_PLACE}"
"""To be set once the tables are held: a statement that fails ends nothing but what came after it."""


def attempted(sql: str, tables: Mapping[str, Relation], kept: Sequence[tuple[str, str]]) -> tuple[str, list[str]]:
    """A SELECT with every TRY in it, and in what was kept before it; and what creates its functions, if it has any."""
    dialect, relations = AttemptingPostgres(), dict(tables)
    try:
        for name, body in kept:
            said = translate(body, relations, dialect)
            relations[name] = Relation(f"({said.sql})", said.columns)
        text = translate(sql, relations, dialect).sql
    except Refused:
        raise Failed from None
    return text, dialect.definitions() if IS_ON else []


@contextmanager
def same_moment(source: Source, first: Connection[Any], definitions: Sequence[str]) -> Iterator[Connection[Any]]:
    """A second connection that sees what the first does, with these functions; `Failed` if there can be none."""
    try:
        first.execute(f"ROLLBACK TO SAVEPOINT {_PLACE}; RELEASE SAVEPOINT {_PLACE}")  # for within it none is shared
        moment = first.execute("SELECT pg_catalog.pg_export_snapshot()").fetchall()[0][0]
        first.execute(SAVEPOINT)
        with opened(source) as second:
            second.execute("; ".join(["BEGIN READ WRITE", SETTINGS, *definitions, "COMMIT"]))
            second.execute(f"{BEGIN}; SET TRANSACTION SNAPSHOT '{moment}'")
            yield second
    except (Error, Refused):
        raise Failed from None
