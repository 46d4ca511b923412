"""Random queries of the supported kinds over the tables of `tests.laws.databases`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Shape:
    """A FROM clause, and what may be asked of its rows."""

    name: str
    origin: str
    numbers: tuple[str, ...]
    tests: tuple[str, ...]
    keys: tuple[str, ...]  # public, or of few values
    private: tuple[str, ...]
    values: tuple[str, ...]  # for COUNT(x) and COUNT(DISTINCT x)
    person: str | None = "pid"
    before: str = ""  # WITH
    links: tuple[str, ...] = ()  # equalities in WHERE that join the tables


_NUMBERS = (
    *("age", "dose", "cost", "stay", "age * dose", "cost - dose", "age // 7", "dose % 3", "-dose", "age / 3"),
    *("age / dose", "cost * cost", "CASE WHEN smoker THEN cost ELSE dose END", "GREATEST(LEAST(code, 50), -50)"),
    *("ABS(dose)", "ROUND(stay)", "day - DATE '2023-01-15'", "COALESCE(dose, 3)", "CAST(ward AS BIGINT) % 5"),
    *("SQRT(ABS(stay))", "stay * stay", "LENGTH(region)", "month(day)", "FLOOR(cost / 7)", "EXP(dose)"),
)
_TESTS = (
    *("age >= 18", "region = 'north'", "cost BETWEEN 1 AND 50", "ward IN ('a', 'b', '1')", "smoker", "stay > 2.5"),
    *("day < DATE '2023-03-01'", "dose <> 0 OR smoker IS NULL", "NOT smoker", "ward LIKE 'a%'", "age / dose > 2"),
    *("region IN ('north', 'east') AND dose BETWEEN -2 AND 4", "age // 50 = 1 AND dose > 0.5 AND smoker", "dose <> 3"),
    *("(day >= '2023-02-01' OR day = DATE '2023-01-01') AND ward LIKE '%a%'", "age % 3 = 1 AND ward = 'a'"),
    *("seen >= TIMESTAMP '2023-01-05 00:00:00'", "code IS NOT NULL", "1 = 1", "CAST(ward AS INTEGER) = 1"),
)
_KEYS = (
    *("region", "smoker", "age // 50", "dose", "age % 3", "dose > 0", "date_trunc('month', day)", "region IS NULL"),
    *("CASE WHEN age < 18 THEN 'young' WHEN age < 65 THEN 'grown' ELSE 'old' END", "quarter(day)", "day"),
)
_PRIVATE = ("ward", "code", "code // 10", "CAST(seen AS DATE)", "date_trunc('year', seen)", "lower(ward)", "visit % 4")
_VALUES = ("ward", "age", "stay", "day", "seen", "smoker", "code", "age // 10", "upper(ward)")


def _visits(name: str, origin: str, person: str | None = "pid", before: str = "") -> Shape:
    return Shape(name, origin, _NUMBERS, _TESTS, _KEYS, _PRIVATE, _VALUES, person, before)


def _wards(side: str, person: str | None) -> Shape:
    return Shape(
        f"{side}lookup",
        f"visits AS v {side}JOIN wards AS w ON v.ward = w.ward",
        ("cost", "floor", "floor * cost", "age - floor", "stay"),
        ("floor >= 1", "area = 'old'", "area IS NULL", "cost > 3", "floor < dose"),
        ("area", "floor", "region", "floor % 2"),
        ("v.ward", "code"),
        ("area", "v.ward", "floor"),
        person,
    )


def _of_wards(name: str, origin: str, links: tuple[str, ...], person: str | None) -> Shape:
    return Shape(
        name,
        origin,
        ("cost", "floor", "floor * cost", "stay"),
        ("floor >= 1", "area = 'old' AND w.ward IN ('a', 'b')", "cost > 3", "w.ward LIKE 'a%' OR w.ward = 'north'"),
        ("area", "floor", "region", "w.ward"),
        ("w.ward", "v.ward", "code"),
        ("area", "v.ward", "floor"),
        person,
        links=links,
    )


EACH = (
    _of_wards("public table first", "wards AS w, visits AS v", ("v.ward = w.ward",), None),
    _visits("rows", "visits", None),
    _wards("", None),
    _wards("LEFT ", None),
    _visits("sub-query of rows", "(SELECT * FROM visits WHERE dose < 6) AS s", None),
    _visits("of wards", "(SELECT * FROM visits WHERE ward NOT IN (SELECT ward FROM wards WHERE floor > 1)) AS s", None),
    Shape(
        "renamed rows",
        "(SELECT age * 2 AS dose, dose AS age, cost + 1 AS cost, region AS ward, ward AS region FROM visits) AS s",
        *(
            ("age", "dose", "cost", "age * cost"),
            ("age > 1", "cost < 9"),
            ("age", "ward"),
            ("region",),
            ("age", "region"),
        ),
        None,
    ),
)
"""Shapes for a unit of one row."""

MANY = (
    _of_wards("public table first", "wards AS w, visits AS v", ("v.ward = w.ward",), "pid"),
    _of_wards("public table with a test", "wards AS w JOIN main.visits AS v ON v.ward = w.ward AND floor > 0", (),
              "pid"),
    _of_wards("items, people and wards", "items AS i, wards AS w, people AS p, visits AS v",
              ("i.visit = v.visit", "(w.ward = v.ward AND p.who = v.pid AND born > 1950 OR "
               "p.who = v.pid AND w.ward = v.ward AND quantity > 1)"), "v.pid"),
    _of_wards("public table twice", "wards AS u CROSS JOIN visits AS v, wards AS w",
              ("w.ward = v.ward", "u.ward = w.ward"), "pid"),
    Shape("columns named behind",
          "(SELECT pid, COUNT(*), MAX(region), MIN(dose) FROM visits GROUP BY 1) AS s (pid, n, r, d)",
          ("LEAST(n, 9)", "d"), ("n > 1", "r = 'north'", "d IN (1, 2, 7)"), ("d", "r"), ("n",), ("r", "d", "n"), "pid"),
    _visits("table", "visits"),
    _visits("aliased", "visits AS v"),
    _wards("", "pid"),
    _wards("LEFT ", "pid"),
    _visits("common table", "c", before="WITH c AS (SELECT * FROM visits WHERE code IS NOT NULL) "),
    _visits("sub-query", "(SELECT *, dose AS twice FROM visits) AS s"),
    _visits("of wards", "(SELECT * FROM visits WHERE ward NOT IN (SELECT ward FROM wards WHERE floor > 1)) AS s"),
    _visits("with items", "(SELECT * FROM visits AS o WHERE EXISTS (SELECT 1 FROM items AS i WHERE i.visit = o.visit "
            "AND quantity > 2)) AS s"),
    _visits("with visits", "(SELECT * FROM visits WHERE visit IN (SELECT visit FROM visits WHERE smoker)) AS s"),
    _visits("without items", "(SELECT * FROM visits WHERE visit NOT IN (SELECT visit FROM items) OR smoker) AS s"),
    _visits("of people", "(SELECT * FROM visits WHERE pid NOT IN (SELECT who FROM people WHERE born < 1980)) AS s"),
    _visits("last of a region", "(SELECT * FROM visits AS o WHERE NOT EXISTS (SELECT 1 FROM visits AS l "
            "WHERE l.pid = o.pid AND l.region = o.region AND l.day > o.day)) AS s"),
    _visits("first two", "(SELECT * FROM visits QUALIFY ROW_NUMBER() OVER (PARTITION BY pid, region ORDER BY day DESC) "
            "<= 2) AS s"),
    Shape("earlier rows", "(SELECT region, ward, day - LAG(day) OVER (PARTITION BY pid ORDER BY seen) AS gap, "
          "MAX(dose) OVER (PARTITION BY pid) AS top, RANK() OVER (PARTITION BY visit ORDER BY age) AS nth "
          "FROM visits) AS s",
          ("gap", "top", "LEAST(nth, 9)"), ("nth = 1", "gap > 2"), ("region", "top"), ("ward", "nth"),
          ("ward", "nth", "gap"), None),
    Shape("each visit", "(SELECT visit, COUNT(*) AS n, SUM(quantity) AS q FROM items GROUP BY visit) AS s",
          ("LEAST(n, 9)", "LEAST(q, 99)"), ("n > 1", "q IS NULL"), ("n > 2",), ("visit", "n"), ("visit", "n"), None),
    Shape("through", "items", ("quantity", "price", "price * quantity"), ("quantity > 1", "label <> 'b'"),
          ("quantity", "quantity > 3"), ("label", "visit % 4"), ("label", "price", "visit"), "pid"),
    Shape("join through", "visits AS v JOIN items AS i ON v.visit = i.visit",
          ("cost", "price", "price * age", "quantity - dose"), ("quantity > 1", "smoker", "price < cost"),
          ("region", "quantity"), ("label", "ward"), ("label", "ward", "day"), "v.pid"),
    Shape("left join through", "visits AS v LEFT JOIN items AS i ON v.visit = i.visit AND i.quantity > 2",
          ("cost", "price", "price * age"), ("label IS NULL", "smoker"), ("region", "quantity"), ("label", "ward"),
          ("label", "ward"), "v.pid"),
    Shape("join people", "visits AS v JOIN people AS p ON v.pid = p.who", ("cost", "born", "born - age"),
          ("born < 1980", "smoker"), ("region", "born // 50"), ("town", "ward"), ("town", "born"), "v.pid"),
    Shape("self join", "visits AS a JOIN visits AS b ON a.pid = b.pid AND a.age = b.age",
          ("a.cost", "b.dose", "a.cost * b.dose"), ("a.smoker", "b.cost > 2"), ("a.region", "b.dose"), ("a.ward",),
          ("a.ward", "b.day"), "a.pid"),
    Shape("each person", "(SELECT pid, COUNT(*) AS n, MAX(dose) AS d, MIN(region) AS r, AVG(stay) AS m, "
          "LEAST(SUM(cost), 500) AS c FROM visits WHERE age > 0 GROUP BY pid) AS s",
          ("LEAST(n, 9)", "d", "m", "c", "c * d"), ("n > 1", "d IS NULL", "c < 100"), ("d", "r", "n > 2"), ("n",),
          ("r", "d", "n"), "pid"),
    Shape("each person having", "(SELECT pid, region, COUNT(DISTINCT ward) AS n, LEAST(SUM(age), 300) AS c "
          "FROM visits GROUP BY pid, region HAVING COUNT(*) > 1) AS s",
          ("LEAST(n, 9)", "c"), ("n > 1", "region = 'north'"), ("region", "n > 2"), ("n",), ("region", "n"), "pid"),
    Shape("each person and lookup", "(SELECT pid, MAX(ward) AS ward FROM visits GROUP BY pid) AS s "
          "LEFT JOIN wards AS w ON s.ward = w.ward",
          ("floor",), ("floor > 1",), ("area", "floor"), ("s.ward",), ("area",), "pid"),
)  # fmt: skip
"""Shapes for a unit with an identifier."""


def random_query(random: Random, has_people: bool, may_choose_keys: bool) -> tuple[str, str]:
    """A shape's name, and a query of it."""
    shape = random.choice(MANY if has_people else EACH)
    keys = _some_keys(random, shape, may_choose_keys)
    aggregates = [_aggregate(random, shape) for _ in range(random.choice([1, 1, 2, 3]))]
    tests = [*shape.links, *([f"({random.choice(shape.tests)})"] if random.random() < 0.45 else [])]
    random.shuffle(tests)
    where = f" WHERE {' AND '.join(tests)}" if tests else ""
    group = f" GROUP BY {', '.join(keys)}" if keys else ""
    return shape.name, f"{shape.before}SELECT {', '.join([*keys, *aggregates])} FROM {shape.origin}{where}{group}"


def _some_keys(random: Random, shape: Shape, may_choose: bool) -> list[str]:
    many = random.choice([0, 1, 1, 1, 2])
    pool: Sequence[str] = (*shape.keys, *shape.private) if may_choose else shape.keys
    return random.sample(pool, min(many, len(pool)))


_TWO = ("CORR", "COVAR_POP", "COVAR_SAMP", "REGR_SLOPE", "REGR_INTERCEPT", "REGR_R2")
_CALLS: tuple[Callable[[Random, Shape], str], ...] = (
    lambda random, shape: "COUNT(*)",
    lambda random, shape: f"COUNT({random.choice(shape.values)})",
    lambda random, shape: f"COUNT(DISTINCT {shape.person})" if shape.person else "COUNT(*)",
    lambda random, shape: f"COUNT(DISTINCT {random.choice(shape.values)})",
    lambda random, shape: f"SUM({random.choice(shape.numbers)})",
    lambda random, shape: f"AVG({random.choice(shape.numbers)})",
    lambda random, shape: f"{random.choice(['VAR_POP', 'VAR_SAMP', 'STDDEV_POP'])}({random.choice(shape.numbers)})",
    lambda random, shape: f"{random.choice(_TWO)}({random.choice(shape.numbers)}, {random.choice(shape.numbers)})",
    lambda random, shape: f"COUNT(DISTINCT ({random.choice(shape.values)}, {random.choice(shape.values)}))",
    lambda random, shape: f"{random.choice(['MEDIAN', 'MIN', 'MAX'])}({random.choice(shape.numbers)})",
    lambda random, shape: f"{random.choice(['MEDIAN', 'MIN'])}({random.choice(shape.values)})",
    lambda random, shape: f"QUANTILE_CONT({random.choice(shape.numbers)}, 0.9)",
    lambda random, shape: f"PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY {random.choice(shape.numbers)})",
)


def _aggregate(random: Random, shape: Shape) -> str:
    call = random.choice(_CALLS)(random, shape)
    return f"{call} FILTER (WHERE {random.choice(shape.tests)})" if random.random() < 0.2 else call
