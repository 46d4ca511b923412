"""The canonical answer: only what is shown, in one spelling that a reader can recompute."""

from __future__ import annotations

import hashlib
import json
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from tests.release.samples import keys, numbers, release, usual

from tacit.query.post_noise.estimates import Estimates
from tacit.release.cells import canonical_digest, canonical_text
from tacit.release.release import Release

LEVEL = Fraction(19, 20)


def digest(answer: Release) -> str:
    return canonical_digest(answer.rendered, answer.confidence)


def rewritten(answer: Release) -> str:
    """The digest as a reader computes it from the JSON that was written, by the page and not by the code."""
    whole = json.loads(answer.to_json(), parse_float=Decimal, parse_int=Decimal)
    names = [name for name in whole["rows"][0] if not name.endswith(("_low", "_high", "_bounded"))]

    def text(value: Any) -> str | None:
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, Decimal):
            return format(Decimal(float(value)), "f")
        return None if value is None else str(value)

    def cell(row: dict[str, Any], name: str) -> Any:
        ends = [name, f"{name}_low", f"{name}_high"]
        ends += [each for each in (f"{name}_bounded", f"{name}_bounded_low", f"{name}_bounded_high") if each in row]
        return [text(row[end]) for end in ends] if ends[1] in row else text(row[name])

    def spelled(value: object) -> str:
        return json.dumps(value, sort_keys=True, separators=(",", ":"))

    is_key = [f"{name}_low" not in whole["rows"][0] for name in names]
    rows = [[cell(row, name) for name in names] for row in whole["rows"]]
    rows.sort(key=lambda row: (spelled([each for each, key in zip(row, is_key, strict=True) if key]), spelled(row)))
    level = Fraction(whole["confidence"])
    return hashlib.sha256(spelled({"columns": names, "confidence": str(level), "rows": rows}).encode()).hexdigest()


def test_a_reader_of_the_answer_can_write_it_anew() -> None:
    answer = release(
        {
            "ward": keys("b", None, "ä\x1b", "a"),
            "day": keys(date(2024, 1, 2), None, date(2024, 1, 1), date(1, 1, 1)),
            "open": keys(True, False, None, True),
            "age": keys(3, 2, 10, -1),
            "count": numbers([2610, 0.0, 7, 12], 257, whole=True),
            "avg": numbers([0.1, 1e-7, 1e22, -3.25], 0.1),
        }
    )
    assert digest(answer) == rewritten(answer)


def test_numbers_of_the_noise_alone_are_bound_where_they_are_shown() -> None:
    shown = {"k": keys("b", "a"), "n": numbers([5, 7], 2, whole=True)}
    answer = usual(shown, {"n": numbers([4, 6], 1, whole=True)})
    assert digest(answer) == rewritten(answer)
    others = usual(shown, {"n": numbers([4, 5], 1, whole=True)}), usual(shown, {}), release(shown)
    assert all(digest(answer) != digest(other) for other in others)
    assert digest(others[1]) == digest(others[2])  # the words are no part of it


def test_it_is_the_same_in_whatever_order_rows_are_shown() -> None:
    one = release({"k": keys("a", "b"), "n": numbers([1, 2], 1)})
    other = release({"k": keys("b", "a"), "n": numbers([2, 1], 1)})
    assert digest(one) == digest(other)


@pytest.mark.parametrize(
    "other",
    [
        {"k": keys("a", "c"), "n": numbers([1, 2], 1)},
        {"k": keys("a", None), "n": numbers([1, 2], 1)},
        {"k": keys("a", "NULL"), "n": numbers([1, 2], 1)},
        {"k": keys("a"), "n": numbers([1], 1)},
        {"k": keys("a", "b"), "n": numbers([1, np.nextafter(2, 3)], 1)},
        {"k": keys("a", "b"), "n": numbers([1, 2], 2)},
        {"k": keys("a", "b"), "m": numbers([1, 2], 1)},
        {"k": keys("a", "b"), "n": numbers([1, nan], 1)},
        {"k": keys("b", "a"), "n": numbers([1, 2], 1)},
    ],
)
def test_any_other_answer_has_another_digest(other: dict[str, Any]) -> None:
    assert digest(release({"k": keys("a", "b"), "n": numbers([1, 2], 1)})) != digest(release(other))


def test_numbers_have_all_their_digits() -> None:
    ends = Estimates(np.array([0.1]), np.array([-inf]), np.array([nan]))
    answer = release({"n": ends})
    text = canonical_text(answer.rendered, LEVEL)
    assert '"0.1000000000000000055511151231257827021181583404541015625",null,null' in text
    zero = [release({"n": numbers([value], 0)}) for value in (0.0, -0.0)]
    assert digest(zero[0]) == digest(zero[1])
    assert "2024-01-01T00:00:00" in canonical_text(release({"t": keys(datetime(2024, 1, 1))}).rendered, LEVEL)


def test_the_level_of_the_intervals_is_bound() -> None:
    answer = release({"n": numbers([1], 1)})
    assert canonical_digest(answer.rendered, LEVEL) != canonical_digest(answer.rendered, Fraction(9, 10))


def test_every_format_is_written_the_same_twice() -> None:
    answer = release({"k": keys("a", "b"), "n": numbers([1, 2], 1)})
    for form in ("table", "csv", "json", "parquet"):
        assert answer.presented(form) == answer.presented(form)
