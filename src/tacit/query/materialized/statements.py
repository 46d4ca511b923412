"""The SQL of a plan's blocks: on the materialized tables where these suffice, else on the rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Final, TypeVar

from tacit.frozen import frozen
from tacit.query.aggregates.aggregate import Ranks
from tacit.query.bounding.histogram_sql import FindingBlock
from tacit.query.lowering.distinct import DistinctBlock
from tacit.query.lowering.ranks import RanksBlock
from tacit.query.lowering.tally import TallyBlock, people_sql
from tacit.query.materialized.form import TableForm
from tacit.query.materialized.kept_sums import KeptTotals, kept_ranks_sql, kept_tally_sql, kept_totals
from tacit.query.plans.plan import Plan
from tacit.query.sql.rows import Rows, Select

TOTALS: Final = "__kept_totals"
NORMS: Final = "__kept_norms"
"""The names of people's totals and norms while limits are found."""

_Block = TypeVar("_Block", FindingBlock, TallyBlock, RanksBlock, DistinctBlock)


@frozen
class Statements:
    """The statements for the engine. `forms` are the prepared tables; the sums are the same with and without them.

    `instead` maps joins that need no cut to their form without it.
    """

    forms: Mapping[str, TableForm] = field(default_factory=dict)
    instead: tuple[tuple[Select, Select], ...] = ()

    def totals(self, plan: Plan) -> KeptTotals | None:
        """The kept totals that the plan's measures need, if there are any."""
        question = plan.question
        return kept_totals(self._form(question.rows), question.rows, question.keys, plan.measures)

    def people(self, plan: Plan) -> str:
        """The people's totals, added up from their rows."""
        return people_sql(self.on_kept(plan.question.rows), plan.question.keys, plan.measures)

    def finding(self, plan: Plan, block: FindingBlock) -> list[str]:
        """The statements that find limits: people's totals and norms, which the session keeps, and their bins."""
        ready = self.totals(plan)
        people = [self.people(plan)] if plan.measures and ready is None else []
        norms = self.norms(block)
        names = {ranks: f'"{NORMS}{place}"' for place, ranks in enumerate(norms)}
        return [*people, *norms.values(), self.bins(plan, block, names)]

    def norms(self, block: FindingBlock) -> Mapping[Ranks, str]:
        """People's norms, where limits cut them."""
        return self._reading_kept(block).norms

    def bins(self, plan: Plan, block: FindingBlock, norms: Mapping[Ranks, str]) -> str:
        """The number of people in each bin, from their totals and norms."""
        ready = self.totals(plan)
        totals = f'"{TOTALS}"' if ready is None else f"({ready.sql()})"
        return self._reading_kept(block).sql(plan.measures, totals, norms)

    def tally(self, block: TallyBlock, table: str | None = None) -> str:
        """The tally; `table` has the people's totals if they were computed before."""
        kept = kept_totals(self._form(block.rows), block.rows, block.keys, block.measures) if table is None else None
        return self._reading_kept(block).sql(table) if kept is None else kept_tally_sql(block, kept)

    def ranks(self, block: RanksBlock, norms: str | None = None) -> str:
        """The counts by cell; `norms` holds people's norms if they were found before."""
        kept = kept_ranks_sql(block, self._form(block.rows)) if norms is None else None
        return self._reading_kept(block).sql(norms) if kept is None else kept

    def distinct(self, block: DistinctBlock) -> str:
        """The count of different values."""
        return self._reading_kept(block).sql()

    def on_kept(self, rows: Rows) -> Rows:
        """The same rows, from the kept rows in the order of people."""
        return replace(rows, select=self.read(rows.select)) if self.forms or self.instead else rows

    def read(self, select: Select) -> Select:
        """The same SELECT, on kept tables."""
        for join, whole in self.instead:
            select = select.reading({join: whole})
        return select.reading({form.reading: form.kept_rows for form in self.forms.values()})

    def _reading_kept(self, block: _Block) -> _Block:
        return replace(block, rows=self.on_kept(block.rows))

    def _form(self, rows: Rows) -> TableForm | None:
        return None if rows.bare is None else self.forms.get(rows.bare)


STATEMENTS: Final = Statements()
"""Those of a data set that was not prepared."""
