"""The questionnaire as one HTML file, or as a paper sheet to print.

The page asks, randomises in the respondent's browser, shows the report, and sends it. The sheet has instructions to
throw or draw, with boxes to tick. A page or sheet is one version of a poll: for every question it has the one group
that it asks, and nothing of other groups.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import Any
from urllib.parse import urlsplit

from tacit.errors import Refused
from tacit.local.browser.questionnaire import GroupTold, Questionnaire
from tacit.local.polls.designs.wording import Group
from tacit.local.polls.poll import Poll

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def told(asked: Questionnaire, place: int) -> dict[str, Any]:
    """The content of this version's page.

    Claim: where a group is not asked the sensitive question, the question's words are nowhere in it. Proof: no other
    group is in it, a question is called by its number, and whatever else says them (a title, a note, another question)
    is found by search and refused.
    """
    samples = [min(place, len(question.groups) - 1) for question in asked.questions]
    groups = [question.groups[sample] for question, sample in zip(asked.questions, samples, strict=True)]
    page = {
        "id": asked.id,
        "title": asked.title,
        "about": asked.about,
        "together": asked.together[place] if place < len(asked.together) else "",
        "versions": asked.versions,
        "questions": [
            {
                "name": question.name,
                "text": question.text if _is_headed(group) else "",
                "sample": sample,
                "group": {key: value for key, value in group.written().items() if key != "asks"},
            }
            for question, sample, group in zip(asked.questions, samples, groups, strict=True)
        ],
    }
    whole = _plain(page)
    for number, (question, group) in enumerate(zip(asked.questions, groups, strict=True), start=1):
        words = _plain(question.text).strip('"?!. ')
        if not group.asks and words and words in whole:
            raise Refused(
                f"version {LETTERS[place]} of this poll",
                f"It would show what question {number} asks others, in the title, in `about` or in another question.",
                "a title, a note and questions that do not repeat its words.",
            )
    return page


def _is_headed(group: GroupTold) -> bool:
    """Whether the respondent answers the question's own words."""
    return group.randomizer is not None and len(group.parts) == 1


def _plain(words: object) -> str:
    """The JSON text without case and spaces, for comparison."""
    return " ".join(json.dumps(words, ensure_ascii=False).casefold().split())


_FOLDER = files("tacit.local.browser")
_IMPORT = re.compile(r"^import .*\n", re.MULTILINE)  # in one script, so imports of earlier files are removed
_SAFE = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})  # JSON that no HTML parser can end early


def write_page(poll: Mapping[str, Any], collector: str | None = None, version: int = 0) -> str:
    """The page of one version of a poll. Reports go to `collector`, a URL or `/reports`; with none, to a file.

    Claim: the page runs its own script and no other, loads nothing, and can reach the collector only. Proof: its policy
    names the digest of the one script and the one style, forbids every other source, and lets it connect to the
    collector alone; the poll's words are JSON in a block that is never run, and become text by `textContent`.
    """
    asked = Questionnaire.of(poll)
    style = _read("page.css")
    script = "\n".join(_IMPORT.sub("", _read(name)) for name in ("tacit.js", "words.js", "fields.js", "page.js"))
    page = {"poll": told(asked, version), "collector": collector}
    policy = [
        "default-src 'none'",
        f"script-src {_digest(script)}",
        f"style-src {_digest(style)}",
        f"connect-src {_reach(collector)}",
        "img-src data:",  # an empty icon, so that the browser does not request one
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
    ]
    return Template(_read("page.html")).substitute(
        policy=escape("; ".join(policy)),
        title=escape(asked.title),
        about=escape(asked.about),
        told=json.dumps(page).translate(_SAFE),
        style=style,
        script=script,
    )


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _reach(collector: str | None) -> str:
    """The connect-src of the page's content security policy."""
    if collector is None:
        return "'none'"
    if collector == "/reports":
        return "'self'"
    parts = urlsplit(collector)
    if not (parts.scheme in ("http", "https") and parts.hostname and set(collector).isdisjoint(" \t\r\n;,'\"?#@")):
        raise Refused("a collector at this address", "No page could send there.", "https://host/reports, or /reports.")
    return f"{parts.scheme}://{parts.netloc}"


_HOW = "Tick one box for each question. You may leave out any question."
_DRAW = " Where you throw or draw something, let nobody see it and do not write it down: that is what protects you."


def write_sheet(poll: Poll, version: int = 0) -> str:
    """The sheet of one version of a poll, as an HTML file to print.

    It contains no more than the page of that version.
    """
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
