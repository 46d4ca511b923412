"""Analysts' names and output: no name is accepted as the steward's, and no user input reaches a terminal unescaped."""

from __future__ import annotations

import json

import duckdb
import pytest
from tests.curator.clinic_command import BY_REGION, Clinic

import tacit
from tacit.errors import Refused

COUNT = "SELECT COUNT(*) FROM visits"
EVIL = "\x07\x1b[2J\x7f\x85\x9b31m\u200b\u2028\u2029\u202a\u202e\u2066\u2069\ufeff[red]x[/red]"
NO_NAMES = ["", " ", "\u200b", "\u3164", "a\x1b[2Jb", "a\u202eb", "a\u2028b", "a\x9bb", "\ud800", "__a", "a" * 201]
LIKE_THE_STEWARD = [
    *("Steward", "STEWARD", " steward", "steward ", "steward\u00a0", "ste\u200bward", "\uff53teward", "stéward"),
    *("steward\u3164", "steward\ufe0f", "s t e w a r d", "steward.", "\U0001d42c\U0001d42dewar\u217e"),
]


def is_plain(text: str) -> bool:
    return all(line.isprintable() for line in text.split("\n"))


@pytest.mark.parametrize("analysts", [True, False], ids=["analysts are named", "anybody may ask"])
def test_no_other_name_is_the_steward(clinic: Clinic, analysts: bool) -> None:
    """Seen: `--as ""` asked as the steward, who has no share to keep."""
    if not analysts:
        place = clinic.folder / "clinic.toml"
        place.write_text(place.read_text().replace('analysts = { alice = "10%" }\n', ""))
    for name in [*NO_NAMES, *LIKE_THE_STEWARD]:
        if name != "\ud800":
            ended = clinic.tacit("query", "clinic.toml", COUNT, "--epsilon", "0.1", "--as", name)
            assert (ended.code, ended.out) == (2, ""), repr(name)
            assert ended.err.startswith("Refused, nothing spent: "), repr(name)
            assert is_plain(ended.err), repr(name)
        with pytest.raises(Refused):
            tacit.open("clinic.toml", analyst=name)
    assert clinic.entries() == []
    assert clinic.tacit("query", "clinic.toml", COUNT, "--epsilon", "0.1", "--as", "steward").code == 0
    assert clinic.tacit("query", "clinic.toml", COUNT, "--epsilon", "0.2").code == 0


def test_a_description_names_no_analyst_that_passes_for_another(clinic: Clinic) -> None:
    place = clinic.folder / "clinic.toml"
    text = place.read_text()
    for name in ("Steward", "s\u00a0teward", "stéward", "alice ", ""):
        place.write_text(text.replace('alice = "10%"', f'alice = "10%", {json.dumps(name)} = "5%"'))
        ended = clinic.tacit("budget", "clinic.toml")
        assert ended.code == 2, name
        assert is_plain(ended.err)


def test_what_was_typed_is_shown_and_not_obeyed(clinic: Clinic) -> None:
    """Aliases, comments and names with C0, DEL, C1, bidirectional and separating characters, and with markup."""
    asked = f'SELECT COUNT(*) AS "{EVIL}" /* {EVIL} */ FROM visits -- {EVIL}\n'
    words = ("clinic.toml", asked, "--epsilon", "0.5")
    answered = clinic.tacit("query", *words, "--certificate", "answer.json")
    shown = [
        answered,
        clinic.tacit("explain", *words),
        clinic.tacit("query", *words, "--format", "json"),
        clinic.tacit("budget", "clinic.toml"),
        clinic.tacit("budget", "clinic.toml", "--json"),
        clinic.tacit("verify", "answer.json", "--ledger", "clinic.toml"),
        clinic.tacit("query", "clinic.toml", f'SELECT COUNT("{EVIL}") FROM visits', "--epsilon", "1"),
        clinic.tacit("query", "clinic.toml", f'SELECT COUNT(*) FROM "{EVIL}"', "--epsilon", "1"),
        clinic.tacit("query", "clinic.toml", COUNT, "--epsilon", EVIL),
        clinic.tacit("query", "clinic.toml", 'SELECT COUNT("a\nAnswered: 4711") FROM visits', "--epsilon", "1"),
        clinic.tacit(
            "query", "clinic.toml", "SELECT COUNT(*) FROM visits WHERE age + 'a\nAnswered: 4711'", "--epsilon", "1"
        ),
        clinic.tacit("budget", f"{EVIL}.toml"),
        clinic.tacit("verify", f"{EVIL}.json"),
    ]
    assert [ended.code for ended in shown] == [0] * 6 + [2] * 7
    for ended in shown:
        assert is_plain(ended.out), ended.out
        assert is_plain(ended.err), ended.err
        assert "\nAnswered" not in ended.err, ended.err  # a line that only Tacit may write
    assert "\\x1b[2J" in answered.out
    assert "[red]x[/red]" in answered.out
    assert EVIL in json.loads(shown[2].out)["rows"][0]  # JSON says the same, in other characters
    assert json.loads(shown[4].out)["entries"][0]["query"] == asked
    for place in (clinic.folder / "answer.json", clinic.folder / "home" / "ledger.sqlite"):
        assert b"\x1b[2J" not in place.read_bytes()


def test_what_was_typed_is_shown_in_python_too(clinic: Clinic) -> None:
    with tacit.open("clinic.toml") as ds:
        asked = f'SELECT COUNT(*) AS "{EVIL}" FROM visits'
        answer = ds.query(asked, epsilon="0.5")
        texts = [str(answer), repr(answer), answer._repr_html_(), answer.to_json(), str(ds.budget())]
        texts += [str(ds.explain(asked, epsilon=1)), answer.plot().axes[0].get_title(loc="left")]
        with pytest.raises(Refused) as refused:
            ds.query(f'SELECT COUNT("{EVIL}") FROM visits', epsilon=1)
    assert all(map(is_plain, [*texts, str(refused.value), refused.value.asked]))


def test_keys_from_the_data_are_shown_and_not_obeyed(clinic: Clinic, monkeypatch: pytest.MonkeyPatch) -> None:
    """Private keys are texts that patients' rows hold; on a terminal CSV is escaped too, in a file it is exact."""
    rows = f"SELECT (i % 500)::INTEGER AS patient_id, 'north' AS region, '{EVIL}' AS ward, 1 AS age, 1.0 AS cost"
    duckdb.sql(f"{rows} FROM range(2000) AS r(i)").write_parquet(str(clinic.folder / "visits.parquet"))
    words = ("query", "clinic.toml", "SELECT ward, COUNT(*) FROM visits GROUP BY ward", "--epsilon", "1")
    table = clinic.tacit(*words)
    assert "\\x1b[2J" in table.out
    assert is_plain(table.out)
    assert is_plain(clinic.tacit(*words, "--format", "json").out)
    assert EVIL in clinic.tacit(*words, "--format", "csv").out
    monkeypatch.setattr("tacit.cli.query.is_terminal", lambda: True)
    csv = clinic.tacit(*words, "--format", "csv").out
    assert "\\x1b[2J" in csv
    assert is_plain(csv)


def test_names_in_files_and_descriptions_are_shown_and_not_obeyed(clinic: Clinic) -> None:
    """Headers are whatever the file has, and a description may be another's: neither writes to a terminal."""
    (clinic.folder / "odd.csv").write_text(f'patient_id,"{EVIL}",age\n1,2,3\n', encoding="utf-8")
    first = clinic.tacit("init", "odd.csv", "--unit", "patient_id", "--out", "odd.toml")
    assert first.code == 0, first.err
    place = clinic.folder / "clinic.toml"
    text = place.read_text()
    shown = [first, clinic.tacit("check", "odd.toml"), clinic.tacit("init", f"{EVIL}.parquet", "--row")]
    for old, new in (
        ("one patient, all visits", EVIL),
        ("[tables.visits.columns]\n", f"[tables.visits.columns]\n{json.dumps(EVIL)} = {{ type = 'text' }}\n"),
        ('name = "clinic"', f"name = {json.dumps(EVIL)}"),
        ('"north", "south"', f'"north", {json.dumps(EVIL)}'),
        ('source = "visits.parquet"', f"source = {json.dumps(EVIL)}"),
        ('id = "patient_id"', f"id = {json.dumps(EVIL)}"),
        ("budget = {", f"{json.dumps(EVIL)} = 1\nbudget = {{"),
        ("analysts = {", f"analysts = {{ {json.dumps(EVIL)} = 0.1,"),
    ):
        assert old in text
        place.write_text(text.replace(old, new))
        shown += [clinic.tacit(command, "clinic.toml") for command in ("check", "budget")]
        shown += [clinic.tacit("query", "clinic.toml", BY_REGION, "--epsilon", "0.01", "--fresh")]
        shown += [clinic.tacit("explain", "clinic.toml", BY_REGION, "--epsilon", "0.01")]
    for ended in shown:
        assert is_plain(ended.out), ended.out
        assert is_plain(ended.err), ended.err
    assert {ended.code for ended in shown} == {0, 2}


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT SUM(a) FROM visits v(a, b)",
        "SELECT SUM(age) FROM visits AS v(cost, age)",
        "SELECT SUM(age) FROM (SELECT * FROM visits) AS t(age, cost)",
        "WITH t AS (SELECT cost, age FROM visits) SELECT SUM(age) FROM t AS u(age, cost)",
        "SELECT SUM(u.age) FROM (WITH t(age, cost) AS (SELECT cost FROM visits) SELECT age FROM t) u",
        "SELECT COUNT(*) FROM visits a JOIN visits b(patient_id, age) ON a.patient_id = b.patient_id",
        "SELECT COUNT(*) FROM (SELECT age FROM visits) t TABLESAMPLE 10%",
        "SELECT COUNT(*) FROM ((SELECT age FROM visits) LIMIT 2) t",
    ],
)
def test_names_for_columns_behind_a_table_are_refused(clinic: Clinic, sql: str) -> None:
    """Seen: they were left out silently, so that another column was added up than the one that was named."""
    ended = clinic.tacit("query", "clinic.toml", sql, "--epsilon", "1")
    assert (ended.code, ended.out) == (2, ""), ended.out
    assert clinic.entries() == []
    assert clinic.tacit("query", "clinic.toml", BY_REGION, "--epsilon", "0.1").code == 0


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT SUM(age) FROM (SELECT cost, age FROM visits) AS t(age, cost)",
        "WITH t(age, cost) AS (SELECT cost, age FROM visits) SELECT SUM(age) FROM t",
        "SELECT SUM(u.age) FROM (WITH t(age) AS (SELECT cost FROM visits) SELECT age FROM t) u",
    ],
)
def test_names_for_columns_behind_a_sub_query_name_its_items(clinic: Clinic, sql: str) -> None:
    """The column that is added up is the one that is named: the costs, which are 500,000; the ages are 88,000."""
    ended = clinic.tacit("query", "clinic.toml", sql, "--epsilon", "1")
    assert ended.code == 0, ended.err
    assert 250_000 < int(ended.out.split()[1].replace(",", "")) < 750_000
