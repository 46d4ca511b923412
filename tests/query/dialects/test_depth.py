"""The deepest accepted query is translated at any depth of the Python stack."""

from __future__ import annotations

import sys

import pytest

from tacit.errors import Refused
from tacit.query.engines.expression_walk import TranslatedColumn, TranslatedRelation
from tacit.query.engines.postgres.dialect import Postgres
from tacit.query.engines.translation import translate
from tacit.query.sql.dialects.sql_type import DOUBLE

_TABLE = {"t": TranslatedRelation('"t"', (TranslatedColumn("x", DOUBLE),))}


def _said(depth: int, calls: int) -> str:
    if calls:
        return _said(depth, calls - 1)
    return translate(f"SELECT {'(' * depth}x{' + 1e0)' * depth} AS v FROM t", _TABLE, Postgres()).sql


@pytest.mark.parametrize("calls", [0, 700])
def test_as_deep_as_queries_may_be(calls: int) -> None:
    """R26: it fails neither before the charge nor after it, where the stack is deeper."""
    before = sys.getrecursionlimit()
    assert _said(250, calls).count("+") == 250
    assert sys.getrecursionlimit() == before


def test_what_is_deeper_is_refused() -> None:
    with pytest.raises(Refused, match="nested"):
        _said(20_000, 0)
