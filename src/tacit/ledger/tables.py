"""The tables of the ledger's file, as SQLite is told them."""

from __future__ import annotations

from typing import Final

MARK: Final = 0x74616369  # "taci", by which the file says what it is
VERSION: Final = 1

TABLES: Final = """
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
