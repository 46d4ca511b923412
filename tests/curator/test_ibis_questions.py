"""Questions as ibis expressions: the plan of the SQL that a person would write, and its refusals (R39, R43)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import ibis
import pytest
from ibis import _
from tests.curator.ibis_asks import ALSO, SAME, Ask
from tests.curator.ibis_clinic import open_clinic

from tacit.curator.dataset import Dataset
from tacit.curator.ibis_expression import sql_of
from tacit.errors import Refused
from tacit.query.plans.limit import IntervalKind

REFUSED: list[tuple[Ask, str]] = [
    (lambda t, r, d: t, "people's own rows|Rows are not released"),
    (lambda t, r, d: t.select("cost"), "people's own rows"),
    (lambda t, r, d: t.patient_id.max(), "It says who a person is"),
    (lambda t, r, d: t.group_by("patient_id").agg(n=t.count()), "Each group would be one person"),
    (lambda t, r, d: t.group_by("patient_id").agg(n=t.count()).filter(_.n > 3).order_by("n"), "would be one person"),
    (lambda t, r, d: t.distinct().count(), "merge people's rows"),
    (lambda t, r, d: t.limit(10).count(), "not a plain SELECT"),
    (lambda t, r, d: t.sample(0.1).count(), "Only whole tables"),
    (lambda t, r, d: t.union(t).count(), "not a plain SELECT"),
    (lambda t, r, d: t.filter(t.cost > t.cost.mean()).count(), "looks at other rows"),
    (lambda t, r, d: t.mutate(s=t.cost / t.cost.sum()).s.mean(), ""),
    (lambda t, r, d: t.region.re_search("(a+)+").sum(), "Brackets hold texts"),
    (lambda t, r, d: t.agg(f=t.region.first()), "own values"),
    (lambda t, r, d: r.count(), "It is public"),
    (lambda t, r, d: ibis.table({"x": "int64"}, name="elsewhere").count(), "no such table"),
    (lambda t, r, d: ibis.table({"x": "int64"}, name="visits").x.nunique() + ibis.now().year(), ""),
    (lambda t, r, d: ibis.table({"secret": "int64"}, name="visits").secret.sum(), "no such column"),
    (lambda t, r, d: ibis.table({"x": "int64"}, name="visits", database="other").count(), "no described table"),
    (lambda t, r, d: _.count(), "nothing of which table"),
    (lambda t, r, d: 7, "neither text nor an ibis expression"),
]


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dataset]:
    folder = tmp_path_factory.mktemp("ibis")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TACIT_WITNESS", str(folder / "elsewhere" / "witness"))
        with open_clinic(folder) as data:
            yield data


def asked(clinic: Dataset, ask: Ask) -> Any:
    return ask(clinic.table("visits"), clinic.table("regions"), clinic.table("drugs"))


def test_a_table_has_the_described_columns(clinic: Dataset) -> None:
    visits = clinic.table("visits").schema()
    assert visits["patient_id"].is_integer()
    assert (visits["cost"].is_decimal(), visits["cost"].scale) == (True, 2)
    assert (visits["day"].is_date(), visits["at"].is_timestamp(), visits["the ward"].is_string()) == (True, True, True)
    assert list(clinic.table("drugs").columns) == ["pid", "drug", "dose"]
    with pytest.raises(Refused, match="no such table"):
        clinic.table("vists")


@pytest.mark.parametrize("place", range(len(SAME)))
def test_ibis_and_sql_are_the_same_question(clinic: Dataset, place: int) -> None:
    """R43: the plan counts the same, so that one answers the other for free."""
    ask, sql = SAME[place]
    planner = clinic._planner
    texts = (sql_of(asked(clinic, ask)), sql)
    plans = [planner.bare_plan(planner.question(text), IntervalKind.USUAL) for text in texts]
    assert plans[0].question.rows.sql == plans[1].question.rows.sql
    assert plans[0].digest == plans[1].digest


def test_an_answer_to_sql_answers_ibis_for_free(clinic: Dataset) -> None:
    ask, sql = SAME[1]
    paid = clinic.query(sql, epsilon=2)
    spent = len(clinic.budget().entries)
    free = clinic.query(asked(clinic, ask))
    assert free.price.free
    assert len(clinic.budget().entries) == spent
    rows = [list(row.values()) for row in free.table.to_pylist()]
    assert rows == [list(row.values()) for row in paid.table.to_pylist()]
    ends = [f"{name}{which}{end}" for name in "nm" for which in ("", "_bounded") for end in ("", "_low", "_high")]
    assert free.table.column_names == ["region", *ends]


@pytest.mark.parametrize("place", range(len(ALSO)))
def test_the_usual_shapes_are_planned(clinic: Dataset, place: int) -> None:
    assert "of the budget" in str(clinic.explain(asked(clinic, ALSO[place]), epsilon=1))


@pytest.mark.parametrize("place", [1, 3, 6, 14])
def test_the_usual_shapes_are_answered(clinic: Dataset, place: int) -> None:
    assert clinic.query(asked(clinic, ALSO[place]), epsilon=1).table.num_rows > 0


@pytest.mark.parametrize("place", range(len(REFUSED)))
def test_what_sql_may_not_ask_ibis_may_not_either(clinic: Dataset, place: int) -> None:
    """R39: and nothing is charged."""
    ask, said = REFUSED[place]
    before = len(clinic.budget().entries)
    with pytest.raises(Refused, match=said or "Refused"):
        clinic.query(asked(clinic, ask), epsilon=1)
    assert len(clinic.budget().entries) == before


def test_without_ibis_the_cure_is_said(clinic: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ibis", None)
    with pytest.raises(Refused, match=r"pip install 'tacit\[ibis\]'"):
        clinic.table("visits")


def test_nobody_pays_for_what_they_do_not_use() -> None:
    """Neither ibis nor a data frame's library is loaded before it is used."""
    code = (
        "import sys, pyarrow as pa, tacit.curator.dataset; from tacit.query.engines.duckdb.frames import read_frame;"
        "x = pa.Array.from_buffers(pa.int64(), 1, [None, pa.py_buffer(bytes(8))]);"
        "read_frame('x', pa.Table.from_arrays([x], ['x'])).version;"
        "assert not {'ibis', 'pandas', 'polars'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
