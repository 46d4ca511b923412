"""`tacit poll page`: the poll as web pages or as sheets of paper, one per version."""

from __future__ import annotations

from pathlib import Path

import click

from tacit.cli.text_file import save
from tacit.errors import Refused
from tacit.local.browser.page import LETTERS, write_page, write_sheet
from tacit.local.polls.poll_file import read_poll


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--collector", help="The address that reports are sent to.  [default: respondents save a file]")
@click.option("--paper", is_flag=True, help="A sheet to print, for respondents who throw a die or draw slips instead.")
@click.option("--version", help="Which version, where a poll has two: A or B.  [default: all of them, with --out]")
@click.option("--out", type=click.Path(path_type=Path), help="Write to this file.  [default: print]")
def page(file: Path, collector: str | None, paper: bool, version: str | None, out: Path | None) -> None:
    """Write the poll in FILE as one web page: it needs no server, and the browser it is opened in does the randomising.

    A design that compares two groups of people has two versions of its page. Hand them out by lot: a respondent who
    has one must not see the other.

    Example: `tacit poll page poll.toml --collector https://example.org/reports > poll.html`
    """
    poll = read_poll(file)
    chosen = range(poll.versions) if version is None else [_place(version, poll.versions)]
    texts = [write_sheet(poll, at) if paper else write_page(poll.written(), collector, at) for at in chosen]
    if out is None:
        if len(texts) > 1:
            asked, why = f"the page of {file}", f"It has {len(texts)} versions, for different people."
            raise Refused(asked, why, "--out poll.html, which writes all of them; or --version A.")
        click.echo(texts[0])
        return
    for at, text in zip(chosen, texts, strict=True):
        path = out if len(texts) == 1 else out.with_stem(f"{out.stem}-{LETTERS[at].lower()}")
        save(path, text)
        click.echo(f"Written to {path}.")
    if len(texts) > 1:
        click.echo("Hand out one version to each respondent, by lot.")


def _place(version: str, versions: int) -> int:
    known = LETTERS[:versions]
    if len(version) != 1 or version.upper() not in known:
        raise Refused(f"version {version[:40]}", "This poll has no such version.", f"{' or '.join(known)}.")
    return known.index(version.upper())
