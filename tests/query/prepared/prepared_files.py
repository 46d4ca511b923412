"""A data set in files, prepared into a real kept file, and queried with and without it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import duckdb
from tests.query.prepared.kept_worlds import Recorder, recorded

from tacit.loss.families.approx import Pure
from tacit.query.aggregates.aggregate import Part
from tacit.query.bounding.limit_choice import make_plan
from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.engines.duckdb.materialized_file import MaterializedFile
from tacit.query.materialized.form import forms_of
from tacit.query.materialized.statements import STATEMENTS, Statements
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price, price_of
from tacit.query.plans.question import read_question
from tacit.schema.catalogue import Catalogue
from tacit.schema.reader import read_description

Centres = Mapping[tuple[str, str], int]


@dataclass(frozen=True)
class Filed:
    """The files of a data set, and the kept file made from them."""

    catalogue: Catalogue
    engine: DuckDBEngine
    kept: MaterializedFile
    statements: Statements

    @classmethod
    def of(cls, description: Path) -> Filed:
        """Prepare what a description names."""
        engine = DuckDBEngine(threads=2)
        read = read_description(description, engine.public_values)
        catalogue = Catalogue(read, {table.name: dict(engine.header(table.source)) for table in read.sources})
        forms = forms_of(catalogue)
        kept = MaterializedFile.beside(description.parent / "kept.duckdb", engine)
        kept.make(catalogue, forms, lambda *_: None)
        return cls(catalogue, engine, kept, Statements(forms))

    def planned(
        self, sql: str, epsilon: str = "1", centres: Centres | None = None, norm: Fraction | None = None
    ) -> tuple[Plan, Price]:
        """The plan of a query; where `norm` is given it is the limit of every part."""
        description = self.catalogue.description
        question = read_question(sql, self.catalogue, centres)
        price = price_of(description.budget, description.promise, epsilon, None, question.has_private_keys)
        plan = make_plan(question, self.catalogue, is_gaussian=not isinstance(description.budget, Pure))
        if norm is None:
            return plan, price
        found: dict[Part, Fraction] = dict.fromkeys(plan.question.parts, norm)
        return plan.with_limits(found), price

    @contextmanager
    def sessions(self) -> Iterator[tuple[duckdb.DuckDBPyConnection, duckdb.DuckDBPyConnection]]:
        """A connection to the sources, and one to sources and kept file."""
        description, physical = self.catalogue.description, self.catalogue.physical
        with (
            self.engine.session(description, physical) as cold,
            self.kept.session(description, physical) as warm,
        ):
            yield cold.connection, warm.connection

    def compare(self, plan: Plan, price: Price) -> Recorder:
        """Assert that nothing differs; what was sent and given on the kept side."""
        with self.sessions() as (cold, warm):
            one, sources = recorded(plan, price, cold, STATEMENTS)
            two, kept = recorded(plan, price, warm, self.statements)
        assert sources.tables == kept.tables, (sources.sent, kept.sent)
        assert one == two
        return kept


def write_files(folder: Path, description: str, tables: Mapping[str, str]) -> Path:
    """Parquet files of these SELECTs, and the description beside them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, select in tables.items():
        duckdb.sql(select).write_parquet(str(folder / f"{name}.parquet"))
    (folder / "data.toml").write_text(description, encoding="utf-8")
    return folder / "data.toml"


def with_budget(filed: Filed, budget: Pure) -> Filed:
    """The same data and the same kept file under another budget, which no form depends on."""
    description = replace(filed.catalogue.description, budget=budget, promise=budget)
    return replace(filed, catalogue=replace(filed.catalogue, description=description))
