"""The check, before any charge, that an engine with another dialect can express a description and a query."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from tacit.errors import Refused
from tacit.query.catalogue import Catalogue
from tacit.query.engines.protocol import Engine, Headers
from tacit.query.plans.question import Question
from tacit.query.sql.rows import UNIT, Ownership, quoted
from tacit.query.sql.scan import reading


@runtime_checkable
class Translating(Protocol):
    """An engine that translates SQL into its own dialect."""

    def said(self, sql: str, physical: Headers) -> str:
        """A SELECT over tables with these headers in its dialect; refused where it cannot express it."""
        ...


def check_columns(catalogue: Catalogue, engine: Engine) -> None:
    """Refuse, by its name, a column that the engine cannot read as declared."""
    if not isinstance(engine, Translating):
        return
    for table in catalogue.description.sources:
        for (_, name), typed in reading(table, table.name, catalogue).items():
            try:
                engine.said(f"SELECT {typed.sql} AS value FROM {quoted(table.name)}", catalogue.physical)
            except Refused as refusal:
                raise Refused(f"{table.name}.{name}: {refusal.asked}", refusal.why, refusal.accepted) from None


def check_question(question: Question, catalogue: Catalogue, engine: Engine) -> None:
    """Refuse a query with a function that the engine lacks.

    These expressions include everything that depends on the query.
    """
    if not isinstance(engine, Translating):
        return
    rows = question.rows
    values = [*(key.sql for key in question.keys), *(part.sql for part in question.parts)]
    if question.distincts:
        values += [f"CAST({value} AS VARCHAR)" for value in values]
    if rows.ownership is not Ownership.EACH:
        values.append(f"CAST({UNIT} AS VARCHAR)" if len(values) > len(question.keys) + len(question.parts) else UNIT)
    listed = ", ".join(f"{value} AS v{place}" for place, value in enumerate(values)) or "1 AS v0"
    engine.said(f'SELECT {listed} FROM ({rows.under(listed)}) AS "__rows"', catalogue.physical)


def in_words_of(engine: Engine, sql: str, catalogue: Catalogue) -> str:
    """A statement in the engine's dialect."""
    return engine.said(sql, catalogue.physical) if isinstance(engine, Translating) else sql
