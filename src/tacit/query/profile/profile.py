"""A released profile, and the limits that are chosen from it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.query.aggregates.even_grid import Edges
from tacit.query.aggregates.parts import Distinct, Part, Ranks
from tacit.query.limits.choice import choose_limit
from tacit.query.lowering.finding import BINS, NORM_STEPS
from tacit.query.plans.choosing import as_norm, objective, root_up, unseen
from tacit.query.plans.limit import Limit, Origin
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price
from tacit.query.profile.regridding import on_even_grids


@frozen(eq=False)
class Profile:
    """Noisy numbers of people by bin, for each table and subject; `deviation` is that of the noise, in people."""

    people: Mapping[tuple[str, str], NDArray[np.float64]]
    deviation: float
    centres: Mapping[tuple[str, str], int]  # where the values of a table's column seem to lie, in its steps
    edges: Edges = field(default_factory=dict)  # between which as many rows of a table's column seem to lie

    def to_bytes(self) -> bytes:
        rows = [[table, name, counts.tolist()] for (table, name), counts in self.people.items()]
        centres = [[table, name, centre] for (table, name), centre in self.centres.items()]
        edges = [[table, name, list(cut)] for (table, name), cut in self.edges.items()]
        tree = {"version": 1, "deviation": self.deviation, "people": rows, "centres": centres, "edges": edges}
        return json.dumps(tree).encode()

    @classmethod
    def from_bytes(cls, payload: bytes) -> Profile:
        tree = json.loads(payload)
        people = {(table, name): np.array(counts, np.float64) for table, name, counts in tree["people"]}
        centres = {(table, name): int(centre) for table, name, centre in tree["centres"]}
        edges = {(table, name): tuple(map(int, cut)) for table, name, cut in tree.get("edges", [])}
        return cls(people, tree["deviation"], centres, edges)

    def completed(self, plan: Plan, price: Price) -> Plan:
        """The plan with even grids, and with a limit for every part that the profile covers: all rows of one table."""
        plan = plan if price.is_pure else on_even_grids(plan, self.edges)
        table = plan.question.rows.bare
        if table is None:
            return plan
        limits = dict(plan.limits)
        for part in plan.unknown:
            norm = self._norm(plan, price, table, part)
            if norm is not None:
                limits[part] = Limit(norm, Origin.PROFILE)
        return replace(plan, limits=limits)

    def _norm(self, plan: Plan, price: Price, table: str, part: Part) -> Fraction | None:
        """The limit of one part, by the subject that speaks of it."""
        keys = [key.column for key in plan.question.keys]
        key = keys[0] if len(keys) == 1 else None
        if isinstance(part, Distinct):
            return None
        if isinstance(part, Ranks):
            return self._norm_of_ranks(plan, price, table, part)
        if part.once:
            return self._chosen(plan, price, part, (table, f"keys {key}"))
        rows = self._chosen(plan, price, part, (table, "rows"))
        spread = self._chosen(plan, price, part, (table, f"norm {key}")) if key else rows
        if part.subject == "rows":
            return spread or rows
        total = self._chosen(plan, price, part, (table, str(part.subject)), spread or rows)
        if total is None or spread is None or rows is None or not spread < rows:
            return total
        return max(Fraction(1), total * spread / rows)  # over the groups a total spreads as rows do

    def _norm_of_ranks(self, plan: Plan, price: Price, table: str, part: Ranks) -> Fraction | None:
        """By the column's own even grid, which is a little wide over groups; else by rows."""
        subject = f"ranks {part.column}" if part.edges else "rows"
        counts = self.people.get((table, subject))
        if counts is None:
            return None
        aim, least = objective(plan, price, part), unseen(plan, price, part, None)
        amount = choose_limit(BINS, counts, self.deviation, aim, laplace=price.is_pure, unseen=least)
        return as_norm(plan, part, amount, is_gaussian=not price.is_pure)

    def _chosen(
        self, plan: Plan, price: Price, part: Part, subject: tuple[str, str], rows: Fraction | None = None
    ) -> Fraction | None:
        counts = self.people.get(subject)
        if counts is None:
            return None
        aim, least = objective(plan, price, part), unseen(plan, price, part, rows)
        amount = choose_limit(BINS, counts, self.deviation, aim, laplace=price.is_pure, unseen=least)
        kind = subject[1].partition(" ")[0]
        if price.is_pure or kind not in ("keys", "norm"):
            return Fraction(amount)
        return root_up(amount) if kind == "keys" else max(Fraction(1), Fraction(amount, NORM_STEPS))
