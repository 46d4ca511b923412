"""The tables of a ledger, for SQLite and for PostgreSQL (in a schema of their own), with the same guards."""

from __future__ import annotations

from typing import Final

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
