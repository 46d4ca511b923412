"""The command `tacit query`: answers, formats, free repeats."""

from __future__ import annotations

import csv
import io
import json

import pyarrow.parquet as pq
from tests.curator.clinic_command import BY_REGION, Clinic

NORTH = 667  # of 2,000 visits; one in three


def test_an_answer_has_its_error_and_its_price(clinic: Clinic) -> None:
    ended = clinic.tacit("query", "clinic.toml", BY_REGION, "--epsilon", "1", "--format", "json")
    assert ended.code == 0, ended.err
    answer = json.loads(ended.out)
    rows = {row["region"]: row for row in answer["rows"]}
    assert list(rows) == ["north", "south", None]  # public keys are all there (R21)
    for row in rows.values():
        assert row["count_low"] <= row["count"] <= row["count_high"]
    half = rows["north"]["count_high"] - rows["north"]["count"]
    assert abs(rows["north"]["count"] - NORTH) <= 6 * half  # beyond 11 standard deviations: false alarm below 1e-25
    assert answer["price"]["loss"] == "ε = 1, δ = 1e-09"
    assert not answer["price"]["free"]


def test_the_table_says_what_is_to_be_known(clinic: Clinic) -> None:
    ended = clinic.tacit("query", "clinic.toml", BY_REGION, "--epsilon", "1")
    assert "region" in ended.out
    said = " ".join(ended.out.split())
    assert "95% intervals for all rows that fit the description, assuming that nobody has far more than" in said
    assert "One person counts for at most 6 rows" in said
    assert "(declared; two fifths of this query's price tells what that cuts off)" in said
    assert "Not counted: rows without an owner, unreadable values, what lies beyond bounds." in said
    assert "Bounded intervals, of the noise alone, are in csv, json and parquet." in said
    assert "This release alone: ε = 1, δ = 1e-09. Used 6.3% of the budget (ρ 0.0166 of 0.261); 93.6% left." in ended.out


def test_formats(clinic: Clinic) -> None:
    ask = ("query", "clinic.toml", BY_REGION)
    clinic.tacit(*ask, "--epsilon", "1")
    printed = clinic.tacit(*ask, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(printed.out)))
    assert [row["region"] for row in rows] == ["north", "south", ""]
    assert "Answered from an earlier release: free." in printed.err
    assert clinic.tacit(*ask, "--out", "answer.parquet").code == 0
    table = pq.read_table(clinic.folder / "answer.parquet")
    assert table.column("count").to_pylist() == [int(row["count"]) for row in rows]
    assert clinic.tacit(*ask, "--out", "answer.csv", "--figure", "answer.svg", "--certificate", "answer.json").code == 0
    assert (clinic.folder / "answer.csv").read_text() == printed.out
    assert "<svg" in (clinic.folder / "answer.svg").read_text()[:500]
    assert json.loads((clinic.folder / "answer.json").read_text())["statement"]["query"] == BY_REGION


def test_two_files_in_one_place_are_refused(clinic: Clinic) -> None:
    """The certificate was written over the answer that had been paid for."""
    (clinic.folder / "link.csv").symlink_to("answer.csv")
    before = clinic.left()
    for other in ("answer.csv", "./answer.csv", "link.csv"):
        words = ("query", "clinic.toml", BY_REGION, "--epsilon", "1", "--out", "answer.csv", "--certificate", other)
        ended = clinic.tacit(*words)
        assert ended.code == 2
        assert "two files in one place" in ended.err
    assert clinic.left() == before


def test_the_query_may_stand_in_a_file_or_come_from_the_input(clinic: Clinic) -> None:
    (clinic.folder / "query.sql").write_text(BY_REGION)
    first = clinic.tacit("query", "clinic.toml", "@query.sql", "--epsilon", "1", "--format", "csv")
    again = clinic.tacit("query", "clinic.toml", "-", "--format", "csv", stdin=BY_REGION)
    assert first.code == again.code == 0
    assert first.out == again.out


AGAIN = [
    (BY_REGION,),
    (BY_REGION, "--epsilon", "0.5"),
    (BY_REGION, "--as", "alice"),
    (BY_REGION + " ORDER BY 2 DESC LIMIT 1", "--confidence", "0.5"),
    ("SELECT region AS r, AVG(cost) AS c FROM visits GROUP BY region HAVING AVG(cost) > 0",),
    ("SELECT region, COUNT(*) FROM visits GROUP BY region", "--error", "1000"),
]


def test_what_a_release_holds_is_free_for_everybody(clinic: Clinic) -> None:
    """R43: the same noisy numbers, in another order, at another confidence, in part, for anybody."""
    first = json.loads(clinic.tacit("query", "clinic.toml", BY_REGION, "--epsilon", "1", "--format", "json").out)
    before = clinic.entries()
    for words in AGAIN:
        ended = clinic.tacit("query", "clinic.toml", *words, "--format", "json")
        assert ended.code == 0, ended.err
        again = json.loads(ended.out)
        assert again["price"]["free"], words
        counts = {row["region"]: row["count"] for row in again["rows"] if "count" in row}
        assert counts.items() <= {row["region"]: row["count"] for row in first["rows"]}.items(), words
    assert clinic.entries() == before


def test_fresh_noise_is_paid_for(clinic: Clinic) -> None:
    ask = ("query", "clinic.toml", BY_REGION, "--epsilon", "1", "--format", "csv")
    first, before = clinic.tacit(*ask), clinic.entries()
    assert clinic.tacit(*ask, "--fresh").out != first.out
    assert len(clinic.entries()) == len(before) + 5  # a charge, a mark, limits found, a mark, and what was stored


def test_fresh_noise_alone_is_paid_for_too(clinic: Clinic) -> None:
    ask = ("query", "clinic.toml", BY_REGION, "--epsilon", "1", "--interval", "bounded", "--format", "csv")
    first, before = clinic.tacit(*ask), clinic.entries()
    assert clinic.tacit(*ask, "--fresh").out != first.out
    assert len(clinic.entries()) == len(before) + 3  # a charge, its mark, and what was stored under it


def test_the_least_price_keeps_its_promise(clinic: Clinic) -> None:
    ask = ("query", "clinic.toml", "SELECT COUNT(*) FROM visits", "--error", "200", "--interval", "bounded")
    ended = clinic.tacit(*ask, "--format", "json")
    answer = json.loads(ended.out)
    (row,) = answer["rows"]
    assert row["count_high"] - row["count"] <= 200
    assert answer["notes"][0] == "The least price that promises ± 200."


def test_an_answer_that_misses_its_target_says_so(clinic: Clinic) -> None:
    """The size was said to be public and is far too large: the answer's own interval shows it."""
    ask = ("query", "clinic.toml", "SELECT AVG(cost) FROM visits", "--interval", "bounded", "--format", "json")
    kept = json.loads(clinic.tacit(*ask, "--error", "60", "--size", "1500").out)
    assert kept["notes"][0] == "The least price that promises ± 60."
    missed = json.loads(clinic.tacit(*ask, "--fresh", "--error", "20", "--size", "50000").out)
    assert missed["notes"][0] == "Misses the target ± 20: the interval of AVG(cost) is wider somewhere."


def test_an_explanation_is_free_and_agrees_with_the_bill(clinic: Clinic) -> None:
    ask = (BY_REGION, "--epsilon", "1")
    told = clinic.tacit("explain", "clinic.toml", *ask)
    assert told.code == 0, told.err
    assert clinic.entries() == []
    assert "It would use 6.3% of the budget (ρ 0.0166 of 0.261); 100.0% is left before it." in told.out
    assert "Expected error of the noise, 95%; what limits cut off is added when it is known:" in told.out
    assert "SQL sent to the engine:" in told.out
    expected = told.out.partition("COUNT(*) ± ")[2].split()[0]
    rows = json.loads(clinic.tacit("query", "clinic.toml", *ask, "--format", "json").out)["rows"]
    half = rows[1]["count_bounded_high"] - rows[1]["count_bounded"]
    assert half - int(expected.replace(",", "")) in (-1, 0, 1)
    assert rows[1]["count_high"] - rows[1]["count_low"] > 2 * half
    brief = clinic.tacit("explain", "clinic.toml", *ask, "--brief")
    assert "An earlier release answers this: asking is free." in brief.out
    assert "SQL" not in brief.out
    free = clinic.tacit("explain", "clinic.toml", BY_REGION, "--epsilon", "0.5").out
    assert "Expected error of the noise, 95%, at most; what limits cut off is added" in free
    assert free.endswith("No SQL is sent to the engine.\n")
