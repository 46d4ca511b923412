"""LIKE in forms that are matched without backtracking: the same rows as LIKE by its definition."""

from __future__ import annotations

import re
from random import Random

import duckdb
import pytest
import sqlglot

from tacit.query.sql.expressions import NamedScope, read_column, type_expression
from tacit.query.sql.values.wildcards import ESCAPE, Wildcards
from tacit.schema.description import Column
from tacit.schema.kind import Kind

_RANDOM = Random(13)
_LETTERS = "abA_%é\n𝔸.*\\!"
_PATTERNS = ["".join(_RANDOM.choices("ab%%_é!", k=_RANDOM.randrange(9))) for _ in range(300)]
_PATTERNS = [pattern for pattern in _PATTERNS if pattern.count("%") <= 8]
_TEXTS = ["", *("".join(_RANDOM.choices(_LETTERS, k=_RANDOM.randrange(12))) for _ in range(400))]


def _is_like(text: str, signs: Wildcards) -> bool:
    """The definition: each sign in turn, at every place where it may stand."""
    places = {0}
    for sign in signs.signs:
        if sign.is_run:
            places = set(range(min(places), len(text) + 1)) if places else set()
        else:
            places = {at + 1 for at in places if at < len(text) and (sign.is_wild or text[at] == sign.letter)}
    return len(text) in places


@pytest.mark.parametrize("word", ["LIKE", "ILIKE"])
@pytest.mark.parametrize("escape", [None, "!"])
def test_the_forms_for_duckdb_match_what_like_matches(word: str, escape: str | None) -> None:
    scope = NamedScope({"x": read_column(Column("x", Kind.TEXT), "x", "VARCHAR")})
    forms = set()
    with duckdb.connect() as rows:
        rows.execute("CREATE TABLE t AS SELECT unnest(CAST(? AS VARCHAR[])) AS x", [_TEXTS])
        for pattern in _PATTERNS:
            if escape and pattern.replace("!!", "").endswith("!"):
                continue
            end = f" ESCAPE '{escape}'" if escape else ""
            typed = type_expression(sqlglot.parse_one(f"x {word} '{pattern}'{end}", dialect="duckdb"), scope)
            forms.add(re.findall(r"regexp_full_match|I?LIKE", typed.sql)[0])
            signs = Wildcards.of_like(pattern, escape)
            low = (lambda text: text.lower()) if word == "ILIKE" else (lambda text: text)
            wanted = {text for text in _TEXTS if _is_like(low(text), signs.changed(low))}
            found = {text for (text,) in rows.execute(f"SELECT x FROM t WHERE {typed.sql}").fetchall()}
            assert found == wanted, pattern
    assert forms == {"LIKE", word, "regexp_full_match"}


def test_the_form_for_java_matches_what_like_matches() -> None:
    """Python has Java's (?>…); it writes code points and the end of a text otherwise."""
    for pattern in _PATTERNS:
        signs = Wildcards.of_like(pattern)
        java = signs.possessive().replace(r"\z", r"\Z")
        python = re.compile(re.sub(r"\\x\{([0-9a-f]+)\}", lambda found: re.escape(chr(int(found[1], 16))), java))
        assert [bool(python.search(text)) for text in _TEXTS] == [_is_like(text, signs) for text in _TEXTS], pattern


def test_a_form_that_keeps_too_much_is_seen() -> None:
    """Broken twin: with the last % greedy and kept, texts are missed."""
    signs = Wildcards.of_like("a%b%b")
    twin = re.compile(signs.possessive().replace(".*b", "(?>.*)b").replace(r"\z", r"\Z"))
    assert any(_is_like(text, signs) and not twin.search(text) for text in ("abb", "aabab"))


@pytest.mark.parametrize("pattern", _PATTERNS)
def test_what_is_written_is_read_back(pattern: str) -> None:
    """The walk to another dialect reads the regular expression as the pattern it was."""
    signs = Wildcards.of_like(pattern)
    assert Wildcards.of_regex(signs.regex()) == signs
    assert Wildcards.of_like(signs.like(), ESCAPE) == signs


def test_no_matcher_that_steps_back_has_two_searches() -> None:
    """LIKE of DuckDB looks for pieces only where % is its only sign; ILIKE never does."""
    scope = NamedScope({"x": read_column(Column("x", Kind.TEXT), "x", "VARCHAR")})

    def said(text: str) -> str:
        return type_expression(sqlglot.parse_one(text, dialect="duckdb"), scope).sql

    assert "regexp_full_match" in said("x LIKE '%a_b%c%'")
    assert "regexp_full_match" in said("x NOT LIKE '%a!_%c%' ESCAPE '!'")
    assert "regexp_full_match" in said("x ILIKE '%A_%b%c'")
    assert "lower(" in said("x ILIKE '%A%B%'")
    assert " LIKE '%a%b%'" in said("x ILIKE '%A%B%'")
    assert " LIKE '%a%b%'" in said("x LIKE '%a%b%'")
