"""Sources of rows as a steward writes them: files, data frames, a PostgreSQL database, Spark.

Two ways to write the same place give the same source. A database is written postgresql://host:port/database; Spark
is `spark = "spark://host:7077"` in [dataset].
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
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

    Two ways to write this machine (a name, an address, the folder of a socket) give one identity. The file has no user
    and password: libpq takes them from PGUSER, PGPASSWORD and ~/.pgpass.
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
    """The database of a source as a description writes it."""
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


FORMATS = (
    "a .parquet file, a pattern such as parts/*.parquet, a folder of Parquet files, a .csv or a .duckdb file; "
    'a database as "postgresql://host/database"; '
    'or "frame", for a data frame that is given when the data set is opened.'
)
FRAME = "frame"
_PATTERN = frozenset("*?[")


def read_source(written: str, folder: Path, table: str | None = None, delimiter: str | None = None) -> Source:
    """The source that `written` names, relative to a folder. Nothing is opened, and the file need not exist yet."""
    if is_database(written):
        return read_database(written, table, delimiter)
    if not written.strip() or not written.isprintable() or "://" in written:
        raise Refused("a source", "It is not a path on this machine.", FORMATS)
    place, has_pattern = _place(written, folder)
    kind = Path(place).suffix.lower()
    if kind == ".parquet":
        _refuse(table is not None, "table", "Only a .duckdb file holds several tables.", "leave table out.")
        _refuse(delimiter is not None, "delimiter", "Only a .csv file has one.", "leave delimiter out.")
        return Source("parquet", Path(place))
    _refuse(has_pattern, written, "Only Parquet files are read by pattern.", FORMATS)
    if kind == ".csv":
        _refuse(table is not None, "table", "Only a .duckdb file holds several tables.", "leave table out.")
        return Source("csv", Path(place), delimiter=_delimiter(delimiter))
    if kind == ".duckdb":
        _refuse(delimiter is not None, "delimiter", "Only a .csv file has one.", "leave delimiter out.")
        if table is None:
            raise Refused("a .duckdb file", "It may hold several tables.", 'the one meant: table = "visits".')
        check_name(table)
        return Source("duckdb", Path(place), table=_lower(table))
    raise Refused(written, "Its format is not known.", FORMATS)


def read_frame_source(dataset: str, name: str, table: str | None, delimiter: str | None) -> Source:
    """The source `"frame"`: rows that are given when the data set is opened, and identified by their name only."""
    _refuse(table is not None, "table", "A data frame is one table.", "leave table out.")
    _refuse(delimiter is not None, "delimiter", "Only a .csv file has one.", "leave delimiter out.")
    return Source(FRAME, Path(dataset), table=name)


def _place(written: str, folder: Path) -> tuple[str, bool]:
    """The real path with links resolved, and whether it is a pattern.

    Only the part before its first wildcard is resolved.
    """
    if written.endswith(("/", os.sep)) or os.path.isdir(os.path.join(folder, written)):
        written = os.path.join(written, "*.parquet")
    parts = Path(written).parts
    first = next((index for index, part in enumerate(parts) if _PATTERN & set(part)), len(parts))
    head, tail = os.path.realpath(os.path.join(folder, *parts[:first])), parts[first:]
    _refuse(".." in tail, written, "A pattern with .. in it names files in more than one way.", "a path without them.")
    _refuse(bool(_PATTERN & set(head)), written, "A folder on its way has *, ? or [ in its name.", "another folder.")
    return os.path.join(head, *tail), bool(tail)


def _delimiter(written: str | None) -> str:
    if written is None:
        return ","
    if not len(written) == 1 or written.isalnum() or written in "\"'\\\r\n":
        raise Refused("a delimiter", "It cannot stand between two values.", 'one sign, such as ";" or "\\t".')
    return written


def _lower(table: str) -> str:
    """The name as DuckDB compares it: with A to Z in lower case."""
    return "".join(sign.lower() if sign.isascii() else sign for sign in table)


def _refuse(wrong: bool, asked: str, why: str, accepted: str) -> None:
    if wrong:
        raise Refused(asked, why, accepted)


SPARK = "spark"
MASTERS = 'spark = "spark://host:7077", the address of a master; or "local[4]", for four cores of this machine.'
_MASTER = re.compile(r"spark://[\w.\-\[\]:]+:\d+(,[\w.\-\[\]:]+:\d+)*|local(\[(\d+|\*)\])?|yarn|k8s://[\w.\-:/\[\]]+")
_CATALOGUE = 'source = "spark" with table = "database.visits", for a table of Spark\'s catalogue.'


def read_master(written: str | None) -> str | None:
    """The cluster that reads the tables; None where Spark does not read the data set."""
    if written is not None and not _MASTER.fullmatch(written):
        raise Refused("a Spark master", "It is not the address of one.", MASTERS)
    return written


def read_catalogue_source(master: str | None, table: str | None, delimiter: str | None) -> Source:
    """The source `"spark"`: a table of the catalogue, by its name with its database."""
    if master is None:
        raise Refused('"spark" as a source', "The data set does not say which cluster.", f"in [dataset], {MASTERS}")
    parts = (table or "").split(".")
    if len(parts) != 2 or delimiter is not None:
        raise Refused("a table of Spark's catalogue", "It is named with its database, and no more.", _CATALOGUE)
    for part in parts:
        check_name(part)
    return Source(SPARK, Path("catalogue"), table=".".join(parts).lower(), host=master)


def read_by_spark(source: Source, master: str) -> Source:
    """A source of files that the cluster reads: its rows, and so its account, are the same."""
    if source.format != "parquet":
        raise Refused(
            f"a source of the format {source.format}",
            "Spark reads Parquet files and tables of its catalogue here.",
            f"a Parquet file or folder that every worker sees under the same path; or {_CATALOGUE}",
        )
    return replace(source, host=master)
