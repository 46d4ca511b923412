"""The page as text: its policy, its escapes, its colours; no browser needed."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import re
from html.parser import HTMLParser
from importlib.resources import files
from typing import Any

import pytest
from tests.local.browser.asked import POLL

from tacit.errors import Refused
from tacit.local.browser.page import write_page

EVIL = (
    "</script><script>document.title='owned'</script>\"'&<!--\u2028\u2029${1}<img src=x onerror=document.title='owned'>"
)


def hostile(value: Any = POLL) -> Any:
    """The poll with evil words wherever words may stand."""
    if isinstance(value, dict):
        return {
            key: (inner if key in ("id", "name", "randomizer", "asks") else hostile(inner))
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [hostile(each) for each in value]
    return value + EVIL


class Found(HTMLParser):
    """Elements with their attributes and text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None], str]] = []
        self._within = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs), ""))
        self._within = True

    def handle_endtag(self, tag: str) -> None:
        self._within = False

    def handle_data(self, data: str) -> None:
        if self._within:
            tag, attributes, text = self.elements[-1]
            self.elements[-1] = (tag, attributes, text + data)


def test_evil_words_stay_words() -> None:
    plain, evil = Found(write_page(POLL)), Found(write_page(hostile()))
    assert [(tag, each.keys()) for tag, each, _ in evil.elements] == [
        (tag, each.keys()) for tag, each, _ in plain.elements
    ]
    assert [text for tag, _, text in evil.elements if tag in ("title", "h1")] == [POLL["title"] + EVIL] * 2
    told = next(text for tag, each, text in evil.elements if each.get("id") == "told")
    assert json.loads(told)["poll"]["questions"][0]["text"] == POLL["questions"][0]["text"] + EVIL
    assert told.isascii()
    assert set(told).isdisjoint("<>&")


def test_the_policy_names_what_runs_and_nothing_else() -> None:
    for collector, reach in (
        (None, "'none'"),
        ("/reports", "'self'"),
        ("https://a.example:8/r", "https://a.example:8"),
    ):
        page = Found(write_page(POLL, collector))
        policy = next(each["content"] for _, each, _ in page.elements if each.get("http-equiv"))
        rules = dict(rule.split(" ", 1) for rule in str(policy).split("; "))
        script = next(text for tag, each, text in page.elements if tag == "script" and each["type"] == "module")
        style = next(text for tag, _, text in page.elements if tag == "style")
        assert rules["default-src"] == "'none'"
        assert rules["connect-src"] == reach
        assert rules["script-src"] == digest(script)
        assert rules["style-src"] == digest(style)
        assert "unsafe" not in str(policy)
        assert "</script" not in script
        assert "<!--" not in script
        assert not re.search(r"innerHTML|localStorage|sessionStorage|document\.cookie|\beval\b|Math\.random", script)
        assert (files("tacit.local.browser") / "tacit.js").read_text() in script
        assert not [
            each for _, each, _ in page.elements if each.get("src") or str(each.get("href", "data:,")) != "data:,"
        ]


def digest(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


@pytest.mark.parametrize(
    "collector", ["ftp://a/b", "javascript:alert(1)", "https://a b/", "https://a/;script-src *", "reports", ""]
)
def test_a_collector_that_no_page_reaches_is_refused(collector: str) -> None:
    with pytest.raises(Refused, match="collector"):
        write_page(POLL, collector)


def test_a_poll_that_cannot_be_asked_has_no_page() -> None:
    poll = copy.deepcopy(POLL)
    del poll["questions"][0]["groups"][0]["parts"]
    with pytest.raises(Refused, match=r"questions\.0\.groups\.0\.parts"):
        write_page(poll)


def test_words_can_be_read_in_both_schemes() -> None:
    """Contrast as WCAG 2.2 counts it: 4.5 for words, 3 for the edges of fields and the mark of the focus."""
    style = (files("tacit.local.browser") / "page.css").read_text()
    for scheme in re.findall(r":root \{(.*?)\}", style, re.DOTALL):
        colour = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", scheme))
        for ground in ("ground", "raised"):
            assert all(contrast(colour[each], colour[ground]) >= 4.5 for each in ("ink", "quiet", "accent", "problem"))
            assert contrast(colour["line"], colour[ground]) >= 3
        assert contrast(colour["on-accent"], colour["accent"]) >= 4.5


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
