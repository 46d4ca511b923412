"""Forms of standard SQL mean what the planner's own forms do, and what cannot be told stays refused."""

from __future__ import annotations

import pytest
from tests.query.relations.comma_joins import CATALOGUE

from tacit.errors import Refused
from tacit.query.plans.question import Question, read_question


def _question(sql: str) -> Question:
    return read_question(sql, CATALOGUE)


_ALIKE = (
    ("SELECT main.visits.ward, COUNT(*) FROM main.visits GROUP BY 1", "SELECT ward, COUNT(*) FROM visits GROUP BY 1"),
    ('SELECT AVG("public"."visits"."cost") FROM "public"."visits"', "SELECT AVG(cost) FROM visits"),
    ("SELECT AVG(v.cost) FROM memory.main.visits v", "SELECT AVG(v.cost) FROM visits v"),
    (
        "SELECT n, COUNT(*) FROM (SELECT pid, COUNT(*) FROM visits GROUP BY pid) AS t (who, n) GROUP BY n",
        "SELECT n, COUNT(*) FROM (SELECT pid AS who, COUNT(*) AS n FROM visits GROUP BY pid) AS t GROUP BY n",
    ),
    (
        "WITH t (who, n) AS (SELECT pid, COUNT(*) AS m FROM visits GROUP BY pid) SELECT AVG(LEAST(n, 9)) FROM t",
        "WITH t AS (SELECT pid AS who, COUNT(*) AS n FROM visits GROUP BY pid) SELECT AVG(LEAST(n, 9)) FROM t",
    ),
    (
        "SELECT AVG(cost) FROM (SELECT pid, COUNT(*) AS n, cost FROM visits GROUP BY pid, cost) AS t (pid, cost, ward)",
        "SELECT AVG(cost) FROM (SELECT pid, COUNT(*) AS cost, cost AS ward FROM visits GROUP BY 1, 3) AS t",
    ),
    (
        "SELECT AVG(b) FROM (SELECT pid, cost AS x, ward FROM visits) AS t (a, b)",
        "SELECT AVG(b) FROM (SELECT pid AS a, cost AS b, ward FROM visits) AS t",
    ),
)


@pytest.mark.parametrize(("written", "known"), _ALIKE)
def test_they_mean_the_same(written: str, known: str) -> None:
    one, other = _question(written), _question(known)
    assert one.rows.sql == other.rows.sql
    assert one.parts == other.parts
    assert [key.sql for key in one.keys] == [key.sql for key in other.keys]


@pytest.mark.parametrize("clause", ["FETCH FIRST 3 ROWS ONLY", "FETCH NEXT 3 ROWS ONLY", "LIMIT 3"])
def test_fetch_first_is_limit(clause: str) -> None:
    assert _question(f"SELECT ward, COUNT(*) FROM visits GROUP BY ward {clause}").above.limit == 3


_REFUSED = (
    ("SELECT COUNT(*) FROM other.visits", "FROM other.visits"),
    ("SELECT COUNT(*) FROM visits AS v (a, b)", "v(a, b)"),
    ("SELECT COUNT(*) FROM (SELECT * FROM visits) AS v (a, b)", "v(a, b)"),
    ("SELECT COUNT(*) FROM (SELECT pid FROM visits) AS v (a, b)", "v(a, b)"),
    ("SELECT COUNT(*) FROM (SELECT pid, COUNT(*) FROM visits GROUP BY pid, cost) AS v (cost, n)", "v(cost, n)"),
    ("WITH visits AS (SELECT pid FROM visits) SELECT COUNT(*) FROM main.visits", "FROM main.visits"),
    ("SELECT ward, COUNT(*) FROM visits GROUP BY ward FETCH FIRST 3 PERCENT ROWS ONLY", "FETCH"),
)


@pytest.mark.parametrize(("sql", "asked"), _REFUSED)
def test_what_cannot_be_told_is_refused(sql: str, asked: str) -> None:
    with pytest.raises(Refused) as refused:
        _question(sql)
    assert asked in refused.value.asked


_UNREAD = (
    (
        "SELECT COUNT(* FROM visits",
        "\n  SELECT COUNT(* FROM visits\n                 ^\n",
        "at FROM in line 1, column 16.",
    ),
    ("SELECT ward\nFROM visits\nGROUP ward", "\n  GROUP ward\n        ^\n", "at ward in line 3, column 7."),
    ("SELECT 1 -- it's\nFROM 'visits", "\n  FROM 'visits\n       ^\n", "a quote in line 2, column 6, is not closed."),
    (f"SELECT {'1 + ' * 40}2 FROM FROM", "2 FROM FROM\n", "at FROM in line 1, column 175."),
)


@pytest.mark.parametrize(("sql", "shown", "where"), _UNREAD)
def test_a_mark_is_under_what_cannot_be_read(sql: str, shown: str, where: str) -> None:
    with pytest.raises(Refused) as refused:
        _question(sql)
    assert shown in refused.value.asked
    assert refused.value.why.endswith(where)
    lines = refused.value.asked.strip("\n").split("\n")
    assert max(map(len, lines)) <= 104


_CALLED = (
    ("strftime(ward, '%Y')", "STRFTIME(", "A date is wanted"),
    ("to_char(ward, 'YYYY')", "TO_CHAR(ward, 'YYYY')", "A date is wanted"),
    ("editdist3(ward, 'x')", "EDITDIST3(ward, 'x')", "The function EDITDIST3 is not"),
    ("ord(ward)", "ORD(ward)", "The function ORD is not"),
    ("translate(ward, 'a', 'b')", "TRANSLATE(ward, 'a', 'b')", "The function TRANSLATE is not"),
    ("initcap(ward)", "INITCAP(ward", "The function INITCAP is not"),
    ("coalesc(ward, 'x')", "COALESC(ward, 'x')", "The function COALESC is not"),
    ("cost & 1", "cost & 1", "There is no such form"),
)


@pytest.mark.parametrize(("text", "asked", "why"), _CALLED)
def test_a_function_is_called_as_it_was_written(text: str, asked: str, why: str) -> None:
    with pytest.raises(Refused) as refused:
        _question(f"SELECT {text}, COUNT(*) FROM visits GROUP BY 1")
    assert (refused.value.asked.startswith(asked), refused.value.why.startswith(why)) == (True, True), refused.value


def test_the_nearest_functions_are_named() -> None:
    with pytest.raises(Refused, match="Accepted: COALESCE, CASE, CONTAINS"):
        _question("SELECT coalesc(ward, 'x'), COUNT(*) FROM visits GROUP BY 1")
