"""The steward's commands: init, check, profile, budget."""

from __future__ import annotations

import json

from tests.curator.clinic_command import BY_REGION, DESCRIPTION, Clinic


def test_a_first_description_is_written_from_the_header_alone(clinic: Clinic) -> None:
    """R15: no value of the data stands in it, and it is not usable before the steward has chosen."""
    ended = clinic.tacit("init", "visits.parquet", "--unit", "patient_id", "--out", "first.toml")
    assert ended.code == 0, ended.err
    assert "describes 5 columns of visits.parquet by name and type only; no value was read." in ended.out
    assert "Declare bounds for: age, cost." in ended.out
    text = (clinic.folder / "first.toml").read_text()
    assert "north" not in text
    assert "ward 0" not in text
    unusable = clinic.tacit("check", "first.toml")
    assert unusable.code == 2
    assert "budget" in unusable.err


def test_a_first_description_needs_a_unit_and_overwrites_nothing(clinic: Clinic) -> None:
    for words in ((), ("--unit", "patient_id", "--row"), ("--unit", "nobody"), ("--row", "--out", "clinic.toml")):
        ended = clinic.tacit("init", "visits.parquet", *words)
        assert ended.code == 2
        assert "Accepted instead: " in ended.err
    assert (clinic.folder / "clinic.toml").read_text() == DESCRIPTION
    assert clinic.tacit("init", "visits.parquet", "--row").code == 0
    assert (clinic.folder / "visits.toml").exists()


def test_a_csv_file_that_is_not_there_is_not_blamed_for_its_first_line(clinic: Clinic) -> None:
    (clinic.folder / "empty.csv").write_text("")
    gone, empty = (clinic.tacit("init", name, "--row").err for name in ("gone.csv", "empty.csv"))
    assert "the source gone.csv. It cannot be read (No such file or directory)." in gone
    assert "the source empty.csv. Its first line does not name its columns, each once." in empty


def test_one_column_with_a_delimiter_in_its_name_is_pointed_at(clinic: Clinic) -> None:
    (clinic.folder / "bills.csv").write_text("patient;cost\n1;2\n")
    ended = clinic.tacit("init", "bills.csv", "--row")
    assert "It describes 1 column of bills.csv" in ended.out
    assert "if that stands between values, --delimiter ';'." in " ".join(ended.out.split())
    again = clinic.tacit("init", "bills.csv", "--row", "--delimiter", ";", "--out", "again.toml")
    assert "--delimiter" not in again.out


def test_a_check_says_what_is_promised(clinic: Clinic) -> None:
    ended = clinic.tacit("check", "clinic.toml")
    assert ended.code == 0, ended.err
    text = " ".join(ended.out.split())
    assert "clinic: visits with 2,000 rows; people are told apart by patient_id." in text
    assert "Budget ε = 4, δ = 1e-07 for everything ever released, kept as ρ = 0.26159" in text
    assert "at most 52.5% after one query at ε = 0.1" in text
    assert "visits: at most 6 rows a person declared." in text
    assert "visits: no at_most, the most that one person can have" in text
    assert "Write rows = … and totals = { cost = … } under [tables.visits.at_most]:" in text
    assert "--interval guaranteed is possible, which spends nothing on finding limits, and usual intervals" in text
    assert "There is no profile. `tacit profile clinic.toml --epsilon 0.5` would cost 1.7% of the budget." in text
    assert "costlier ones gain nothing." in text
    assert "the values of ward are private" in text
    assert "At most, of the budget: alice 10.0%." in text


def test_a_check_says_the_most_that_one_person_can_have(clinic: Clinic) -> None:
    more = "at_most = { rows = 400, totals = { cost = 90000 } }\n[tables.visits.columns]"
    (clinic.folder / "clinic.toml").write_text(DESCRIPTION.replace("[tables.visits.columns]", more))
    text = " ".join(clinic.tacit("check", "clinic.toml").out.split())
    assert "visits: one person can have at most 400 rows and a total of 90,000 of cost (at_most)." in text
    assert "no at_most" not in text


def test_a_check_of_a_table_with_one_row_a_person_asks_for_at_most(clinic: Clinic) -> None:
    (clinic.folder / "clinic.toml").write_text(DESCRIPTION.replace("rows = 6", "rows = 1"))
    text = " ".join(clinic.tacit("check", "clinic.toml").out.split())
    assert "visits: at most 1 row a person declared." in text
    assert "Write rows = 1, if nobody can have more, under [tables.visits.at_most]" in text


def test_a_check_where_nothing_is_left_to_find_speaks_of_no_profile(clinic: Clinic) -> None:
    """Limits that are declared as the most there can be: a profile has nothing to tell of counts."""
    (clinic.folder / "clinic.toml").write_text(DESCRIPTION.replace("rows = 6 }", "rows = 1 }\nat_most = { rows = 1 }"))
    ended = clinic.tacit("check", "clinic.toml")
    assert ended.code == 0, ended.err
    assert "visits: one person can have at most 1 row (at_most)." in ended.out
    assert "profile" not in ended.out


def test_a_check_says_what_tables_use_of_what_everybody_knows(clinic: Clinic) -> None:
    """Totals apply where each row is a person: where they do not, the steward is told."""
    ward = 'ward = { type = "text", keys = ["ward 0", "ward 1"], nullable = false }'
    place = 'levels = ["region", "ward"]\nmembers = { north = ["ward 0"], south = ["ward 1"] }'
    known = f"[tables.visits.hierarchies.place]\n{place}\n[[tables.visits.totals]]\ncount = 2000\n"
    more = DESCRIPTION.replace('ward = { type = "text" }', ward) + known
    (clinic.folder / "clinic.toml").write_text(more)
    text = " ".join(clinic.tacit("check", "clinic.toml").out.split())
    assert "visits: tables that are released together use region > ward." in text
    assert "visits: public totals are not used, since rows are not people of their own." in text
    own = more.replace('id = "patient_id"', "row = true").replace("limits = { rows = 6 }", "")
    (clinic.folder / "clinic.toml").write_text(own)
    text = " ".join(clinic.tacit("check", "clinic.toml").out.split())
    assert "visits: tables that are released together use region > ward, 1 public total." in text


def test_a_check_says_where_a_profile_gains_nothing(clinic: Clinic) -> None:
    pure = DESCRIPTION.replace("budget = { epsilon = 4, delta = 1e-7 }", "budget = { epsilon = 1 }")
    (clinic.folder / "clinic.toml").write_text(pure)
    text = " ".join(clinic.tacit("check", "clinic.toml").out.split())
    assert "`tacit profile clinic.toml --epsilon 0.02` would cost 2.0% of the budget." in text
    assert "costlier ones gain nothing." in text
    assert "Means and quantiles" not in text


def test_a_first_description_of_csv_says_that_types_are_missing(clinic: Clinic) -> None:
    (clinic.folder / "bills.csv").write_text("patient_id,cost\n1,2.50\n")
    ended = clinic.tacit("init", "bills.csv", "--unit", "patient_id")
    assert "A CSV file has no types: replace text by int, money, float, date" in ended.out


def test_a_check_names_what_does_not_fit(clinic: Clinic) -> None:
    (clinic.folder / "clinic.toml").write_text(DESCRIPTION.replace("age = ", "years = "))
    ended = clinic.tacit("check", "clinic.toml")
    assert ended.code == 2
    assert "years" in ended.err


def test_looking_fixes_no_budget_and_asking_does(clinic: Clinic) -> None:
    """R41: until the first charge the steward may change it; afterwards nobody can."""
    changed = DESCRIPTION.replace("epsilon = 4", "epsilon = 3")
    for words in (("check",), ("budget",), ("explain", BY_REGION)):
        assert clinic.tacit(words[0], "clinic.toml", *words[1:]).code == 0
    (clinic.folder / "clinic.toml").write_text(changed)
    assert clinic.tacit("query", "clinic.toml", BY_REGION, "--epsilon", "1").code == 0
    (clinic.folder / "clinic.toml").write_text(DESCRIPTION)
    refused = clinic.tacit("budget", "clinic.toml")
    assert refused.code == 2
    assert "was fixed at" in refused.err


def test_a_profile_is_paid_for_once(clinic: Clinic) -> None:
    (clinic.folder / "clinic.toml").write_text(DESCRIPTION.replace("limits = { rows = 6 }\n", ""))
    first = clinic.tacit("profile", "clinic.toml", "--epsilon", "0.5")
    assert first.code == 0, first.err
    assert "private histograms are kept" in first.out
    assert "for free" not in first.out
    before = clinic.entries()
    assert "free" in clinic.tacit("profile", "clinic.toml", "--epsilon", "0.5").out
    assert clinic.entries() == before
    assert "There is a private profile" in " ".join(clinic.tacit("check", "clinic.toml").out.split())
    bounded = "--interval", "bounded"
    answer = clinic.tacit("query", "clinic.toml", "SELECT COUNT(*) FROM visits", "--epsilon", "0.5", *bounded)
    assert "(chosen from the private profile)" in answer.out
    free = clinic.tacit("query", "clinic.toml", "SELECT COUNT(*) AS n FROM visits", *bounded)
    assert "Answered from an earlier release: free." in free.out


def test_the_budget_says_who_spent_what(clinic: Clinic) -> None:
    clinic.tacit("query", "clinic.toml", BY_REGION, "--epsilon", "0.5", "--as", "alice")
    shown = clinic.tacit("budget", "clinic.toml").out
    assert "alice    1.7%  SELECT region, COUNT(*), AVG(cost) FROM visits GROUP BY region" in shown
    assert "98.3% left: 58 more queries like the last." in shown
    assert "alice has used 1.7% of 10.0% at most." in shown
    told = json.loads(clinic.left())
    assert told["budget"] == "ε = 4, δ = 1e-07"
    assert [entry["analyst"] for entry in told["entries"]] == ["alice"]
    assert told["analysts"]["alice"] == {"used": told["used"], "most": 0.1}


def test_a_ledger_may_be_named(clinic: Clinic) -> None:
    clinic.tacit("query", "clinic.toml", BY_REGION, "--epsilon", "1", "--ledger", "other.sqlite")
    assert json.loads(clinic.left())["entries"] == []
    named = clinic.tacit("budget", "clinic.toml", "--json", "--ledger", "other.sqlite")
    assert len(json.loads(named.out)["entries"]) == 1
