"""What is said of a usual interval: its assumption, where it does not hold for all columns, and what was found."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
from tests.curator.clinic_command import BY_REGION, DESCRIPTION, Clinic

from tacit.curator.notes import finding_words

COUNT = "SELECT COUNT(*) FROM visits"
ASSUMED = (
    "95% intervals for all rows that fit the description, assuming that nobody has far more than the people that can "
    "be seen"
)
NEED = "With at_most declared, they could be guaranteed."
ROWS = """\
SELECT (i // 4)::INTEGER AS patient_id, CASE WHEN i % 3 = 0 THEN 'north' ELSE 'south' END AS region,
    'ward ' || (i % 2) AS ward, (i % 90)::INTEGER AS age, ((i % 500) + 0.5)::DOUBLE AS cost FROM range(12000) AS r(i)
"""
AT_MOST = "[tables.visits.at_most]\nrows = {}\n\n[tables.visits.columns]"


@pytest.fixture
def found(clinic: Clinic) -> Clinic:
    """3,000 people of 4 visits each; no limit is declared."""
    duckdb.sql(ROWS).write_parquet(str(clinic.folder / "visits.parquet"))
    return described(clinic)


def described(clinic: Clinic, *, at_most: int | None = None) -> Clinic:
    text = DESCRIPTION.replace("limits = { rows = 6 }\n", "")
    text = text if at_most is None else text.replace("[tables.visits.columns]", AT_MOST.format(at_most))
    (clinic.folder / "clinic.toml").write_text(text)
    return clinic


def said(clinic: Clinic, *words: str) -> str:
    ended = clinic.tacit(words[0], "clinic.toml", *words[1:])
    assert ended.code == 0, ended.err
    return " ".join(ended.out.split())


def test_an_answer_says_what_it_assumes_and_what_was_found(found: Clinic) -> None:
    text = said(found, "query", COUNT, "--epsilon", "1")
    assert f"{ASSUMED}. {NEED} One person counts for at most" in text
    assert "(found with two fifths of this query's price)." in text
    assert "Bounded (noise alone): 1" in text
    groups = said(found, "query", BY_REGION, "--epsilon", "1")
    assert f"{ASSUMED}, and that each group lost about its part of what limits cut off. {NEED}" in groups


def test_a_bounded_answer_says_that_it_is_the_noise_alone(found: Clinic) -> None:
    text = said(found, "query", COUNT, "--epsilon", "1", "--interval", "bounded")
    assert "95% intervals for rows cut to the limits: the noise alone, not what limits cut off. One person" in text
    assert "(found with a tenth of this query's price)." in text
    assert "Bounded" not in text


def test_columns_that_no_limit_cuts_are_named(found: Clinic) -> None:
    text = said(found, "query", "SELECT COUNT(*), COUNT(DISTINCT patient_id) FROM visits", "--epsilon", "1")
    assert f"{ASSUMED}; COUNT(DISTINCT patient_id) is guaranteed." in text
    beside = text.partition("Bounded (noise alone): ")[2]
    assert beside.startswith("count 1")
    assert "distinct" not in beside  # it is the same


def test_keys_alone_have_no_interval(found: Clinic) -> None:
    wards = "SELECT ward FROM visits GROUP BY ward"
    for text in (said(found, "explain", wards, "--epsilon", "1"), said(found, "query", wards, "--epsilon", "1")):
        assert "intervals" not in text
        assert "Not counted" not in text


def test_different_values_are_all_there_are_unless_the_noise_alone_is_told(found: Clinic) -> None:
    wards = "SELECT COUNT(DISTINCT ward) FROM visits"
    counted = "Different values, of those that count."
    assert counted not in said(found, "query", wards, "--epsilon", "1")
    assert counted in said(found, "query", wards, "--epsilon", "1", "--interval", "bounded")


def test_at_most_is_not_advised_where_it_says_nothing(found: Clinic) -> None:
    totals = "SELECT SUM(t) FROM (SELECT patient_id, SUM(cost) AS t FROM visits GROUP BY patient_id)"
    text = said(found, "query", totals, "--epsilon", "1")
    assert ASSUMED in text
    assert NEED not in text


def test_a_profile_is_named_where_a_smaller_share_does(found: Clinic) -> None:
    said(found, "profile", "--epsilon", "1")
    words = "found with the private profile and a quarter of this query's price"
    assert words in said(found, "query", COUNT, "--epsilon", "0.2")
    asked = said(found, "explain", "SELECT SUM(cost) FROM visits", "--epsilon", "0.2", "--brief")
    assert "is found first, with the private profile and a quarter of this query's price." in asked


def test_a_share_is_named_as_people_say_it() -> None:
    shares = {"1/10": "a tenth", "2/5": "two fifths", "1/4": "the private profile and a quarter"}
    assert {share: finding_words(Fraction(share)) for share in shares} == {
        share: f"{words} of this query's price" for share, words in shares.items()
    }
    assert finding_words(Fraction("3/20")) == "15% of this query's price"


def test_an_earlier_release_says_what_it_was_found_with(found: Clinic) -> None:
    """A profile that came later had no part in it."""
    said(found, "query", COUNT, "--epsilon", "1")
    said(found, "profile", "--epsilon", "1")
    assert "(found with two fifths of this query's price)." in said(found, "query", COUNT)


def test_too_few_people_are_said_to_be_too_few(found: Clinic) -> None:
    text = said(found, "query", f"{COUNT} WHERE age = 3 AND ward = 'nowhere'", "--epsilon", "0.1")
    assert text.startswith("count too few to say (at least 0)")
    told = "95% intervals for all rows that fit the description: too few people can be seen above the noise to tell"
    assert f"{told} what limits cut off. {NEED}" in text
    assert "assuming" not in text


def test_one_column_of_which_nothing_can_be_told_is_named(found: Clinic) -> None:
    none = "COUNT(*) FILTER (WHERE ward = 'nowhere')"
    text = said(found, "query", f"SELECT COUNT(*), {none} AS none FROM visits", "--epsilon", "1")
    assert ASSUMED in text
    assert "Of COUNT(*) FILTER(" in text
    assert ", too few people can be seen above the noise to tell what limits cut off." in text


def test_at_most_near_the_limit_is_the_limit(found: Clinic) -> None:
    """A usual question then has a guaranteed answer: the stored label says it, and no bounded number stands beside."""
    described(found, at_most=5)
    text = said(found, "query", COUNT, "--epsilon", "1", "--format", "json")
    assert '"interval": "guaranteed"' in text
    assert "count_bounded" not in text
    text = said(found, "query", COUNT)
    assert "95% intervals, guaranteed: they hold on all data, for rows cut to at_most. One person" in text
    assert "at most 5 rows (declared as the most there can be)" in text


def test_at_most_far_beyond_the_limit_leaves_the_interval_usual(found: Clinic) -> None:
    described(found, at_most=5000)
    told = said(found, "explain", COUNT, "--epsilon", "1", "--brief")
    assert "If at_most is near the limit found, it becomes the limit, and they are guaranteed." in told
    text = said(found, "query", COUNT, "--epsilon", "1")
    assert ASSUMED in text
    assert NEED not in text


def test_an_explanation_says_that_the_cut_is_found_first(found: Clinic) -> None:
    told = said(found, "explain", COUNT, "--epsilon", "1", "--brief")
    first = (
        "How much of one person counts, and what that cuts off, is found first, with two fifths of this query's price."
    )
    assert f"{first} {ASSUMED}. {NEED} Expected error of COUNT(*): known with the answer" in told
    bounded = said(found, "explain", COUNT, "--epsilon", "1", "--brief", "--interval", "bounded")
    assert "How much of one person counts is found first, with a tenth of the price" in bounded


def test_files_have_the_bounded_numbers_of_the_rows_that_are_shown(found: Clinic) -> None:
    """HAVING and ORDER BY choose by the usual numbers; those of the noise alone stand beside."""
    by_region = f"{BY_REGION} HAVING COUNT(*) > 1000 ORDER BY 2 DESC"
    told = json.loads(found.tacit("query", "clinic.toml", by_region, "--epsilon", "1", "--format", "json").out)
    assert told["interval"] == "usual"
    assert told["means"].startswith(ASSUMED)
    assert [row["region"] for row in told["rows"]] == ["south", "north"]
    for row in told["rows"]:
        assert row["count_bounded_low"] < row["count_bounded"] < row["count_bounded_high"] <= row["count_high"]
        assert row["count_high"] - row["count_low"] > row["count_bounded_high"] - row["count_bounded_low"]
    signed = ("--out", "answer.parquet", "--certificate", "answer.json")
    assert found.tacit("query", "clinic.toml", by_region, *signed).code == 0
    table = pq.read_table(Path("answer.parquet"))
    assert table.column("count_bounded").to_pylist() == [row["count_bounded"] for row in told["rows"]]
    checked = found.tacit("verify", "answer.json", "--table", "answer.parquet")
    assert checked.code == 0, checked.err
