"""An SQL function is one entry: one file names it, and it has words or a refusal in each dialect."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
import sqlglot
from sqlglot import exp
from tests.query.expressions.clinic import COLUMNS, typed
from tests.query.expressions.semantics_page import EXAMPLES

import tacit
from tacit.errors import Refused
from tacit.query.engines import translation
from tacit.query.engines.dialect import Dialect
from tacit.query.engines.expression_walk import TranslatedColumn, TranslatedRelation, Walk
from tacit.query.engines.operator_handlers import OPERATORS
from tacit.query.engines.postgres import dialect as postgres
from tacit.query.engines.spark import dialect as spark
from tacit.query.sql.dialects.sql_type import VARCHAR, Reach, SqlType, type_named
from tacit.query.sql.dialects.translator import OWN, Call, Operation, Piece, of_text
from tacit.query.sql.expressions import rule_registry
from tacit.query.sql.expressions.rule import SqlFunction, Typer, part
from tacit.query.sql.expressions.rule_registry import CALLS, FUNCTIONS
from tacit.query.sql.expressions.text_functions import TEXTS
from tacit.query.sql.expressions.text_operands import changed, text
from tacit.query.sql.expressions.text_parts import TEXT_PARTS
from tacit.query.sql.values.domains import refuse_many_texts
from tacit.query.sql.values.typed import Typed
from tacit.schema.kind import Kind

QUERY = Path(tacit.__file__).parent / "query"
SOURCES = {
    path.relative_to(QUERY).as_posix(): path.read_text()
    for room in ("sql", "engines")
    for path in (QUERY / room).rglob("*.py")
}
LIMIT = "sql/values/domains.py"  # how many texts a query may make: plans ask before any expression is read
IDIOMS = "sql/simplification/ibis_idioms.py"  # what programs write for it, or in place of it
CUTS = "engines/case_ranges.py"  # a CASE that cuts a number is said with them
ALSO: Mapping[type[exp.Expression], set[str]] = {
    **{node: {LIMIT} for node in (exp.Lower, exp.Upper, exp.Trim, exp.Left, exp.Right, exp.Concat, exp.DPipe)},
    exp.Substring: {LIMIT, IDIOMS},
    **{node: {LIMIT} for node in (exp.Replace, exp.SplitPart, exp.Pad)},
    exp.DateFromParts: {IDIOMS},
    exp.If: {IDIOMS},
    exp.Coalesce: {IDIOMS, CUTS},
    exp.Greatest: {CUTS},
    exp.Least: {CUTS},
    exp.AtTimeZone: {"sql/expressions/rule_registry.py"},  # why nobody may write it
    exp.Nullif: {"sql/expressions/rule_registry.py"},  # why what is divided by it has no bound
    exp.Like: {"sql/known_values.py"},  # the listed texts that a condition keeps
}
NODES = [node for entry in FUNCTIONS for node in entry.nodes if node not in OPERATORS]
LOWERED = [
    "md5(ward)",
    "zoned AT TIME ZONE 'UTC'",
    "round(dose)",
    "round(dose, 1)",
    "date_diff('week', moment, moment)",
]
TYPES = {"zoned": "TIMESTAMP WITH TIME ZONE", **{name: physical for name, (_, physical) in COLUMNS.items()}}
VISITS = TranslatedRelation(
    "visits", tuple(TranslatedColumn(name, type_named(physical)) for name, physical in TYPES.items())
)
DIALECTS: Mapping[str, Dialect] = {"PostgreSQL": postgres.Postgres(), "Spark": spark.SPARK}


def said(sql: str, dialect: Dialect) -> str:
    """A lowered expression over the clinic's visits, in the words of a dialect."""
    return translation.translate(f"SELECT {sql} AS v FROM visits", {"visits": VISITS}, dialect).sql


def refused(sql: str, dialect: Dialect) -> Refused | None:
    """Why the dialect does not say it."""
    try:
        said(sql, dialect)
    except Refused as refusal:
        return refusal
    return None


@pytest.mark.parametrize("node", NODES, ids=lambda node: node.__name__)
def test_one_file_names_a_function(node: type[exp.Expression]) -> None:
    """Its rule, the types of its operands and its words are in one place; another file that names it has a reason."""
    naming = {path for path, source in SOURCES.items() if re.search(rf"\bexp\.{node.__name__}\b", source)}
    assert len(naming - ALSO.get(node, set())) == 1
    assert naming >= ALSO.get(node, set())


@pytest.mark.parametrize("engine", DIALECTS)
def test_every_call_has_words_or_a_refusal(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """R26: an example of the page makes every call; a dialect has an entry for it, or says what would be accepted."""
    heard: set[str] = set()
    say = Walk.say

    def listening(
        self: Walk, operation: str, operands: Sequence[Piece], result: SqlType, reach: Reach | None = None
    ) -> Piece:
        heard.add(operation)
        assert operation in self.dialect.operations
        return say(self, operation, operands, result, reach)

    monkeypatch.setattr(Walk, "say", listening)
    refusals = [refused(sql, DIALECTS[engine]) for sql in (*LOWERED, *(typed(example).sql for example in EXAMPLES))]
    assert all(refusal.accepted for refusal in refusals if refusal)
    assert heard >= {call.name for call in CALLS}


@pytest.mark.parametrize(
    ("own", "named"),
    [
        (postgres.OWN_WORDS, {call.name for call in CALLS if call.postgres is OWN}),
        (spark.OWN_WORDS, {call.name for call in CALLS if call.spark is OWN}),
    ],
    ids=DIALECTS,
)
def test_a_dialect_has_the_words_that_entries_ask_of_it(own: Mapping[str, Operation], named: set[str]) -> None:
    """None is missing, and none is left over from a function that is gone."""
    assert own.keys() == named


def test_a_function_that_makes_a_text_is_counted() -> None:
    """A query makes at most 256 texts of texts: a new function among them is listed in `values/domains.py`."""
    for example in EXAMPLES:
        tree = sqlglot.parse_one(example, dialect="duckdb")
        if type(tree) in {**TEXTS.nodes, **TEXT_PARTS.nodes} and typed(example).kind is Kind.TEXT:
            with pytest.raises(Refused, match="wide"):
                refuse_many_texts(sqlglot.parse_one(f"SELECT {', '.join([example] * 257)}", dialect="duckdb"))


def _reversed(node: exp.Expression, typer: Typer) -> Typed:
    value = text(part(node), typer)
    return changed(value, f"reverse({value.sql})", lambda key: key[::-1])


REVERSED = of_text(Call("reverse", spark="`array_join`(`reverse`(`split`({0}, '')), '')"), VARCHAR)
REVERSE = SqlFunction(("REVERSE",), _reversed, (exp.Reverse,), REVERSED)


def test_one_entry_is_a_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is derived from the entries is all that there is to fill in: here by hand, since the lists are made."""
    with pytest.raises(Refused, match="REVERSE is not supported"):
        typed("REVERSE(region)")
    monkeypatch.setitem(rule_registry._NODES, exp.Reverse, REVERSE.rule)
    monkeypatch.setitem(translation._HANDLERS, exp.Reverse, REVERSED.translation)
    monkeypatch.setitem(postgres.OPERATIONS, "reverse", postgres.spoken(REVERSED.calls)["reverse"])
    monkeypatch.setitem(spark._OPERATIONS, "reverse", spark.spoken(REVERSED.calls)["reverse"])
    found = typed("REVERSE(region)")
    assert (found.kind, found.keys, found.longest) == (Kind.TEXT, ("htron", "htuos", "tsae", "tsew"), 5)
    assert "reverse(" in said(found.sql, DIALECTS["PostgreSQL"])
    assert "`array_join`(`reverse`(`split`(" in said(found.sql, DIALECTS["Spark"])
