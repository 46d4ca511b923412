"""The corpus of questions: what was answered stays answered, and what would tell of one person stays refused."""

from __future__ import annotations

import re

import pytest
from bench.corpus import ANSWERED, SCHEMAS, judged, questions

VERDICT = re.compile(r"(private|undeclared|open): \S.{10,}")


def test_there_are_three_hundred_questions_with_a_verdict_each() -> None:
    everything = [asked for schema in SCHEMAS for asked in questions(schema)]
    assert len({asked.name for asked in everything}) == len({asked.sql for asked in everything}) == 300
    assert [asked.name for asked in everything if not (asked.is_answered or VERDICT.fullmatch(asked.verdict))] == []


@pytest.mark.parametrize("schema", SCHEMAS)
def test_questions_have_their_verdicts(schema: str) -> None:
    """`open` means that a private answer exists and is not built; once it is built, the verdict follows."""
    for asked, refused in judged(schema):
        if asked.verdict == ANSWERED:
            assert refused is None, f"{asked.name} was answered: {refused}"
        elif not asked.verdict.startswith("open"):
            assert refused is not None, f"{asked.name} is answered, although: {asked.verdict}"
