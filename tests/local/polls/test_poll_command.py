"""`tacit poll`: a poll designed, answered by simulated respondents and estimated, through the command alone."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from tacit.cli.main import app
from tacit.local.polls.poll_file import read_poll
from tacit.noise.bits import Seeded


def run(*words: str) -> Result:
    return CliRunner().invoke(app, ["poll", *words])


@pytest.fixture
def poll(tmp_path: Path) -> Path:
    path = tmp_path / "poll.toml"
    for words in (
        ["Have you ever cheated in an exam?", "--truth", "3/4", "--width", "0.06"],
        [
            "Which drug?",
            "--epsilon",
            "2",
            "--name",
            "drug",
            *[each for name in "abcdef" for each in ("--option", name)],
        ],
    ):
        made = run("design", *words, "--file", str(path))
        assert made.exit_code == 0, made.output
    return path


@pytest.fixture
def reports(poll: Path, tmp_path: Path) -> Path:
    """4,301 people, 30% yes; drugs a to f in falling shares; every hundredth leaves the second question out."""
    bits, rng = Seeded(8), np.random.default_rng(8)
    asked = read_poll(poll)
    lines = []
    for place in range(4301):
        answers = {"cheated": int(rng.random() < 0.3), "drug": int(rng.choice(6, p=[0.4, 0.3, 0.15, 0.1, 0.05, 0]))}
        sent = {}
        for question in asked.questions:
            randomizer = question.groups[0].randomizer
            assert randomizer is not None
            report = randomizer.rehearse(answers[question.name], bits)
            sent[f"q{len(sent) + 1}"] = [0, None if question.name == "drug" and place % 100 == 0 else report]
        lines.append(json.dumps({"poll": asked.id, "respondent": f"{place:032x}", "answers": sent}))
    path = tmp_path / "reports.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_design_says_what_is_protected_and_how_many_to_ask(tmp_path: Path) -> None:
    path = str(tmp_path / "poll.toml")
    first = run("design", "Have you ever cheated in an exam?", "--truth", "3/4", "--width", "0.06", "--file", path)
    assert first.output.startswith(
        "Self-randomised response, truth with probability 3/4: ε = ln 3 (1.099).\n"
        "The noise of these reports is the least that any report of this ε could have, if estimates from it are "
        "unbiased.\n"
        "For a 95% interval of width 0.06 ask 4,301 people.\n"
    )
    second = run("design", "Do you steal?", "--epsilon", "1", "--file", path)
    assert "All 2 questions together: ε = 2.099." in second.output
    again = run("design", "Do you steal?", "--epsilon", "1", "--file", path)
    assert again.exit_code == 2
    assert "Accepted: --name" in again.output
    assert len(read_poll(Path(path)).questions) == 2


def test_what_a_poll_says_is_shown_and_not_obeyed(poll: Path, reports: Path) -> None:
    """A poll's file may be another's: its words write to no terminal."""
    evil = "\\u001b[2J\\u202e\\u009b31m\\u2028"
    text = (
        poll.read_text()
        .replace("Which drug?", f"Which{evil}?")
        .replace('"a"', f'"a{evil}"')
        .replace("Yes", f"Yes{evil}")
    )
    poll.write_text(text)
    for words in ((), ("--json",), ("--careless", "0.1")):
        found = run("estimate", str(reports), "--poll", str(poll), *words)
        assert found.exit_code == 0, found.output
        assert all(line.isprintable() for line in found.output.split("\n")), found.output


def test_estimate_prints_shares_and_draws_them(poll: Path, reports: Path, tmp_path: Path) -> None:
    figure = tmp_path / "shares.png"
    found = run("estimate", str(reports), "--poll", str(poll), "--figure", str(figure), "--careless", "0.1")
    assert found.exit_code == 0, found.output
    assert "Have you ever cheated in an exam?\n  Yes: " in found.output
    assert "(4,301 answers)" in found.output
    assert "(4,257 answers, 44 missing)" in found.output
    assert "If 10% always said “No”" in found.output
    assert found.output.count("is not worked out for this design") == 1, "of the second question"
    assert figure.stat().st_size > 10_000
    fields = json.loads(run("estimate", str(reports), "--poll", str(poll), "--json").output)
    low, high = fields["cheated"][0]["interval"]
    assert low < 0.3 < high
    for option, share in zip(fields["drug"], [0.4, 0.3, 0.15, 0.1, 0.05, 0], strict=True):
        assert abs(option["share"] - share) < 5 * option["standard_error"]


def test_weights_are_read_from_a_file(poll: Path, reports: Path, tmp_path: Path) -> None:
    weights = tmp_path / "weights.csv"
    weights.write_text("respondent,weight\n" + "".join(f"{place:032x},{1 + place % 3}\n" for place in range(4301)))
    plain = json.loads(run("estimate", str(reports), "--poll", str(poll), "--json").output)
    found = json.loads(run("estimate", str(reports), "--poll", str(poll), "--weights", str(weights), "--json").output)
    assert found["cheated"][0]["standard_error"] > plain["cheated"][0]["standard_error"]
    weights.write_text("respondent,weight\nx,y\n")
    refused = run("estimate", str(reports), "--poll", str(poll), "--weights", str(weights))
    assert refused.exit_code == 2
    assert "line 2" in refused.output


def test_reports_that_are_none_are_refused_by_their_line(poll: Path, reports: Path) -> None:
    with reports.open("a") as lines:
        lines.write('{"poll": "secret"}\n')
    refused = run("estimate", str(reports), "--poll", str(poll))
    assert refused.exit_code == 2
    assert "line 4302" in refused.output
    assert "secret" not in refused.output


CHEATED = "Have you cheated?"
ABC = ["--option=a", "--option=b", "--option=c"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            [CHEATED],
            "the design warner with no number. It takes truth; or epsilon. Accepted: --truth 4/6; or --epsilon",
        ),
        ([CHEATED, "--design=kuk"], "Accepted: --red-if-yes 80% --red-if-no 20%."),
        ([CHEATED, "--design=forced", "--truth=1/2"], "with --truth. It takes truth, yes, no; or epsilon."),
        ([CHEATED, *ABC], "the design kary with no number"),
        ([CHEATED, *ABC, "--truth=1/4"], "Accepted: truth > 1/3."),
        ([CHEATED, "--option=a", "--option=a", "--truth=3/4"], "two are the same"),
        ([CHEATED, "--option=a", "--truth=3/4"], "fewer than two"),
        (["", "--truth=3/4"], "It has no text"),
        ([CHEATED, "--truth=3/4", "--item=I like tea"], "the design list with --truth"),
        ([CHEATED, "--truth=3/4", "--design=warner", "--item=I like tea"], "It asks no list"),
        ([CHEATED, "--truth=3/4", "--innocuous=Spring?"], "It asks nothing beside the question"),
        ([CHEATED, "--epsilon=ln x"], "It is the logarithm of no number"),
        ([CHEATED, "--epsilon=ln 1"], "It is not above 0 and at most 40"),
        ([CHEATED, "--epsilon=ln 1e30"], "It is not above 0 and at most 40"),
        ([CHEATED, "--truth=3/4", "--file=/nowhere/poll.toml"], "writing to /nowhere/poll.toml. No such file"),
    ],
    ids=lambda each: " ".join(each)[:50] if isinstance(each, list) else "",
)
def test_what_a_newcomer_leaves_out_or_mistypes_is_refused_in_the_commands_words(
    words: list[str], said: str, tmp_path: Path
) -> None:
    where = [] if any(word.startswith("--file") for word in words) else ["--file", str(tmp_path / "poll.toml")]
    refused = run("design", *words, *where)
    assert refused.exit_code == 2, refused.output
    assert refused.output.startswith("Refused: ")
    assert said in refused.output
    assert not (tmp_path / "poll.toml").exists()


def test_a_title_is_for_a_new_file(tmp_path: Path) -> None:
    path = ["--file", str(tmp_path / "poll.toml")]
    assert run("design", CHEATED, "--truth=3/4", "--title=A survey", *path).exit_code == 0
    assert "--title is for a new file" in run("design", "Did you steal?", "--truth=3/4", "--title=Other", *path).output
    assert run("design", "Did you steal?", "--truth=3/4", "--title=A survey", *path).exit_code == 0


def test_a_page_or_a_figure_that_cannot_be_written_is_refused(poll: Path, reports: Path) -> None:
    for words in (
        ["page", str(poll), "--out", "/nowhere/page.html"],
        ["estimate", str(reports), "--poll", str(poll), "--figure", "/nowhere/shares.png"],
        ["estimate", str(reports), "--poll", str(poll), "--figure", str(poll.parent / "shares.xyz")],
    ):
        refused = run(*words)
        assert refused.exit_code == 2, refused.output
        assert "Refused: " in refused.output


@pytest.mark.parametrize("design", ["warner", "forced"])
def test_an_epsilon_written_as_a_logarithm_is_exact(design: str, tmp_path: Path) -> None:
    path = str(tmp_path / "poll.toml")
    made = run("design", CHEATED, f"--design={design}", "--epsilon=ln 3", "--file", path)
    assert "ε = ln 3 (1.099)" in made.output
    assert "1/2" in made.output or "3/4" in made.output
    assert "You need" in run("page", path, "--paper").output
