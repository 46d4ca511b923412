"""`tacit poll page`: the poll as one web page."""

from __future__ import annotations

from pathlib import Path

import click

from tacit.local.browser.page import write_page
from tacit.local.polls.file import read_poll
from tacit.local.polls.poll import Poll


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--collector", help="The address that reports are sent to.  [default: respondents save a file]")
@click.option("--paper", is_flag=True, help="Instructions to print, for respondents who draw slips instead.")
@click.option("--out", type=click.Path(path_type=Path), help="Write to this file.  [default: print]")
def page(file: Path, collector: str | None, paper: bool, out: Path | None) -> None:
    """Write the poll in FILE as one web page: it needs no server, and the browser it is opened in does the randomising.

    Example: `tacit poll page poll.toml --collector https://example.org/reports > poll.html`
    """
    poll = read_poll(file)
    text = _sheet(poll) if paper else write_page(poll.written(), collector)
    if out is None:
        click.echo(text)
        return
    out.write_text(text, "utf-8")
    click.echo(f"Written to {out}.")


def _sheet(poll: Poll) -> str:
    """What a respondent on paper reads."""
    parts = [
        f"{question.wording.text}\n\n{question.design.instructions(question.wording)}\n\n"
        f"{question.design.protection.plainly()}"
        for question in poll.questions
    ]
    return "\n\n".join([poll.title, *([poll.about] if poll.about else []), *parts])
