"""A data set with one special person, whom a broken form would take for light; all others are plain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from tests.laws.databases import Worlds
from tests.query.prepared.kept_probes import KeptProbe, kept_probes
from tests.query.prepared.kept_worlds import KeptWorlds, kept_worlds

from tacit.loss.calibration import budget_from
from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Relation
from tacit.query.aggregates.aggregate import Measure
from tacit.query.bounding.limit_choice import make_plan
from tacit.query.engines.duckdb.engine import DuckDBSession
from tacit.query.plans.price import price_of
from tacit.query.plans.question import read_question
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Column, Description, OwnColumn, Source, Table, Unit
from tacit.schema.kind import Kind

Row = tuple[int, int]  # the number of the key, and a value
FAR = 2**49
_KEYS = tuple(f"k{place}" for place in range(10))
_COLUMNS = (
    Column("area", Kind.TEXT, keys=_KEYS),
    Column("ward", Kind.TEXT),
    Column("x", Kind.INTEGER, Fraction(-1000), Fraction(1000)),
    Column("far", Kind.INTEGER, Fraction(FAR - 2**30), Fraction(FAR + 2**30), nullable=False),
)


@dataclass(frozen=True)
class Case:
    """A question, how much of a person counts in it, and where means are counted from."""

    sql: str
    is_pure: bool
    norm: int
    rows: int | None = None  # the limit of counts, where it is another
    centres: Mapping[tuple[str, str], int] | None = None


@contextmanager
def hard_worlds(session: DuckDBSession, rows: Sequence[Row], is_pure: bool) -> Iterator[KeptWorlds]:
    """One person with these rows among five plain ones; the neighbour is without that person."""
    connection = session.connection
    budget = Pure(4) if is_pure else budget_from(4, Fraction(1, 10**5))
    columns = {column.name: column for column in _COLUMNS}
    table = Table("t", Source("parquet", Path("nowhere.parquet")), columns, OwnColumn("pid"))
    unit = Unit(Relation.ADD_REMOVE, "one person", "pid")
    description = Description("hard", Path("hard.toml"), unit, budget, budget, {"t": table})
    listed = ", ".join(f"(0, 'k{key}', 'k{key}', {value}, {FAR + value})" for key, value in rows)
    connection.execute("CREATE SCHEMA h0; CREATE SCHEMA h1")
    try:
        connection.execute("CREATE TABLE h0.t (pid BIGINT, area VARCHAR, ward VARCHAR, x BIGINT, far BIGINT)")
        plain = f"SELECT 1 + i % 5, 'k' || i % 3, 'k' || i % 3, 1, {FAR} FROM range(10) AS r(i)"
        connection.execute(f"INSERT INTO h0.t VALUES {listed}; INSERT INTO h0.t {plain}")
        connection.execute("CREATE TABLE h1.t AS SELECT * FROM h0.t WHERE pid <> 0")
        world = Worlds(session, description, Catalogue(description, {}), "h0", ("h1",), ())
        with kept_worlds(world, ["h0", "h1"]) as kept:
            yield kept
    finally:
        connection.execute("DROP SCHEMA h0 CASCADE; DROP SCHEMA h1 CASCADE")


def probes_of(kept: KeptWorlds, case: Case) -> list[KeptProbe]:
    """The statements of a case, on the kept form."""
    catalogue, description = kept.worlds.catalogue, kept.worlds.description
    question = read_question(case.sql, catalogue, case.centres)
    price = price_of(description.budget, description.promise, "1", None, question.has_private_keys)
    plan = make_plan(question, catalogue, is_gaussian=not case.is_pure)
    norms = {
        part: Fraction(case.rows if case.rows and isinstance(part, Measure) and part.subject == "rows" else case.norm)
        for part in plan.question.parts
    }
    full = plan.with_limits(norms)
    return list(kept_probes(full, full, price, kept.statements))


def moves_too_far(kept: KeptWorlds, case: Case) -> bool:
    """Whether that one person moves the integers by more than the noise was made for."""
    for probe in probes_of(kept, case):
        base, other = (probe.read(kept.answer(world, probe.sql)[1]) for world in ("h0", "h1"))
        if not all(one.is_within(two, 1) for one, two in zip(base, other, strict=True)):
            return True
    return False
