"""The page in a real Chromium: filled in, shown, sent or saved; drawn once, without storage or other connections."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.local.browser.asked import POLL, YES_NO, group
from tests.local.browser.chromium import Chromium
from tests.local.browser.test_collect import collecting
from tests.local.browser.test_page_text import EVIL, hostile
from tests.local.browser.vectors import NAMED

from tacit.local.browser.page import write_page
from tacit.local.browser.questionnaire import Questionnaire
from tacit.local.browser.report_file import read_reports, read_submission

RESPONDENT = "feed" * 8
CHOOSE = """document.querySelectorAll('form > fieldset').forEach((question) => {
    const rows = question.querySelectorAll('fieldset, div');
    rows.forEach((row) => row.querySelectorAll('input').item(1)?.click());
})"""
SHOW = "document.querySelector('form > button').click()"
PRESS = "document.querySelector('#place > button').click()"
TEXT = "document.querySelector('pre').textContent"
MARKS = "document.querySelectorAll(':checked').length"
TAB, SPACE, ENTER = ("Tab", 9), (" ", 32, " "), ("Enter", 13, "\r")


def saved(tmp_path: Path, poll: dict[str, Any] = POLL, collector: str | None = None) -> str:
    """The page in a file, by its address."""
    path = tmp_path / "page.html"
    path.write_text(write_page(poll, collector))
    return path.as_uri()


def heading(chromium: Chromium, wanted: str) -> bool:
    """Waits until the page has come to this heading, which has the focus."""
    return bool(
        chromium.run(
            f"""(async () => {{
                for (let tries = 0; tries < 500; tries++) {{
                    if (document.activeElement.textContent === {json.dumps(wanted)}) return true;
                    await new Promise((resolve) => setTimeout(resolve, 20));
                }}
                return document.body.innerText;
            }})()"""
        )
        is True
    )


def outcome(chromium: Chromium) -> str:
    """Waits until the live region says something final."""
    return str(
        chromium.run(
            """(async () => {
                const live = document.querySelector('[aria-live]');
                for (let tries = 0; tries < 500; tries++) {
                    if (live.textContent && !live.textContent.startsWith('Sending')) break;
                    await new Promise((resolve) => setTimeout(resolve, 20));
                }
                return live.textContent;
            })()"""
        )
    )


def troubles(chromium: Chromium) -> list[Any]:
    """The errors that the browser reported."""
    return [each for each in chromium.events if each["method"] in ("Log.entryAdded", "Runtime.exceptionThrown")]


def requests(chromium: Chromium) -> list[tuple[str, str]]:
    sent = [each["params"]["request"] for each in chromium.events if each["method"] == "Network.requestWillBeSent"]
    return [(each["method"], each["url"]) for each in sent if not each["url"].startswith("data:")]


def test_the_whole_way_from_the_collector_and_back(chromium: Chromium, tmp_path: Path) -> None:
    path = tmp_path / "reports.jsonl"
    with collecting(path) as collector:
        address = f"{collector.address}?respondent={RESPONDENT}"
        chromium.open(address)
        chromium.run(CHOOSE)
        assert chromium.run(MARKS) >= 4
        chromium.run(SHOW)
        assert heading(chromium, "What would be sent")
        shown = chromium.run(TEXT)
        assert chromium.run(MARKS) == 0, "the answers are gone"
        assert not path.read_bytes(), "nothing has left"
        chromium.run(PRESS)
        assert heading(chromium, "Sent. Thank you.")
        assert read_reports(path, POLL) == [json.loads(shown)]
        assert json.loads(shown)["respondent"] == RESPONDENT
        assert json.loads(shown)["answers"]["crosswise"] == [0, 1]
        assert chromium.run("document.querySelectorAll('form, pre, dl, button').length") == 0
        assert chromium.run("localStorage.length + sessionStorage.length + document.cookie.length") == 0
        assert requests(chromium) == [("GET", address), ("POST", f"{collector.address}reports")]
        assert troubles(chromium) == []

        chromium.open(address)
        chromium.run(SHOW)
        chromium.run(PRESS)
        assert heading(chromium, "Sent before.")
        assert len(read_reports(path, POLL)) == 1

        chromium.open(collector.address)
        chromium.run(SHOW)
        shown = chromium.run(TEXT)
    chromium.run(PRESS)
    assert "try again" in outcome(chromium)
    assert chromium.run(TEXT) == shown, "a second attempt sends the same report"
    assert json.loads(shown)["respondent"] != RESPONDENT
    assert {report for _, report in json.loads(shown)["answers"].values()} == {None}


def test_a_keyboard_is_enough(chromium: Chromium, tmp_path: Path) -> None:
    def reach(wanted: str) -> None:
        for _ in range(60):
            chromium.press(*TAB)
            if chromium.run(f"document.activeElement.matches({json.dumps(wanted)})"):
                return
        raise AssertionError(wanted)

    chromium.open(saved(tmp_path))
    reach("[name='0.0']")
    outline = chromium.run("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid", "the focus is seen"
    chromium.press(*SPACE)
    assert chromium.run(MARKS) == 2, "a radio button, and the list's “no answer”"
    reach(".clear")
    chromium.press(*ENTER)
    assert chromium.run("document.querySelectorAll('input:checked').length") == 0
    reach("form > button")
    chromium.press(*ENTER)
    assert heading(chromium, "What would be sent")
    reach("summary")
    chromium.press(*ENTER)
    assert chromium.run("document.querySelector('details').open")
    assert json.loads(chromium.run(TEXT))["answers"]["cheated"] == [0, None]


def test_a_report_is_drawn_once(chromium: Chromium, tmp_path: Path) -> None:
    """Clicking on, or asking the form itself again with other answers, changes nothing that would be sent."""
    chromium.open(saved(tmp_path))
    chromium.run(f"globalThis.form = document.querySelector('form'); {CHOOSE}; form.requestSubmit()")
    shown = chromium.run(TEXT)
    for _ in range(20):
        chromium.run(
            "document.querySelector('main').append(form); form.querySelector('input').click(); form.requestSubmit()"
        )
        assert chromium.run(TEXT) == shown


def test_without_a_collector_the_report_is_a_file(chromium: Chromium, tmp_path: Path) -> None:
    chromium.open(saved(tmp_path))
    chromium.tell("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    chromium.run(f"{CHOOSE}; {SHOW}")
    shown = chromium.run(TEXT)
    chromium.run(PRESS)
    said = outcome(chromium)
    chromium.wait_for("Page.downloadProgress", state="completed")
    (path,) = tmp_path.glob("report-*.json")
    assert path.name in said
    assert read_submission(path.read_bytes(), Questionnaire.of(POLL)) == json.loads(shown)
    assert requests(chromium)[1:] == []


def test_a_page_from_a_file_sends_to_its_collector_and_to_nobody_else(chromium: Chromium, tmp_path: Path) -> None:
    with collecting(tmp_path / "reports.jsonl") as collector, collecting(tmp_path / "other.jsonl") as other:
        chromium.open(saved(tmp_path, collector=f"{collector.address}reports"))
        reach = "fetch({}, {{method: 'POST', body: ''}}).then(({{status}}) => status, () => 'blocked')"
        assert chromium.run(reach.format(json.dumps(f"{other.address}reports"))) == "blocked"
        assert chromium.run(reach.format(json.dumps(f"{collector.address}reports"))) == 400
        chromium.run(f"{CHOOSE}; {SHOW}; {PRESS}")
        assert heading(chromium, "Sent. Thank you.")
    assert len(read_reports(tmp_path / "reports.jsonl", POLL)) == 1


def test_a_question_answered_in_part_is_pointed_out(chromium: Chromium, tmp_path: Path) -> None:
    poll = POLL | {"questions": [POLL["questions"][3] | {"groups": POLL["questions"][3]["groups"][:1]}]}
    chromium.open(saved(tmp_path, poll))
    chromium.run(f"document.querySelector('input').click(); {SHOW}")
    assert chromium.run("document.querySelector('.problem[id]').textContent").startswith("Only a part")
    assert chromium.run("document.activeElement.name") == "0.0"
    chromium.run(f"document.querySelectorAll('input')[3].click(); {SHOW}")
    assert heading(chromium, "What would be sent")
    assert json.loads(chromium.run(TEXT))["answers"]["unrelated"][1] in (0, 1)


def test_a_damaged_link_asks_nothing(chromium: Chromium, tmp_path: Path) -> None:
    chromium.open(saved(tmp_path) + "?respondent=" + "F" * 32)
    assert chromium.run("document.querySelectorAll('form').length") == 0
    assert "damaged" in outcome(chromium)


def test_where_the_device_draws_nobody_is_told_to(chromium: Chromium, tmp_path: Path) -> None:
    """Instructions are for people who draw for themselves: followed on this page, they would randomise twice."""
    told = group(NAMED["Warner"], ("", YES_NO), instructions="Throw a die and hide it.")
    silent = group(None, ("Are the two answers the same?", YES_NO), instructions="Compare two answers.")
    sets = group(NAMED["pairs"], ("", ["a", "b", "c", "d"]), instructions="Throw a die and hide it.")
    kary = group(NAMED["half odds"], ("", ["a", "b", "c", "d", "e"]), instructions="Throw a die and hide it.")
    questions = [
        {"name": f"q{number}", "text": "Did you?", "groups": [each]}
        for number, each in enumerate((told, silent, sets, kary))
    ]
    chromium.open(saved(tmp_path, POLL | {"questions": questions}))
    chromium.run("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    first, second, third, fourth = chromium.run(
        "[...document.querySelectorAll('form > fieldset')].map((each) => each.innerText)"
    )
    assert "die" not in first + third + fourth
    assert "If you choose “No”, it sends “No” in 75%, “Yes” in 25% of cases." in first
    assert "2 of the 4 options, with yours among them in 75% of cases." in third
    assert "what you choose in 46.67% of cases, each other option in 13.33%." in fourth
    assert "Compare two answers." in second
    assert "Are the two answers the same?" in second
    assert "sent as you choose it" in second
    assert "Did you?" not in second, "what is asked there is another question"


def test_evil_words_are_shown_as_words(chromium: Chromium, tmp_path: Path) -> None:
    poll = hostile()
    chromium.open(saved(tmp_path, poll))
    assert chromium.run("document.title").startswith("Exams and honesty</script>")
    assert chromium.run("document.querySelector('legend').textContent") == f"1. {poll['questions'][0]['text']}"
    chromium.run(f"{CHOOSE}; {SHOW}")
    assert EVIL in chromium.run("document.querySelector('dd').textContent")
    assert chromium.run("document.images.length + document.scripts.length") == 2
    assert troubles(chromium) == []
    assert requests(chromium)[1:] == []


def test_every_field_has_a_name_that_is_read_out(chromium: Chromium, tmp_path: Path) -> None:
    chromium.open(saved(tmp_path))
    tree = chromium.tell("Accessibility.getFullAXTree")["nodes"]
    named = [(each["role"]["value"], each.get("name", {}).get("value", "")) for each in tree if not each["ignored"]]
    by_role: Callable[[str], list[str]] = lambda wanted: [name for role, name in named if role == wanted]  # noqa: E731
    assert ("heading", POLL["title"]) in named
    numbered = [name for name in by_role("group") if name[:1].isdigit() or name.startswith("Question")]
    first, second, *_, last = [question["text"] for question in POLL["questions"]]
    assert numbered == [f"1. {first}", f"2. {second}", "Question 3", "Question 4", f"5. {last}"]
    assert set(by_role("radio")) >= {"No", "Yes", "Algebra", "Same answer to both"}
    assert by_role("combobox") == [POLL["questions"][4]["text"]]
    assert all(name for role, name in named if role in ("radio", "button", "combobox"))
    assert chromium.run("document.documentElement.lang") == "en"
    assert "Clear my answer to question 1" in by_role("button")


@pytest.mark.parametrize("dark", [False, True])
def test_nothing_is_cut_off_on_a_narrow_screen(chromium: Chromium, tmp_path: Path, dark: bool) -> None:
    chromium.open(saved(tmp_path))
    chromium.look(320, dark=dark)
    assert chromium.run("document.documentElement.scrollWidth") == 320
    ground = chromium.run("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(21, 25, 30)") == dark
    chromium.run(f"{CHOOSE}; {SHOW}; document.querySelector('details').open = true")
    assert chromium.run("document.documentElement.scrollWidth") == 320
