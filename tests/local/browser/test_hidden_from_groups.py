"""A respondent who is not asked the sensitive question cannot find it: not on the page, in its source, or in a name.

The rule: a page or a sheet holds the question's words exactly where its group is asked it, and then never in the title.
Every design asks it of everybody, but for those that compare two groups: the control group of a list experiment, and
the second sample of the two designs that estimate how common the innocuous answer is.
"""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.local.browser.chromium import Chromium
from tests.local.browser.test_collect import ask, say
from tests.local.browser.test_designs_in_the_browser import GIVEN
from tests.local.browser.test_slow_clients import collecting

from tacit.cli.main import app
from tacit.errors import Refused
from tacit.local.browser.collector import Collector
from tacit.local.browser.page import write_page, write_sheet
from tacit.local.polls.poll_file import CATALOGUE, read_poll

TEXT = "Have you ever embezzled money of your employer?"
SECRET = re.compile(r"embezzle|employer", re.IGNORECASE)
HINT = re.compile(r"sensitive|innocuous|control|treat|experiment", re.IGNORECASE)
ASKED = {"list": (False, True), "unrelated-estimated": (True, False), "at-least-one": (True, False)}
BESIDE = ("crosswise", "triangular", "unrelated", "unrelated-estimated", "at-least-one")
ON_PAPER = set(CATALOGUE) - {"kary", "subset"}


def words_of(path: Path, design: str) -> list[str]:
    """The command that designs a poll, with no more than it must be told."""
    words = [f"--{name.replace('_', '-')}={value}" for name, value in GIVEN.get(design, {}).items()]
    words += ["--innocuous", "Is your birthday in spring?"] if design in BESIDE else []
    words += [f"--item={item}" for item in ("Do you own a bicycle?", "Do you like tea?")] if design == "list" else []
    words += [f"--option={option}" for option in "abcd"] if design in ("kary", "subset") else []
    return ["poll", "design", TEXT, "--design", design, "--file", str(path), *words]


def designed(folder: Path, design: str, *more: str) -> Path:
    """A poll's file, as the command writes it."""
    made = CliRunner().invoke(app, [*words_of(folder / "poll.toml", design), *more])
    assert made.exit_code == 0, made.output
    return folder / "poll.toml"


def holds(source: str) -> bool:
    """Whether the words are anywhere in the source (text, scripts, comments, attributes, escaped or not), or a hint is.

    Hints are not looked for in the page's own script and style, which are the same for every poll.
    """
    told = re.findall(r'id="told">(.*?)</script>', source, re.DOTALL)
    whole = html.unescape(source) + "".join(json.dumps(json.loads(each), ensure_ascii=False) for each in told)
    own = re.sub(r'<script type="module">.*?</script>|<style>.*?</style>', "", whole, flags=re.DOTALL)
    return bool(SECRET.search(whole) or HINT.search(own))


@pytest.mark.parametrize("design", list(CATALOGUE))
def test_every_page_shows_the_question_only_to_those_who_are_asked(design: str, tmp_path: Path) -> None:
    path = designed(tmp_path, design)
    poll = read_poll(path)
    asked = ASKED.get(design, (True,))
    assert poll.versions == len(asked)
    for version, is_asked in enumerate(asked):
        pages = [write_page(poll.written(), collector, version) for collector in (None, "/reports")]
        pages += [write_sheet(poll, version)] if design in ON_PAPER else []
        for page in pages:
            assert holds(page) == is_asked
            titles = re.findall(r"<(title|h1)>(.*?)</\1>", page)
            assert [title for _, title in titles] == ["A short survey"] * 2


def test_the_browser_shows_nothing_of_it_on_the_whole_way(chromium: Chromium, tmp_path: Path) -> None:
    """The document as it stands when it asks, and when it shows what would be sent."""
    for number, (design, asked) in enumerate(ASKED.items()):
        (tmp_path / design).mkdir()
        page = tmp_path / f"{number}.html"
        poll = read_poll(designed(tmp_path / design, design))
        page.write_text(write_page(poll.written(), None, asked.index(False)))
        chromium.open(page.as_uri())
        for step in (
            "",
            "document.querySelectorAll('input').item(1).click(); document.querySelector('form > button').click()",
        ):
            chromium.run(step)
            assert not SECRET.search(chromium.run("document.documentElement.outerHTML"))
        assert json.loads(chromium.run("document.querySelector('pre').textContent"))["answers"] == {
            "q1": [asked.index(False), 1]
        }


@pytest.mark.parametrize("design", list(ASKED))
def test_files_and_what_is_printed_with_them_say_nothing(design: str, tmp_path: Path) -> None:
    path = designed(tmp_path, design)
    run = CliRunner().invoke(app, ["poll", "page", str(path), "--out", str(tmp_path / "survey.html")])
    assert run.exit_code == 0, run.output
    assert sorted(each.name for each in tmp_path.glob("survey*")) == ["survey-a.html", "survey-b.html"]
    pages = [(tmp_path / f"survey-{letter}.html").read_text() for letter in "ab"]
    assert [holds(page) for page in pages] == list(ASKED[design])
    refused = CliRunner().invoke(app, ["poll", "page", str(path)])
    assert refused.exit_code == 2
    assert "It has 2 versions" in refused.output
    one = CliRunner().invoke(app, ["poll", "page", str(path), "--version", "b"])
    assert one.output.strip() == pages[1].strip()
    assert CliRunner().invoke(app, ["poll", "page", str(path), "--version", "c"]).exit_code == 2


def test_the_collector_gives_each_respondent_one_version(tmp_path: Path) -> None:
    """By lot, about half of them each; the same token finds the same page again; reports of both are taken."""
    poll = read_poll(designed(tmp_path, "list")).written()
    with collecting(Collector(poll, tmp_path / "reports.jsonl", port=0)) as collector:
        pages = [ask(collector, "GET", f"/?respondent={number:032x}")[1] for number in range(64)]
        assert pages == [ask(collector, "GET", f"/?respondent={number:032x}")[1] for number in range(64)]
        shown = [holds(page) for page in pages]
        assert 12 <= sum(shown) <= 52
        told = [json.loads(re.findall(r'id="told">(.*?)</script>', page)[0])["poll"] for page in pages]
        assert [each["questions"][0]["sample"] for each in told] == [int(each) for each in shown]
        assert {holds(ask(collector, "GET", "/")[1]) for _ in range(64)} == {False, True}
        for number in range(4):
            report = {"poll": poll["id"], "respondent": f"{number:032x}", "answers": {"q1": [int(shown[number]), 2]}}
            assert ask(collector, "POST", "/reports", json.dumps(report).encode())[0] == 201


def test_a_page_that_is_loaded_again_is_the_same_version(chromium: Chromium, tmp_path: Path) -> None:
    """In a browser, without a token: sixteen loads show one version. What it keeps is the version's letter alone."""
    poll = read_poll(designed(tmp_path, "list")).written()
    with collecting(Collector(poll, tmp_path / "reports.jsonl", port=0)) as collector:
        chromium.open(collector.address)
        shown = set()
        for _ in range(16):
            chromium.open(collector.address)
            shown.add(bool(SECRET.search(chromium.run("document.documentElement.outerHTML"))))
        assert len(shown) == 1


def test_a_browser_keeps_a_letter_that_many_share(tmp_path: Path) -> None:
    poll = read_poll(designed(tmp_path, "list")).written()
    with collecting(Collector(poll, tmp_path / "reports.jsonl", port=0)) as collector:
        heads = [say(collector, b"GET / HTTP/1.1\r\n\r\n").split(b"\r\n\r\n")[0].decode() for _ in range(32)]
        kept = {re.findall(r"Set-Cookie: (.*)", head)[0].strip() for head in heads}
        assert {each.split("; ", 1)[1] for each in kept} == {"Path=/; SameSite=Lax; HttpOnly"}
        cookies = sorted(each.split(";")[0] for each in kept)
        assert cookies == [f"version-{poll['id'][:8]}={letter}" for letter in "AB"]
        for cookie, is_asked in zip(cookies, ASKED["list"], strict=True):
            request = f"GET / HTTP/1.1\r\nCookie: other=1; {cookie}\r\n\r\n".encode()
            assert {bool(SECRET.search(say(collector, request).decode())) for _ in range(16)} == {is_asked}
        for odd in ("version-00000000=A", "; ".join(cookies), "\xff;;=", "A"):
            assert say(collector, f"GET / HTTP/1.1\r\nCookie: {odd}\r\n\r\n".encode("latin-1")).startswith(
                b"HTTP/1.0 200"
            )
    (tmp_path / "one").mkdir()
    one = read_poll(designed(tmp_path / "one", "warner")).written()
    with collecting(Collector(one, tmp_path / "one.jsonl", port=0)) as collector:
        assert b"Set-Cookie" not in say(collector, b"GET / HTTP/1.1\r\n\r\n")


@pytest.mark.parametrize(
    ("text", "items", "why"),
    [
        ("Have you ever stolen?", ["I own a bicycle", "I like tea"], "The sensitive item is a question"),
        ("I have stolen", ["Do you own a bicycle?", "Do you like tea?"], "The sensitive item is no question"),
        ("I have stolen", ["I own a bicycle", "I own a bicycle."], "Two of its items are the same"),
        ("I have stolen", [], "The sensitive one would stand alone"),
    ],
)
def test_an_item_that_would_stand_out_of_its_list_is_refused(
    text: str, items: list[str], why: str, tmp_path: Path
) -> None:
    words = ["poll", "design", text, "--design", "list", "--file", str(tmp_path / "poll.toml")]
    made = CliRunner().invoke(app, words + [f"--item={item}" for item in items])
    assert made.exit_code == 2
    assert why in made.output
    assert not (tmp_path / "poll.toml").exists()


@pytest.mark.parametrize(
    ("text", "items", "asked"),
    [
        ("I have stolen.", ["I own a bicycle", "I like tea"], "How many of these are true of you?"),
        ("Did you steal?", ["Do you own a bicycle?", "Do you like tea?"], "How many of these do you answer with yes?"),
    ],
)
def test_items_of_a_list_are_written_alike(text: str, items: list[str], asked: str, tmp_path: Path) -> None:
    words = ["poll", "design", text, "--design", "list", "--file", str(tmp_path / "poll.toml")]
    made = CliRunner().invoke(app, words + [f"--item={item}" for item in items])
    assert made.exit_code == 0, made.output
    for group in read_poll(tmp_path / "poll.toml").questions[0].groups:
        first, *listed = group.instructions.split("\n")
        assert first.startswith(asked)
        assert len({line[-1] == "?" for line in listed}) == 1
        assert not [line for line in listed if line.endswith(".")]


@pytest.mark.parametrize("design", list(ASKED))
@pytest.mark.parametrize(
    "more", [["--title", f"A survey: {TEXT.upper()}"], ["--title", "Have you ever  embezzled money of your employer"]]
)
def test_a_title_that_would_show_it_is_refused(design: str, more: list[str], tmp_path: Path) -> None:
    """By the command that would write it, and again if a file that was changed by hand says it."""
    made = CliRunner().invoke(app, words_of(tmp_path / "none", design) + more)
    assert made.exit_code == 2
    assert "what question 1 asks others" in made.output
    assert not (tmp_path / "none").exists()
    path = designed(tmp_path, design)
    path.write_text(path.read_text().replace("A short survey", more[1]))
    poll, hidden = read_poll(path), ASKED[design].index(False)
    for write in (lambda: write_page(poll.written(), None, hidden), lambda: write_sheet(poll, hidden)):
        with pytest.raises(Refused, match="what question 1 asks others") as caught:
            write()
        assert not SECRET.search(str(caught.value))
    assert write_page(poll.written(), None, 1 - hidden)
