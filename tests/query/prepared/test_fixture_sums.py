"""Every fixture query on a prepared clinic gives the tables that it gives on the files (R04, R20)."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.query.fixtures.rendering import FOLDER, PHYSICAL
from tests.query.prepared.prepared_files import Filed, with_budget, write_files

from tacit.errors import Refused
from tacit.loss.families.approx import Pure

_FIXTURES = sorted(path.name for path in FOLDER.glob("*.sql"))
_NORMS = (None, Fraction(3, 2), Fraction(40), Fraction(10**6), Fraction(10**15))
_VALUES = {
    "BIGINT": "CAST(CASE WHEN {0} % 5 = 0 THEN 7 ELSE {0} % 90 END AS BIGINT)",  # one person has a fifth of all rows
    "INTEGER": "CAST({0} % 150 AS INTEGER) - 20",
    "SMALLINT": "CAST({0} % 100 AS SMALLINT)",
    "DECIMAL(12,2)": "CAST({0} % 2500000 AS DECIMAL(12,2)) / 100 - 50",
    "DOUBLE": "[({0} % 1000003) / 3001.0, NULL, 'NaN'::DOUBLE, -1e300, ({0} % 997) / 3.0][1 + {0} % 5]",
    "VARCHAR": "['north', 'south', 'a', 'b', 'bill', 'cardio', NULL][1 + {0} % 7]",
    "DATE": "DATE '2023-12-01' + CAST({0} % 420 AS INTEGER)",
    "TIMESTAMP": "TIMESTAMP '2023-12-01' + INTERVAL 1 MINUTE * CAST({0} % 600000 AS INTEGER)",
    "BOOLEAN": "[TRUE, FALSE, NULL][1 + {0} % 3]",
}


def select(table: str) -> str:
    """Rows of a table of the fixtures' clinic, many of them not as declared."""
    listed = []
    for place, (name, kind) in enumerate(PHYSICAL[table].items()):
        value = _VALUES[kind].format(f"CAST(hash(i, {place}) // 2 AS BIGINT)")
        listed.append(f"CASE WHEN hash(i, {place}, 1) % 19 = 0 THEN NULL ELSE {value} END AS {name}")
    return f"SELECT {', '.join(listed)} FROM range(2000) AS numbers(i)"


@pytest.fixture(scope="module")
def filed(tmp_path_factory: pytest.TempPathFactory) -> Filed:
    text = (FOLDER / "clinic.toml").read_text(encoding="utf-8")
    return Filed.of(write_files(tmp_path_factory.mktemp("clinic"), text, {table: select(table) for table in PHYSICAL}))


@pytest.mark.parametrize(
    ("name", "is_pure"),
    [
        pytest.param(name, is_pure, marks=pytest.mark.long if (place + is_pure) % 2 else (), id=f"{name}-{law}")
        for place, name in enumerate(_FIXTURES)
        for is_pure, law in ((False, "gaussian"), (True, "laplace"))
    ],
)
def test_fixtures_on_a_prepared_clinic(name: str, is_pure: bool, filed: Filed) -> None:
    """Limits as they are declared or found, and limits from far below to far above what people have."""
    asked = with_budget(filed, Pure(4)) if is_pure else filed
    query = (FOLDER / name).read_text(encoding="utf-8").split(";", 1)[0].strip()
    place = _FIXTURES.index(name)
    for norm in (None, _NORMS[1 + place % 4]):
        try:
            plan, price = asked.planned(query, ("1", "0.01", "3")[place % 3], norm=norm)
        except Refused:
            assert is_pure  # which chooses no private keys
            return
        kept = asked.compare(plan, price)
        assert any('"__kept".' in sql for sql in kept.sent)
        assert not any(f'"{table}".' in sql for sql in kept.sent for table in ("visits", "drugs", "calls"))


def test_the_kept_file_is_for_its_owner(filed: Filed) -> None:
    """R42: whoever may read the folder may not read the form."""
    assert filed.kept.path.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in filed.kept.path.parent.glob(".*")] == []
