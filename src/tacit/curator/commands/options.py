"""The arguments and options that several commands share, each with its one meaning."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from tacit.errors import Refused

File: TypeAlias = Annotated[Path, typer.Argument(help="The description of the data set, as `tacit init` writes it.")]
Sql: TypeAlias = Annotated[str, typer.Argument(help="The query; @query.sql reads it from a file, - from the input.")]
Epsilon: TypeAlias = Annotated[str | None, typer.Option(help="The price: this release alone is (ε, δ)-private.")]
Delta: TypeAlias = Annotated[str | None, typer.Option(help="Its δ; a hundredth of the budget's if not given.")]
Error: TypeAlias = Annotated[
    str | None, typer.Option(help="Instead of a price: the error that every cell must keep, as 50 or 2%.")
]
Size: TypeAlias = Annotated[str | None, typer.Option(help="For --error: a public size of the smallest group.")]
Confidence: TypeAlias = Annotated[str, typer.Option(help="How sure the intervals are.")]
Fresh: TypeAlias = Annotated[bool, typer.Option("--fresh", help="Pay for new noise where an earlier answer is free.")]
Analyst: TypeAlias = Annotated[
    str | None, typer.Option("--as", metavar="NAME", help="Which analyst asks; the steward if not given.")
]
Memory: TypeAlias = Annotated[
    str | None, typer.Option(help="The most memory to use, as 2GB; what does not fit goes to temporary files.")
]
Threads: TypeAlias = Annotated[
    int | None, typer.Option(help="The most threads to use; all that there are if not given.")
]
LedgerPath: TypeAlias = Annotated[
    str | None,
    typer.Option("--ledger", help="The ledger, if not the usual: a file, or postgresql://….", show_default=False),
]


def read_sql(written: str) -> str:
    """The query itself, or what @file or - stands for."""
    if written == "-":
        return sys.stdin.read()
    if not written.startswith("@"):
        return written
    try:
        return Path(written[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise Refused(
            f"the query in {written[1:]}", "The file cannot be read as text.", "@query.sql, or SQL."
        ) from None
