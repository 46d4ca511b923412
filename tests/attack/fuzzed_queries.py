"""Queries of an attacker: valid ones, broken ones, and ones that try to make an engine's error reveal data."""

from __future__ import annotations

from random import Random

_GOOD = (
    "SELECT COUNT(*), SUM(amount), AVG(ratio) FROM people",
    "SELECT note, COUNT(*) FROM people GROUP BY note",
    "SELECT region, COUNT(DISTINCT pid), MEDIAN(amount) FROM people GROUP BY region HAVING COUNT(*) > 3 ORDER BY 2",
    "SELECT amount // 1000000, COUNT(*) FROM people WHERE note LIKE '%a%' GROUP BY 1",
    "SELECT MAX(n) FROM (SELECT pid, LEAST(COUNT(*), 3) AS n FROM people GROUP BY pid) AS s",
    "WITH c AS (SELECT * FROM people WHERE amount > 3) SELECT COUNT(*), VAR_POP(ratio) FROM c",
    "SELECT COUNT(DISTINCT note) FILTER (WHERE ratio < 0.5) FROM people",
    "SELECT date_trunc('year', born), COUNT(*) FROM people GROUP BY 1 ORDER BY 1 LIMIT 5",
    "SELECT CAST(note AS INTEGER), COUNT(*) FROM people GROUP BY 1",
    "SELECT SUM(amount) / COUNT(*), CASE WHEN COUNT(*) > 5 THEN 'many' ELSE 'few' END AS c FROM people",
)
_BAD = (
    "SELECT * FROM people",
    "SELECT note FROM people LIMIT 1",
    "SELECT error(note) FROM people",
    "SELECT COUNT(*) FROM people WHERE error(note) IS NULL",
    "SELECT COUNT(*) FROM people WHERE CAST(note AS DATE) > 1/0",
    "SELECT COUNT(*) FROM people WHERE strptime(note, '%Y') > DATE '2020-01-01'",
    "SELECT COUNT(*) FROM people WHERE regexp_matches(note, '(((a+)+)+)$')",
    "SELECT COUNT(*) FROM read_csv('people.csv')",
    "SELECT COUNT(*) FROM 'people.parquet'",
    "SELECT MIN(note), string_agg(note), list(note), any_value(note), first(amount), mode(note) FROM people",
    "COPY people TO 'out.csv'",
    "DROP TABLE people",
    "SELECT COUNT(*) FROM people; SELECT note FROM people",
    "SELECT (SELECT note FROM people LIMIT 1), COUNT(*) FROM people",
    "SELECT COUNT(*) FROM people WHERE note = (SELECT MAX(note) FROM people)",
    "SELECT COUNT(*) OVER (PARTITION BY note) FROM people",
    "SELECT COUNT(*) FROM people, people AS p",
    "SELECT pid, COUNT(*) FROM people GROUP BY pid",
    "SELECT SUM(hash(note)) FROM people",
    "SELECT COUNT(*) FROM people WHERE ln(amount - amount) > 0 AND sqrt(-amount) > 0",
    "EXPLAIN ANALYZE SELECT COUNT(*) FROM people",
    "PRAGMA table_info('people')",
    "SELECT COUNT(*) FROM duckdb_columns()",
    "",
    "(",
    "SELECT 'x",
)
_TOKENS = (
    *("note", "amount", "ratio", "pid", "born", "region", "people", "nobody", "COUNT(*)", "SUM(", "(", ")", ","),
    *(
        "*",
        "/",
        "0",
        "1e999",
        "-1",
        "'x'",
        "NULL",
        "CAST(",
        "AS",
        "INTEGER",
        "::DATE",
        "::BIGINT",
        "GROUP BY",
        "WHERE",
        "1",
    ),
    *("||", "DISTINCT", "SELECT", "FROM", "JOIN", "ON", "=", "LIKE", "'%'", "BETWEEN", "IN", "CASE", "WHEN", "END"),
    *(
        "error(note)",
        "OVER ()",
        "HAVING",
        "ORDER BY",
        "LIMIT",
        "UNION ALL",
        "//",
        "%",
        "\x00",
        "🦊",
        '"',
        "--",
        "/*",
        ";",
        "__unit",
    ),
    *(
        "k0",
        "__total.t0",
        '"__rows"',
        "FILTER (WHERE",
        "INTERVAL 1 DAY",
        "DATE '2020-13-45'",
        "QUALIFY",
        "USING SAMPLE 1",
    ),
)


def fuzzed_query(random: Random) -> str:
    """A query, most often with a few of its words lost, doubled, swapped or replaced."""
    words = random.choice((*_GOOD, *_GOOD, *_BAD)).split(" ")
    for _ in range(random.choice([0, 0, 1, 1, 2, 4])):
        place = random.randrange(len(words))
        match random.randrange(5):
            case 0:
                words.insert(place, random.choice(_TOKENS))
            case 1:
                words[place] = random.choice(_TOKENS)
            case 2:
                words[place] = ""
            case 3:
                other = random.randrange(len(words))
                words[place], words[other] = words[other], words[place]
            case _:
                words.insert(place, words[place])
    return " ".join(words)
