"""The recorded results of a query: everything in `tacit` and `tacit.open` that moving code must not change.

The noise is drawn from a fixed keystream in place of the operating system's, so that the stored bytes of a release
and the answer made from them are recorded too. That holds for tests alone: a release has no seed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

import pytest
from click.testing import CliRunner
from tests.query.fixtures.rendering import KEPT, NORMS, Lowered
from tests.recorded.clinics import write_description, write_rows
from tests.recorded.queries import QUERIES

import tacit
from tacit.cli.main import app
from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.engines.postgres.engine import PostgresEngine
from tacit.query.engines.protocol import Engine, Headers, Session
from tacit.query.engines.spark.engine import SparkEngine
from tacit.schema.description import Description, Source

_EPSILON = "2"
_GROUNDS = ("plan", "unit", "mechanisms", "price", "claims", "loss")
_Made = TypeVar("_Made")


@dataclass(frozen=True)
class Speaking:
    """An engine that reads Parquet files like DuckDB but translates to another dialect, without a server."""

    other: PostgresEngine | SparkEngine
    files: DuckDBEngine = field(default_factory=DuckDBEngine)
    texts: dict[str, str] = field(default_factory=dict)  # that were translated already: all clinics have one header

    def header(self, source: Source) -> tuple[tuple[str, str], ...]:
        return self.files.header(source)

    def version(self, source: Source) -> str:
        return self.files.version(source)

    def public_values(self, source: Source, column: str) -> list[object]:
        return self.files.public_values(source, column)

    def session(self, description: Description, physical: Headers | None = None) -> AbstractContextManager[Session]:
        raise AssertionError("nothing is run in this dialect")

    def said(self, sql: str, physical: Headers) -> str:
        if sql not in self.texts:
            self.texts[sql] = self.other.said(sql, physical)
        return self.texts[sql]


_ENGINES: dict[str, Engine | None] = {
    "duckdb": None,
    "postgresql": Speaking(PostgresEngine()),
    "spark": Speaking(SparkEngine("local")),
}


def hashed(text: str | bytes) -> str:
    """The first letters of a text's SHA-256."""
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()[:24]


class Recorder:
    """Asks the recorded queries in a folder of its own. Whatever is explained or released, nothing was spent before."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder, self._stack = folder, stack
        self._unspent: dict[tuple[str, str], tacit.Dataset] = {}
        write_rows(folder)

    def record(self, clinic: str, name: str) -> dict[str, Any]:
        """The record of one query; where a dialect refuses it, the refusal."""
        file, sql, kind = write_description(self._folder, clinic), QUERIES[name], kind_of(clinic)
        made: dict[str, Any] = {"explain": {"command": _command(file, sql, kind, self._ledger(clinic))}, "sql": {}}
        for dialect in _ENGINES:
            try:
                said = _explained(self._opened(clinic, dialect), sql, kind)
                made["explain"][dialect], made["sql"][dialect], plan = said
                made |= plan
            except tacit.Refused as refusal:
                made["explain"][dialect] = str(refusal)
        if "plan" in made:
            with tacit.open(file, analyst="recorder", ledger=self._ledger(f"{clinic} {name}")) as dataset:
                made |= _released(dataset, sql, kind, f"{clinic}: {name}")
        return made

    def _opened(self, clinic: str, dialect: str) -> tacit.Dataset:
        """The clinic in a dialect, to be explained alone."""
        if (clinic, dialect) not in self._unspent:
            file, engine = write_description(self._folder, clinic), _ENGINES[dialect]
            opened = tacit.open(file, analyst="recorder", engine=engine, ledger=self._ledger(clinic))
            self._unspent[clinic, dialect] = self._stack.enter_context(opened)
        return self._unspent[clinic, dialect]

    def _ledger(self, name: str) -> Path:
        return self._folder / name / "ledger.sqlite"


def kind_of(clinic: str) -> str:
    """The kind of intervals that a clinic is asked for: bounded ones have been recorded for longer."""
    return "usual" if clinic.startswith("usual") else "bounded"


def _command(file: Path, sql: str, kind: str, ledger: Path) -> str:
    words = ["explain", str(file), sql, "--epsilon", _EPSILON, "--interval", kind, "--ledger", str(ledger)]
    done = CliRunner().invoke(app, words, catch_exceptions=False, env={"COLUMNS": "120"})
    return hashed(f"{done.exit_code} {done.stdout}{done.stderr}")


def _explained(dataset: tacit.Dataset, sql: str, kind: str) -> tuple[str, list[str], dict[str, Any]]:
    found = dataset.explain(sql, epsilon=_EPSILON, interval=kind)
    plan, statements = found.plan, Lowered(sql, found.plan, found.price).statements()
    texts = [found.said(text) for _, _, text in statements if KEPT not in text and NORMS not in text]
    names = {"plan": plan.digest, "family": plan.family, "identities": sorted(plan.identities)}
    return hashed(str(found)), [hashed(text) for text in texts], names


def _released(dataset: tacit.Dataset, sql: str, kind: str, seed: str) -> dict[str, Any]:
    answer = seeded(seed, lambda: dataset.query(sql, epsilon=_EPSILON, interval=kind))
    assert answer.certificate is not None
    stated = json.loads(answer.certificate.to_json())["statement"]
    grounds = {each: stated[each] for each in _GROUNDS}
    return {"grounds": grounds, "stored": stated["stored"][:24], "answer": hashed(answer.text(120))}


def seeded(seed: str, make: Callable[[], _Made]) -> _Made:
    """The result of a function with seeded octets in place of the operating system's, in a new thread."""
    drawn, made = count(), list[_Made]()

    def octets(size: int) -> bytes:
        return hashlib.shake_256(f"{seed} {next(drawn)}".encode()).digest(size)

    def run() -> None:
        try:
            made.append(make())
        except tacit.Refused as refusal:
            refused.append(refusal)

    refused: list[tacit.Refused] = []
    thread = Thread(target=run)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "urandom", octets)
        thread.start()
        thread.join()
    if refused:
        raise refused[0]
    return made[0]
