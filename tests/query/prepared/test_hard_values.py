"""Forms of hard values, limits and names: sums beyond 64 bits, totals at the limit, far centres, Tacit's own names.

R04, R05, R20: on each of them the kept form and the files give the same tables.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from tests.query.prepared.prepared_files import Filed, with_budget, write_files
from tests.query.running.all_stages import all_stages

from tacit.loss.families.approx import Pure
from tacit.noise.bits import Seeded
from tacit.query.bounding.limit_choice import make_plan
from tacit.query.bounding.profile import Profile
from tacit.query.execution.profile_release import ProfileRun
from tacit.query.materialized import kept_sums
from tacit.query.materialized.form import TableForm
from tacit.query.materialized.statements import STATEMENTS
from tacit.query.plans.price import price_of
from tacit.query.plans.question import read_question

_HEAD = """
[dataset]
name = "hard"
unit = { id = "pid", hides = "one person" }
budget = { epsilon = 8, delta = 1e-5 }
floor = 0
breaker = "off"
"""
_BIG = 2**50 - 1
_VALUES = f"""{_HEAD}
[tables.t]
source = "t.parquet"
[tables.t.columns]
area = {{ type = "text", keys = ["a", "b", "c"] }}
ward = {{ type = "text" }}
big = {{ type = "int", min = {-_BIG}, max = {_BIG} }}
small = {{ type = "int", min = -9, max = 9, nullable = false }}
thin = {{ type = "float", min = 1000000, max = 1000000.5 }}
"""
_ROWS = f"""
SELECT 'heavy' AS pid, ['a', 'b', NULL][1 + i % 3] AS area, 'w' || i % 2 AS ward, {_BIG} - i % 2 AS big,
    9 AS small, 1000000 + i % 7 / 16.0 AS thin FROM range(9000) AS r(i)
UNION ALL SELECT 'low', 'a', 'w1', {-_BIG}, -9, 1000000.5 FROM range(5000)
UNION ALL SELECT 'p' || i % 40, ['a', 'b', 'c', 'd'][1 + i % 4], 'w' || i % 5, i - 100, i % 19 - 9, 1000000.25
    FROM range(300) AS r(i)
UNION ALL SELECT 'exact', 'a', 'w0', 2**20, NULL, NULL
UNION ALL SELECT NULL, 'a', 'w0', 5, 5, 1000000
"""
_CENTRES = {("t", "big"): _BIG - 5, ("t", "small"): 3, ("t", "thin"): 2**30}
_ASKED = (
    "SELECT COUNT(*), SUM(big) FROM t",
    "SELECT AVG(big), AVG(small) FROM t",
    "SELECT AVG(thin), COUNT(DISTINCT pid) FROM t",
    "SELECT area, SUM(big), SUM(small) FROM t GROUP BY area",
    "SELECT area, AVG(big), AVG(thin), COUNT(*) FROM t GROUP BY area",
    "SELECT ward, AVG(small), COUNT(DISTINCT pid) FROM t GROUP BY ward",
    "SELECT MEDIAN(thin), MAX(small), MIN(small) FROM t",
)
_NORMS = [None, *(Fraction(norm) for norm in (2, 1000, 2**20, 2**31, 2**40, 2**61, 10**18))]


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> Filed:
    return Filed.of(write_files(tmp_path_factory.mktemp("values"), _VALUES, {"t": _ROWS}))


@pytest.mark.parametrize("is_pure", [False, True], ids=["gaussian", "laplace"])
@pytest.mark.parametrize("sql", _ASKED)
def test_sums_beyond_words_and_far_centres(sql: str, is_pure: bool, values: Filed) -> None:
    """R05: 9,000 values of 2^50 add up to more than 64 bits hold; a mean of them is counted from close by."""
    if is_pure and "ward" in sql:
        return
    asked = with_budget(values, Pure(8)) if is_pure else values
    for place, norm in enumerate(_NORMS[_ASKED.index(sql) % 2 :: 2]):
        for centres in (None, _CENTRES) if place == 2 else (_CENTRES,):
            kept = asked.compare(*asked.planned(sql, "0.5", centres, norm))
            assert any('"__kept"."p' in sent or '"__kept"."rows t"' in sent for sent in kept.sent)


def test_totals_that_the_block_cuts_are_told(values: Filed, monkeypatch: pytest.MonkeyPatch) -> None:
    """R46: the twin that does not cut totals at 2^62, as the block does, gives other sums."""
    asked = with_budget(values, Pure(8))
    planned = asked.planned("SELECT area, AVG(big), AVG(thin), COUNT(*) FROM t GROUP BY area", norm=Fraction(2**61))
    asked.compare(*planned)
    monkeypatch.setattr(kept_sums, "WORD", 2**63 - 1)
    with pytest.raises(AssertionError):
        asked.compare(*planned)


def test_limits_at_the_brink(tmp_path: Path) -> None:
    """People whose totals are just below, at and just above what counts, in one group and over several."""
    description = f"""{_HEAD}
[tables.t]
source = "t.parquet"
columns = {{ x = {{ type = "int", min = -4194304, max = 4194304 }}, g = {{ type = "text", keys = ["a", "b"] }} }}
"""
    rows = " UNION ALL ".join(
        f"SELECT {3 * place + sign} AS pid, {(1 if sign else -1) * (2**22 + near)} AS x, '{group}' AS g"
        for place, near in enumerate((-3, -2, -1, 0, 1, 2, 3))
        for sign in (0, 1)
        for group in "ab"[: 1 + place % 2]
    )
    filed = Filed.of(write_files(tmp_path, description, {"t": rows}))
    for near in (-1, 0, 1):
        for sql in ("SELECT SUM(x) FROM t", "SELECT AVG(x) FROM t", "SELECT g, SUM(x), COUNT(*) FROM t GROUP BY g"):
            for norm in (Fraction(2**22 + near), Fraction(2**23 + near), Fraction(near + 2)):
                filed.compare(*filed.planned(sql, norm=norm))


_NAMES = (
    *("rows", "key", "held", "squares", "cell", "x", "sum x", "sum sum x", "present x", "cross x", "counts x", "w"),
    *("ranks x", "squares x", "k0", "v0", "y0", "unit", "o'x", "part", "place"),
)
_TABLES = ("t", "0 t", "o'rows t")


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Filed:
    columns = "\n".join(f'"{name}" = {{ type = "int", min = -2, max = {3 + len(name)} }}' for name in _NAMES)
    texts = 'text = { type = "text" }\n"rows x" = { type = "text", keys = ["p", "q"] }'
    tables = [f'[tables."{t}"]\nsource = "t.parquet"\n[tables."{t}".columns]\n{columns}\n{texts}' for t in _TABLES]
    values = ", ".join(f'(i * {place + 3}) % 11 - 3 AS "{name}"' for place, name in enumerate(_NAMES))
    keys = "'t' || i % 3 AS text, ['p', 'q', NULL][1 + i % 3] AS \"rows x\""
    rows = f"SELECT i % 7 AS pid, {values}, {keys} FROM range(90) AS r(i)"
    return Filed.of(write_files(tmp_path_factory.mktemp("names"), "\n".join([_HEAD, *tables]), {"t": rows}))


@pytest.mark.parametrize(
    "name",
    [name if place % 4 == 0 else pytest.param(name, marks=pytest.mark.long) for place, name in enumerate(_NAMES)],
)
def test_names_that_the_form_uses_itself(name: str, named: Filed) -> None:
    """Whatever columns and tables are called, they are told from what is kept of them."""
    table = _TABLES[_NAMES.index(name) // 4 % 3]
    for sql in (
        f'SELECT SUM("{name}"), COUNT("{name}"), MEDIAN("{name}") FROM "{table}"',
        f'SELECT "rows x", SUM("{name}"), AVG("{name}") FROM "{table}" GROUP BY "rows x"',
        f'SELECT "{name}", COUNT(*) FROM "{table}" GROUP BY "{name}"',
    ):
        named.compare(*named.planned(sql, norm=Fraction(7)))


def test_a_text_that_looks_like_the_form(tmp_path: Path) -> None:
    """What an analyst writes between quotes stays as it was written."""
    description = f"""{_HEAD}
[tables.t]
source = "t.parquet"
columns = {{ ward = {{ type = "text" }} }}
"""
    filed = Filed.of(write_files(tmp_path, description, {"t": "SELECT 1 AS pid, 'a' AS ward"}))
    read = filed.statements.forms["t"].reading.sql
    assert "'" not in read
    plan, price = filed.planned(f"SELECT COUNT(*) FROM t WHERE ward = '({read})'", norm=Fraction(1))
    kept = filed.compare(plan, price)
    assert f"'({read})'" in kept.sent[0]
    assert '"__kept"."rows t"' in kept.sent[0]


def test_public_columns_of_the_same_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A joined public table may call its columns as the private one does: theirs are not what was kept."""
    description = f"""{_HEAD}
[tables.t]
source = "t.parquet"
[tables.t.columns]
ward = {{ type = "text" }}
age = {{ type = "int", min = 0, max = 99 }}
area = {{ type = "text", keys = ["a", "b"] }}
[lookups.wards]
source = "wards.parquet"
key = "ward"
[lookups.wards.columns]
ward = {{ type = "text" }}
age = {{ type = "int", min = 0, max = 99 }}
area = {{ type = "text", keys = ["a", "b"] }}
"""
    rows = "SELECT i % 9 AS pid, 'w' || i % 4 AS ward, i % 60 AS age, 'a' AS area FROM range(80) AS r(i)"
    public = "SELECT 'w' || i AS ward, 90 + i AS age, 'b' AS area FROM range(3) AS r(i)"
    filed = Filed.of(write_files(tmp_path, description, {"t": rows, "wards": public}))
    joined = "t LEFT JOIN wards AS w ON t.ward = w.ward"
    for sql in (
        f"SELECT SUM(w.age), COUNT(w.age) FROM {joined}",
        f"SELECT SUM(t.age), MEDIAN(w.age), MEDIAN(t.age) FROM {joined}",
        f"SELECT w.area, COUNT(*) FROM {joined} GROUP BY w.area",
        f"SELECT t.area, COUNT(*) FROM {joined} GROUP BY t.area",
        f"SELECT w.ward, COUNT(*), AVG(w.age) FROM {joined} GROUP BY w.ward",
    ):
        for norm in (Fraction(2), Fraction(500)):
            filed.compare(*filed.planned(sql, norm=norm))
    monkeypatch.setattr(TableForm, "is_all_of", lambda form, rows, *_: rows.bare == form.table)
    with pytest.raises(AssertionError):  # the twin that goes by the name alone
        filed.compare(*filed.planned(f"SELECT SUM(w.age) FROM {joined}", norm=Fraction(500)))


@pytest.mark.parametrize("where", ["FALSE", "pid IS NULL"])
def test_a_table_of_nobody(tmp_path: Path, where: str) -> None:
    """R19: where there is no row, or none of anybody, there are zeros."""
    rows = f"SELECT * FROM ({_ROWS}) WHERE {where}"
    filed = Filed.of(write_files(tmp_path, _VALUES, {"t": rows}))
    for sql in _ASKED:
        filed.compare(*filed.planned(sql, norm=Fraction(5)))


@pytest.mark.parametrize("is_pure", [False, pytest.param(True, marks=pytest.mark.long)], ids=["gaussian", "laplace"])
def test_a_profile_and_the_limits_it_gives(is_pure: bool, values: Filed) -> None:
    """R18: the same histograms and centres, and then the same sums under the limits read from them."""
    asked = with_budget(values, Pure(8)) if is_pure else values
    description = asked.catalogue.description
    price = price_of(description.budget, description.promise, "2", None, False)
    relation = description.unit.relation
    with (
        asked.engine.session(description, asked.catalogue.physical) as cold,
        asked.kept.session(description, asked.catalogue.physical) as warm,
    ):
        found = [
            all_stages(ProfileRun(asked.catalogue, price, relation, sent).stages, session, Seeded(3))
            for session, sent in ((cold, STATEMENTS), (warm, asked.statements))
        ]
    one = Profile.from_bytes(found[0])
    assert found[0] == found[1]
    for sql in _ASKED[: 5 if is_pure else None]:
        question = read_question(sql, asked.catalogue, one.centres)
        cost = price_of(description.budget, description.promise, "1", None, question.has_private_keys)
        asked.compare(one.completed(make_plan(question, asked.catalogue, not is_pure), cost), cost)
