"""A hole of Spark's that was closed, put back: the fuzzer finds it, and no expression of it is listed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.engines.spark_server import SparkUnderTest
from tests.fuzz.hunting import hunted
from tests.fuzz.lines import first_line_alone

from tacit.query.engines.spark import casts as parsing

_AT_MOST = 1_000  # expressions: what the long tests try on Spark
_TOGETHER = 1  # a worker that overflows its stack is started anew, so few statements should fail


def _stepping_back(pattern: str) -> str:
    """The pattern without what makes it possessive."""
    return re.sub(r"([*+?])\+", r"\1", pattern)


@pytest.mark.long
def test_a_pattern_that_steps_back_is_found(
    spark: SparkUnderTest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """R46: Java steps back by recursion, and a number of some thousand groups overflows its stack."""
    for name in ("_DOUBLE", "_PLAIN", "_POWER"):
        monkeypatch.setattr(parsing, name, _stepping_back(getattr(parsing, name)))
    with first_line_alone():
        found = hunted([spark], tmp_path, _AT_MOST, together=_TOGETHER)
    assert found.what == "fails"
