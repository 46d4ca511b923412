"""No release fails because of its noise: a retry under the same charge would draw it again."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.attack.small_clinic import open_clinic

_EVERY = "MEDIAN(cost), COUNT(DISTINCT age), AVG(cost), VAR_POP(age), MIN(age), COUNT(DISTINCT pid), COUNT(*)"


@pytest.mark.parametrize("asked", ["MEDIAN(cost)", "COUNT(DISTINCT age)", "COUNT(*)", _EVERY])
@pytest.mark.parametrize("rows", ["", "WHERE age > 200"])
def test_a_release_in_which_no_key_passed_is_a_release(tmp_path: Path, asked: str, rows: str) -> None:
    """R26, R33, R43: with no key shown there is an answer, stored and final; a second question draws no new noise."""
    with open_clinic(tmp_path) as clinic:
        sql = f"SELECT ward, {asked} FROM v {rows} GROUP BY ward"
        first = clinic.query(sql, epsilon="0.001")
        assert first.table.num_rows == 0
        assert clinic.query(sql, epsilon="0.001").certificate == first.certificate
        (entry,) = clinic.budget().entries
        assert entry.stored
