"""The arguments and options that several commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable
from os.path import isfile
from pathlib import Path
from typing import Any, TypeVar

import click

from tacit.errors import Refused

_Command = TypeVar("_Command", bound=Callable[..., Any])

file = click.argument("file", type=click.Path(path_type=Path))
sql = click.argument("sql")
epsilon = click.option("--epsilon", help="The price: this release alone is (ε, δ)-private.")
delta = click.option("--delta", help="Its δ; a hundredth of the budget's if not given.")
error = click.option("--error", help="Instead of a price: the error that every cell must keep, as 50 or 2%.")
size = click.option("--size", help="For --error: a public size of the smallest group.")
confidence = click.option("--confidence", default="0.95", show_default=True, help="How sure the intervals are.")
interval = click.option(
    "--interval",
    default="usual",
    show_default=True,
    metavar="KIND",
    help="What intervals are about: usual, guaranteed (needs at_most) or bounded (the noise alone).",
)
weight = click.option(
    "--weight",
    default="tables",
    show_default=True,
    metavar="WHAT",
    help="Of several tables, what is made accurate: each table alike (tables), or all cells together (cells).",
)
fresh = click.option("--fresh", is_flag=True, help="Pay for new noise where an earlier answer is free.")
analyst = click.option("--as", "analyst", metavar="NAME", help="Which analyst asks; the steward if not given.")
memory = click.option("--memory", help="The most memory to use, as 2GB; what does not fit goes to temporary files.")
threads = click.option("--threads", type=int, help="The most threads to use; all that there are if not given.")
ledger = click.option("--ledger", help="The ledger, if not the usual: a file, or postgresql://….")


def figure(words: str) -> Callable[[_Command], _Command]:
    """An option for a figure, refused before the work if it could not be drawn."""
    return click.option("--figure", type=click.Path(path_type=Path), callback=_drawable, help=words)


def _drawable(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    if path is not None and path.suffix.lower() not in (".png", ".svg"):
        raise Refused(f"a figure in {path.name}", "Its ending is neither .png nor .svg.", "found.png, found.svg.")
    if path is not None and not path.parent.is_dir():
        raise Refused(f"a figure in {path}", "There is no such folder.", "a file in a folder that exists.")
    return path


def read_sql(written: str) -> str:
    """The query itself, or the content of @file, of a name that ends in .sql, or of the input (-)."""
    if written == "-":
        return sys.stdin.read()
    is_named = written.lower().endswith(".sql") and not any(map(str.isspace, written))
    if not (written.startswith("@") or is_named):
        if len(written.split()) == 1 and isfile(written):
            raise Refused(f"the query {written}", "It is the name of a file.", f"@{written}, which reads it; or SQL.")
        return written
    place = written.removeprefix("@")
    try:
        text = Path(place).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        accepted = "a file that is there, as @query.sql; or SQL."
        raise Refused(f"the query in {place}", "There is no such file.", accepted) from None
    except (OSError, UnicodeDecodeError):
        raise Refused(f"the query in {place}", "The file cannot be read as text.", "@query.sql, or SQL.") from None
    if not text.strip():
        raise Refused(f"the query in {place}", "The file is empty.", "a file with SELECT … FROM … .")
    return text
