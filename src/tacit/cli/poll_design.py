"""`tacit poll design` and `tacit poll page`: choose how to ask a sensitive question, and write the poll that is asked.

A poll is written as web pages or as sheets of paper, one per version.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Final

import click

from tacit.errors import Refused
from tacit.local.browser.page import LETTERS, told, write_page, write_sheet
from tacit.local.browser.questionnaire import Questionnaire
from tacit.local.polls.designs.multiple_choice import SetOfMany
from tacit.local.polls.designs.wording import YES_NO, Wording
from tacit.local.polls.poll import Poll, PollQuestion
from tacit.local.polls.poll_file import CATALOGUE, design_of, new_poll_text, poll_from, question_text, read_poll
from tacit.mechanisms.mechanism import percent

_TITLE: Final = (
    "A short survey"  # no words of the question: some respondents must not see it, and none must be seen with it
)


_BESIDE: Final = ("crosswise", "triangular", "unrelated", "unrelated-estimated", "at-least-one")


@click.command()
@click.argument("text")
@click.option("--file", default="poll.toml", show_default=True, type=click.Path(path_type=Path), help="Written to.")
@click.option("--design", "kind", type=click.Choice(list(CATALOGUE)), help="How to ask.  [default: by the options]")
@click.option(
    "--epsilon", help='What one report may give away at most (warner, forced, kary, subset), such as 1 or "ln 3".'
)
@click.option("--truth", help="The probability of the truth (warner, forced, kary), such as 3/4.")
@click.option("--yes", help="The probability of a forced yes.")
@click.option("--no", help="The probability of a forced no.")
@click.option("--red-if-yes", help="The share of red in the first deck (kuk).")
@click.option("--red-if-no", help="The share of red in the second deck (kuk).")
@click.option("--sensitive", help="The probability of the sensitive question (unrelated).")
@click.option("--prevalence", help="How common a yes to the innocuous question is (crosswise, triangular, unrelated).")
@click.option("--innocuous", default="", help="The innocuous question.")
@click.option("--item", "items", multiple=True, help="An innocuous item of a list; repeat it.")
@click.option("--option", "offered", multiple=True, help="An answer to choose from; repeat it.  [default: No, Yes]")
@click.option("--width", default="0.1", show_default=True, help="How wide the interval may be, to say how many to ask.")
@click.option("--confidence", default="0.95", show_default=True, help="With what confidence it holds the true share.")
@click.option("--name", help="What the question is called in findings.  [default: from its text]")
@click.option("--title", help="The poll's title, for a new file.  [default: A short survey]")
def design(
    text: str,
    file: Path,
    kind: str | None,
    innocuous: str,
    items: tuple[str, ...],
    offered: tuple[str, ...],
    width: str,
    confidence: str,
    name: str | None,
    title: str | None,
    **numbers: str | None,
) -> None:
    """Choose how to ask TEXT, see what it protects and how many people it takes, and write it to a poll's file.

    A file that exists gets one more question: all questions of a poll share one respondent's privacy.

    Example: `tacit poll design "Have you ever cheated in an exam?" --epsilon "ln 3" --width 0.06`
    """
    wording = Wording(text, offered or YES_NO, innocuous, items)
    given = {key: value for key, value in numbers.items() if value is not None}
    chosen = kind or _usual(wording, given)
    _check_use(chosen, wording)
    made = PollQuestion(name or _name_of(text), wording, design_of(chosen, wording, given))
    people = made.design.people_for(width, confidence)
    poll = _write(file, made, question_text(made.name, wording, chosen, given), title)
    click.echo(f"{made.design.describe()}: {made.design.protection}.")
    if made.design.optimality:
        click.echo(made.design.optimality)
    click.echo(f"For a {percent(confidence)} interval of width {width} ask {people:,} people.")
    if len(poll.questions) > 1:
        click.echo(f"All {len(poll.questions)} questions together: {poll.protection}.")
    to = "> poll.html" if poll.versions == 1 else "--out poll.html"
    click.echo(f"Written to {file}. Next: tacit poll page {file} {to}, or tacit poll collect {file}.")


def _usual(wording: Wording, given: dict[str, str]) -> str:
    """The default design: the one of least variance for these options."""
    if wording.items:
        return "list"
    if len(wording.options) == 2:
        return "warner"
    if "epsilon" not in given:
        return "kary"
    best = design_of("subset", wording, given)
    return "subset" if isinstance(best, SetOfMany) and best.response.size > 1 else "kary"


def _check_use(kind: str, wording: Wording) -> None:
    """Refuse texts that the design does not use."""
    if wording.items and kind != "list":
        raise Refused(f"--item with the design {kind}", "It asks no list.", "--design list, or no --item.")
    if wording.innocuous and kind not in _BESIDE:
        accepted = f"--design {' or '.join(_BESIDE)}; or no --innocuous."
        raise Refused(f"--innocuous with the design {kind}", "It asks nothing beside the question.", accepted)


def _write(file: Path, question: PollQuestion, text: str, title: str | None) -> Poll:
    """Write the poll with the question, after a check that it can be read back and used."""
    if file.exists():
        before = read_poll(file)
        if question.name in [each.name for each in before.questions]:
            raise Refused(f"a question named {question.name}", f"{file} has one.", "--name with another name.")
        if title is not None and title != before.title:
            asked, why = f"the title of {file}", "The poll has one, and --title is for a new file."
            raise Refused(asked, why, "no --title; or another title in the file itself.")
        whole = file.read_text("utf-8").rstrip("\n") + "\n" + text
    else:
        whole = new_poll_text(title or _TITLE) + text
    poll = poll_from(tomllib.loads(whole))
    for version in range(poll.versions):
        told(Questionnaire.of(poll.written()), version)
    save(file, whole)
    return poll


def _name_of(text: str) -> str:
    """The last long word of the question: “Have you ever cheated in an exam?” is `cheated`."""
    words = re.findall(r"[a-z]+", text.lower())
    return max(words, key=len)[:40] if words else "question"


def save(path: Path, text: str) -> None:
    """Write the text; refused with the reason where that fails."""
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise Refused(f"writing to {path}", f"{error.strerror}.", "a file that can be written.") from None


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
