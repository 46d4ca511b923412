"""The questionnaire on paper: a sheet to print, with what to throw or draw, and boxes to tick."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from string import Template

from tacit.errors import Refused
from tacit.local.browser.questionnaire import Questionnaire
from tacit.local.browser.version import LETTERS, told
from tacit.local.polls.asking import Group
from tacit.local.polls.poll import Poll

_HOW = "Tick one box for each question. You may leave out any question."
_DRAW = " Where you throw or draw something, let nobody see it and do not write it down: that is what protects you."


def write_sheet(poll: Poll, version: int = 0) -> str:
    """The sheet of one version of a poll, as an HTML file to print. It says no more than the page of that version."""
    told(Questionnaire.of(poll.written()), version)
    groups = poll.version(version)
    is_drawn = any(group.randomizer is not None for group in groups)
    return Template((files("tacit.local.browser") / "paper.html").read_text(encoding="utf-8")).substitute(
        title=escape(poll.title),
        about=escape(poll.about),
        how=escape(_HOW + (_DRAW if is_drawn else "")),
        questions="\n".join(_section(number, group) for number, group in enumerate(groups, start=1)),
        version=f"Version {LETTERS[version]}" if poll.versions > 1 else "",
    )


def _section(number: int, group: Group) -> str:
    if not group.instructions:
        nearest = f"a poll designed with {group.by_hand}, or the" if group.by_hand else "the"
        raise Refused(
            f"question {number} on paper",
            "What it reports cannot be drawn with coins, a die or at most 100 slips.",
            f"{nearest} page without --paper, where a device draws.",
        )
    is_headed = group.randomizer is not None and len(group.parts) == 1
    heading = f"{number}. {group.parts[0].text}" if is_headed else f"Question {number}"
    boxes = "".join(f'<li><span class="box"></span>{escape(box)}</li>' for box in group.boxes)
    hides = group.hides_on_paper or group.hides
    why = f'<p class="why">{escape(hides)}</p>' if hides else ""
    return (
        f"<section>\n<h2>{escape(heading)}</h2>\n<p>{escape(group.instructions)}</p>\n<ul>{boxes}</ul>\n{why}</section>"
    )
