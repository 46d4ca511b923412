"""The store of a ledger, as the chain needs it of a SQLite file and of a PostgreSQL server, and the tables of both.

In PostgreSQL the tables are in a schema of their own. Both have the same guards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, Final, ParamSpec, Protocol, TypeVar

from tacit.errors import Failed, Refused

_TRIES: Final = 5
_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")


class Unavailable(Refused):
    """The ledger or its witness could not be used: no space, no permission, no database, too many writers."""


class Conflicted(Unavailable):
    """Two transactions conflicted; this one was rolled back and wrote nothing."""


class StoredRows(Protocol):
    """The rows of a statement's result."""

    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Any]: ...


class SqlExecutor(Protocol):
    """Runs SQL: the part that SQLite and PostgreSQL share, with `?` for each value."""

    def execute(self, sql: str, values: tuple[Any, ...] = ..., /) -> StoredRows: ...


class Store(Protocol):
    """A ledger's tables, open. It belongs to the process that opened it; its threads use it one at a time."""

    @property
    def words(self) -> str:
        """Its name in messages: `the ledger at …`, without a secret."""
        ...

    @property
    def beside(self) -> Path:
        """The path on this machine next to which the signing key and prepared data are kept."""
        ...

    def reading(self) -> AbstractContextManager[SqlExecutor]:
        """A read of the committed state; within `writing`, also of uncommitted changes."""
        ...

    def writing(self) -> AbstractContextManager[SqlExecutor]:
        """An exclusive write transaction: all of it is committed and durable at the end, or nothing is."""
        ...

    def hold(self, number: int) -> bool:
        """Hold the charge of this entry to run it; false if another holds it. The hold ends with its process."""
        ...

    def is_held(self, number: int) -> bool:
        """Whether any process, here or elsewhere, holds it."""
        ...

    def let_go(self, number: int) -> None:
        """Release it, if this store holds it."""
        ...

    def close(self) -> None: ...


def retried(work: Callable[_Given, _Made]) -> Callable[_Given, _Made]:
    """Run the work, and run it again after a conflict; only for work that returns its results at the end.

    Entries committed by then are found again: a charge that was not returned is returned to the next identical request.
    """

    @wraps(work)
    def done(*given: _Given.args, **named: _Given.kwargs) -> _Made:
        for _ in range(_TRIES - 1):
            try:
                return work(*given, **named)
            except Conflicted:
                continue
        return work(*given, **named)

    return done


@contextmanager
def failing() -> Iterator[None]:
    """Raise `Failed`, not a refusal, for a ledger that becomes unavailable after something was spent."""
    try:
        yield
    except Unavailable:
        raise Failed from None


SQLITE_MARK: Final = 0x74616369  # "taci", which marks the file as a ledger
SQLITE_VERSION: Final = 1

SQLITE_TABLES: Final = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

CREATE TABLE entries (
    number  INTEGER PRIMARY KEY,
    body    TEXT NOT NULL,
    hash    TEXT NOT NULL,
    account INTEGER GENERATED ALWAYS AS (json_extract(body, '$.account')) VIRTUAL,
    kind    TEXT    GENERATED ALWAYS AS (json_extract(body, '$.kind')) VIRTUAL,
    digest  TEXT    GENERATED ALWAYS AS (json_extract(body, '$.digest')) VIRTUAL,
    charge  INTEGER GENERATED ALWAYS AS (json_extract(body, '$.charge')) VIRTUAL
) STRICT;
CREATE INDEX entries_by_kind ON entries (kind);
CREATE INDEX entries_by_account ON entries (account, kind);
CREATE INDEX entries_by_digest ON entries (account, digest);
CREATE UNIQUE INDEX one_release_a_charge ON entries (charge);

CREATE TABLE payloads (entry INTEGER PRIMARY KEY REFERENCES entries (number), bytes BLOB NOT NULL) STRICT;

CREATE TRIGGER entries_follow BEFORE INSERT ON entries
    WHEN NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM entries)
    BEGIN SELECT RAISE(ABORT, 'an entry follows the last'); END;
CREATE TRIGGER entries_stay BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'entries are only added'); END;
CREATE TRIGGER entries_remain BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'entries are only added'); END;
CREATE TRIGGER payloads_once BEFORE INSERT ON payloads
    WHEN EXISTS (SELECT 1 FROM payloads WHERE entry = NEW.entry)
    BEGIN SELECT RAISE(ABORT, 'a release is stored once'); END;
CREATE TRIGGER payloads_stay BEFORE UPDATE ON payloads BEGIN SELECT RAISE(ABORT, 'releases are only added'); END;
CREATE TRIGGER payloads_remain BEFORE DELETE ON payloads BEGIN SELECT RAISE(ABORT, 'releases are only added'); END;
CREATE TRIGGER meta_stays BEFORE UPDATE ON meta BEGIN SELECT RAISE(ABORT, 'a ledger keeps its name'); END;
CREATE TRIGGER meta_remains BEFORE DELETE ON meta BEGIN SELECT RAISE(ABORT, 'a ledger keeps its name'); END;
"""


POSTGRES_VERSION: Final = "1"

# `part` reads a member of an entry's text. PostgreSQL's JSON cannot say every character that JSON's escapes can (NUL,
# half a surrogate pair), so escapes are removed first; the members that are read have none.
# `turn` has no rows: a writer holds its lock, which needs no write privilege.
POSTGRES_TABLES: Final = r"""
CREATE SCHEMA tacit_ledger;
REVOKE ALL ON SCHEMA tacit_ledger FROM PUBLIC;

CREATE FUNCTION tacit_ledger.part(body text, member text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT regexp_replace(body, '(\\\\)|\\u[0-9a-f]{4}', '\1', 'g')::json ->> member $$;

CREATE TABLE tacit_ledger.meta (name text PRIMARY KEY, value text NOT NULL);

CREATE TABLE tacit_ledger.entries (
    number  bigint PRIMARY KEY,
    body    text NOT NULL,
    hash    text NOT NULL,
    account bigint GENERATED ALWAYS AS (tacit_ledger.part(body, 'account')::bigint) STORED,
    kind    text   GENERATED ALWAYS AS (tacit_ledger.part(body, 'kind')) STORED,
    digest  text   GENERATED ALWAYS AS (tacit_ledger.part(body, 'digest')) STORED,
    charge  bigint GENERATED ALWAYS AS (tacit_ledger.part(body, 'charge')::bigint) STORED
);
CREATE INDEX entries_by_kind ON tacit_ledger.entries (kind);
CREATE INDEX entries_by_account ON tacit_ledger.entries (account, kind);
CREATE INDEX entries_by_digest ON tacit_ledger.entries (account, digest);
CREATE UNIQUE INDEX one_release_a_charge ON tacit_ledger.entries (charge);

CREATE TABLE tacit_ledger.payloads (
    entry bigint PRIMARY KEY REFERENCES tacit_ledger.entries (number), bytes bytea NOT NULL
);

CREATE TABLE tacit_ledger.turn ();

CREATE FUNCTION tacit_ledger.follow() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NEW.number IS DISTINCT FROM (SELECT coalesce(max(number), 0) + 1 FROM tacit_ledger.entries) THEN
        RAISE EXCEPTION 'an entry follows the last';
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION tacit_ledger.stay() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'a ledger is only added to';
END $$;
CREATE TRIGGER entries_follow BEFORE INSERT ON tacit_ledger.entries
    FOR EACH ROW EXECUTE FUNCTION tacit_ledger.follow();
CREATE TRIGGER entries_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON tacit_ledger.entries
    FOR EACH STATEMENT EXECUTE FUNCTION tacit_ledger.stay();
CREATE TRIGGER payloads_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON tacit_ledger.payloads
    FOR EACH STATEMENT EXECUTE FUNCTION tacit_ledger.stay();
CREATE TRIGGER meta_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON tacit_ledger.meta
    FOR EACH STATEMENT EXECUTE FUNCTION tacit_ledger.stay();
"""
