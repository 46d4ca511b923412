"""A table in a PostgreSQL database, from the way a steward writes it: postgresql://host:port/database."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, quote, unquote, urlsplit

from tacit.errors import Refused
from tacit.schema.description import Source
from tacit.schema.names import check_name

DATABASE = "postgresql"
ACCEPTED = 'source = "postgresql://host:5432/database" with table = "schema.visits".'
_PORT = 5432
_HERE = frozenset(["localhost", "127.0.0.1", "::1"])


def is_database(written: str) -> bool:
    """Whether a source is written as a database."""
    return written.startswith(("postgresql://", "postgres://"))


def read_database(written: str, table: str | None, delimiter: str | None) -> Source:
    """The source that an address and a table name; nothing is opened.

    Two ways to write this machine (a name, an address, the folder of a socket) give one identity. Who logs in, and
    with which password, is libpq's to know, not the file's: PGUSER, PGPASSWORD, ~/.pgpass.
    """
    try:
        parts = urlsplit(written)
        port = parts.port or _PORT
        options = parse_qs(parts.query, keep_blank_values=True, strict_parsing=True) if parts.query else {}
    except ValueError:
        raise Refused("this database", "Its address cannot be read.", ACCEPTED) from None
    if "@" in parts.netloc or {"user", "password"} & set(options):
        raise Refused(
            "a source with a user or a password",
            "The file may be seen by others, and is no place for either.",
            "the environment's PGUSER and PGPASSWORD, or ~/.pgpass; and here only the host and the database.",
        )
    host, name = parts.hostname or "", unquote(parts.path.removeprefix("/"))
    folder = options.pop("host", [""])[0]
    if options or parts.fragment or not name or "/" in name or bool(host) == bool(folder):
        raise Refused("this database", "It does not say one host and one database.", ACCEPTED)
    if folder and not folder.startswith("/"):
        raise Refused("this database", "A socket is in a folder.", "postgresql:///database?host=/folder/of/socket.")
    if delimiter is not None:
        raise Refused("delimiter", "Only a .csv file has one.", "leave delimiter out.")
    is_here = bool(folder) or host in _HERE
    place = Path(f"{'localhost' if is_here else host}:{port}") / name
    return Source(DATABASE, place, table=_table(table), host=folder or host)


def address_of(source: Source) -> str:
    """How a description names the database of a source."""
    place, _, port = source.path.parent.name.rpartition(":")
    host = source.host or place
    if host.startswith("/"):
        return f"postgresql://:{port}/{quote(source.path.name)}?host={quote(host)}"
    return f"postgresql://{f'[{host}]' if ':' in host else host}:{port}/{quote(source.path.name)}"


def _table(written: str | None) -> str:
    """The table with its schema, as the database spells them."""
    if written is None:
        raise Refused("a database", "It may hold several tables.", 'the one meant: table = "schema.visits".')
    parts = written.split(".") if "." in written else ["public", written]
    if len(parts) != 2:
        raise Refused(f"the table {written}", "It has more than one dot.", 'table = "schema.visits".')
    for part in parts:
        check_name(part)
    return ".".join(parts)
