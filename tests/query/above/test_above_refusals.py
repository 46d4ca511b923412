"""Expressions that are invalid above the noise are refused before data is read, with a correction (R25)."""

from __future__ import annotations

import pytest
from tests.query.above.sketches import checked, select

from tacit.errors import Refused
from tacit.query.post_noise.post_processing import read_post_processing


@pytest.mark.parametrize(
    ("sql", "cure"),
    [
        ("SELECT cost FROM v", "GROUP BY cost"),
        ("SELECT region, cost + 1 FROM v GROUP BY region", "GROUP BY cost"),
        ("SELECT COUNT(*) FROM v HAVING cost > 1", "an aggregate of it such as AVG"),
        ("SELECT COUNT(*) FROM v ORDER BY cost", "one of: age, day, region, smoker"),
        ("SELECT * FROM v", "COUNT(*)"),
        ("SELECT COLUMNS(*) FROM v", "COUNT(*)"),
        ("SELECT MODE(cost) FROM v", "COUNT, SUM, AVG"),
        ("SELECT SUM(COUNT(*)) FROM v", "COUNT, SUM, AVG"),
        ("SELECT ROW_NUMBER() OVER (ORDER BY COUNT(*)) FROM v", "ORDER BY and LIMIT"),
        ("SELECT SUM(COUNT(*)) OVER () FROM v", "ORDER BY and LIMIT"),
        ("SELECT COUNT(*) FROM v QUALIFY COUNT(*) > 1", "HAVING"),
        ("SELECT COUNT(*) FROM v WINDOW w AS (ORDER BY age)", "HAVING"),
        ("SELECT DISTINCT COUNT(*) FROM v", "GROUP BY"),
        ("SELECT DISTINCT ON (region) region, COUNT(*) FROM v GROUP BY region", "GROUP BY"),
        ("SELECT COUNT(*) FROM v HAVING COUNT(*) > (SELECT COUNT(*) FROM w)", "a second query"),
        ("SELECT COUNT(*) FROM v HAVING EXISTS (SELECT 1 FROM w)", "a second query"),
        ("SELECT COUNT(*) FROM v HAVING region IN (SELECT region FROM w)", "ROUND, FLOOR"),
        ("SELECT COUNT(*) FROM v HAVING COUNT(*)", "COUNT(*) > 100"),
        ("SELECT COUNT(*) > 5 FROM v", "CASE WHEN COUNT(*) > 5 THEN 1 ELSE 0 END"),
        ("SELECT CASE WHEN COUNT(*) > 5 THEN 'big' ELSE 'small' END FROM v", "THEN 1 ELSE 0"),
        ("SELECT CASE WHEN region = 'a' THEN 'x' ELSE 0 END FROM v", "all numbers, or all texts"),
        ("SELECT region + 1 FROM v", "numbers"),
        ("SELECT -day FROM v", "numbers"),
        ("SELECT smoker * COUNT(*) FROM v", "numbers"),
        ("SELECT COUNT(*) FROM v HAVING region > 3", "two numbers, two texts, or two dates"),
        ("SELECT COUNT(*) FROM v HAVING COUNT(*) = 'many'", "two numbers, two texts, or two dates"),
        ("SELECT COUNT(*) FROM v HAVING day > 'yesterday'", "'2024-12-31'"),
        ("SELECT COUNT(*) FROM v HAVING day > TIMESTAMP '2024-01-01T00:00:00+02:00'", "without a time zone"),
        ("SELECT COUNT(*) FROM v HAVING smoker IS TRUE", "IS NULL"),
        ("SELECT CAST(COUNT(*) AS VARCHAR) FROM v", "BIGINT, DOUBLE"),
        ("SELECT CAST('7' AS INT) FROM v", "DATE '2024-12-31'"),
        ("SELECT UPPER(region) FROM v GROUP BY region", "GROUP BY"),
        ("SELECT RANDOM() FROM v", "aggregates and group keys"),
        ("SELECT COUNT(*) % 2 FROM v", "aggregates and group keys"),
        ("SELECT ROUND(AVG(cost), COUNT(*)) FROM v", "a whole number"),
        ("SELECT 1e999 * COUNT(*) FROM v", "1e308"),
        ("SELECT COUNT(*) FROM v ORDER BY 2", "1 to 1"),
        ("SELECT COUNT(*) FROM v ORDER BY 0", "1 to 1"),
        ("SELECT COUNT(*) FROM v LIMIT COUNT(*)", "a whole number"),
        ("SELECT COUNT(*) FROM v LIMIT 1 + 1", "a whole number"),
        ("SELECT COUNT(*) FROM v LIMIT -1", "LIMIT 10"),
        ("SELECT COUNT(*) FROM v LIMIT 10%", "LIMIT 10"),
        ("SELECT COUNT(*) FROM v FETCH FIRST 3 ROWS ONLY", "LIMIT 10"),
        ("SELECT COUNT(*) FROM v OFFSET 2.5", "a whole number"),
        ("SELECT COUNT(*) FROM v USING SAMPLE 3", "SELECT … FROM"),
        ("SELECT " + "+".join(["COUNT(*)"] * 200) + " FROM v", "shorter sums"),
    ],
)
def test_it_is_refused_and_says_what_would_be_accepted(sql: str, cure: str) -> None:
    with pytest.raises(Refused) as caught:
        checked(sql)
    assert cure in f"{caught.value.accepted} {caught.value.why}"


def test_a_check_leaves_the_query_as_it_was() -> None:
    query = select('SELECT "Region", v.age, COUNT(*) /* all */ FROM v HAVING COUNT(*) > 1 ORDER BY 1')
    before = query.sql(dialect="duckdb")
    read_post_processing(query, ["region", "age"], ["COUNT(*)"])
    assert query.sql(dialect="duckdb") == before


def test_what_was_checked_is_equal_however_it_was_written() -> None:
    one = checked("SELECT region AS r, SUM(v.cost) / COUNT(*) AS x FROM v GROUP BY region ORDER BY x LIMIT 3")
    other = checked('select "REGION" as r, (sum(cost)) / count(*) as x from v group by 1 order by 2 limit 3')
    assert one == other
    assert hash(one) == hash(other)
