"""`tacit poll collect`: hand out the page and take in reports."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click

from tacit.local.browser.collector import Collector
from tacit.local.polls.poll_file import read_poll
from tacit.printable import printable


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", default="reports.jsonl", show_default=True, type=click.Path(path_type=Path), help="Appended to.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=8765, show_default=True, help="The port to listen on.")
def collect(file: Path, out: Path, host: str, port: int) -> None:
    """Hand out the page of the poll in FILE and append every valid report to a file, until Ctrl-C.

    A report is acknowledged once it is on disk. Malformed, oversized and repeated ones are refused. Nothing is logged.

    Example: `tacit poll collect poll.toml --out reports.jsonl`
    """
    poll = read_poll(file).written()
    with Collector(poll, out, host, port) as collector:
        if collector.set_aside is not None:
            click.echo(f"The last line of {out} was cut off; it was moved to {collector.set_aside}.", err=True)
        click.echo(f"“{printable(poll['title'])}” at {collector.address}, reports into {out}. Ctrl-C ends it.")
        with suppress(KeyboardInterrupt):
            collector.serve()
        click.echo(f"\n{out} holds {len(collector.file):,} reports. Next: tacit poll estimate {out} --poll {file}")
