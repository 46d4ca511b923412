"""A released profile: noisy histograms of how much people have, the limits chosen from it, and its summary in words.

Even grids are made from it too: stretches with about equally many rows each, by the profile's estimate.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import field, replace
from fractions import Fraction
from math import floor

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.mechanisms.statistics.rank_tree import FAN
from tacit.query.aggregates.aggregate import Aggregate, Part, Ranks, noise_deviation
from tacit.query.aggregates.quantile import Quantile
from tacit.query.aggregates.rank_grid import STRETCHES, Edges, fits
from tacit.query.bounding.amount_histogram import Bins, seen
from tacit.query.bounding.amounts import NORM_STEPS, amount_of
from tacit.query.bounding.histogram_sql import BINS
from tacit.query.bounding.limit_choice import checked, choose, chosen_amount
from tacit.query.bounding.profile_evidence import ProfileEvidence
from tacit.query.plans.limit import IntervalKind, Limit, Origin
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price, noise_share
from tacit.query.sql.fixed_point import Steps


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
        if plan.interval is IntervalKind.USUAL:
            return self._beside(plan, price)
        table = plan.question.rows.bare
        if table is None:
            return plan
        limits = dict(plan.limits)
        for part in plan.unknown:
            norm = self._norm(plan, price, table, part)
            if norm is not None:
                limits[part] = Limit(norm, Origin.PROFILE)
        return replace(plan, limits=limits)

    def _beside(self, plan: Plan, price: Price) -> Plan:
        """The plan with what the profile says of people's amounts; a smaller share finds limits if that is enough."""
        told = ProfileEvidence(self.people, self.deviation, self.centres, plan, not price.is_pure)
        evidence = told.evidence()
        caps = {part: counts for part, counts in told.caps().items() if part not in evidence}
        with_it = replace(plan, evidence=evidence, caps=caps, is_beside_profile=True)
        alone, beside = (_finding_deviation(each, price) for each in (plan, with_it))
        is_enough = len(evidence) == len(plan.binned) and all(
            (beside**-2 + counts.deviation**-2) ** -0.5 <= _ENOUGH * alone for counts in evidence.values()
        )
        return replace(with_it, is_beside_profile=is_enough)

    def _norm(self, plan: Plan, price: Price, table: str, part: Part) -> Fraction | None:
        """The limit of one part, by the subject that speaks of it."""
        keys = [key.column for key in plan.question.keys]
        key = keys[0] if len(keys) == 1 else None
        profiled = amount_of(part, plan.question.keys, not price.is_pure).profiled(key)
        if profiled is not None:
            counts = self.people.get((table, profiled))
            return None if counts is None else choose(plan, price, part, counts, self.deviation, None)
        rows = self._chosen(plan, price, part, (table, "rows"))
        spread = self._chosen(plan, price, part, (table, f"norm {key}")) if key else rows
        if part.subject == "rows":
            return spread or rows
        total = self._chosen(plan, price, part, (table, str(part.subject)), spread or rows)
        if total is None or spread is None or rows is None or not spread < rows:
            return total
        return max(Fraction(1), total * spread / rows)  # over the groups a total spreads as rows do

    def _chosen(
        self, plan: Plan, price: Price, part: Part, subject: tuple[str, str], rows: Fraction | None = None
    ) -> Fraction | None:
        counts = self.people.get(subject)
        if counts is None:
            return None
        amount = chosen_amount(plan, price, part, counts, self.deviation, rows)
        kind = subject[1].partition(" ")[0]
        is_norm = kind == "norm" and not price.is_pure
        return max(Fraction(1), Fraction(amount, NORM_STEPS)) if is_norm else Fraction(amount)


_ENOUGH = 1.25  # times the noise on people that a query alone would have: more would cost more than it saves


def _finding_deviation(plan: Plan, price: Price) -> float:
    """The deviation of the noise on a number of people that a query itself counts."""
    noise = noise_share(price, plan.share("finding"), plan.relation)
    return noise_deviation(noise.law) / noise.split(len(plan.binned))


_EVERYWHERE = 1 / 16  # of the rows are taken to lie anywhere, so that no cell is more than 16 times too wide


def even_edges(steps: Steps, people: NDArray[np.float64], deviation: float) -> tuple[int, ...]:
    """The edges of a column, from noisy numbers of people by how far above the lower bound a value of theirs lies.

    Bin i of `people` holds distances from its least amount less one. None are given where the values are so few that
    each has a cell of its own on two levels, or where too few people stand out of the noise.
    """
    span = steps.high - steps.low + 1
    found = seen(people[1:], deviation)
    if not span > FAN**2 or found is None:
        return ()
    first, last = found.first + 1, found.last + 1
    begins = np.minimum(BINS.edges()[first : last + 2] - 1, span).astype(np.float64)
    if len(begins) < last + 2 - first:
        begins = np.append(begins, float(span))
    below = np.concatenate([[0.0], np.cumsum(np.maximum(people[first : last + 1], 0.0))])
    places = np.unique(np.concatenate([[0.0], begins, [float(span)]]))
    parts = np.interp(places, begins, below / max(below[-1], 1.0))
    parts = (1 - _EVERYWHERE) * parts + _EVERYWHERE * places / span
    cuts = np.interp(np.arange(1, STRETCHES) / STRETCHES, parts, places)
    edges = [0]
    for place, cut in enumerate(cuts.tolist(), start=1):
        edges.append(min(max(floor(cut + 0.5), edges[-1] + 1), span - (STRETCHES - place)))
    return tuple(steps.low + edge for edge in (*edges, span))


def on_even_grids(plan: Plan, edges: Edges) -> Plan:
    """The plan with ranks whose limit is still to be chosen on even grids, where the profile knows them."""
    if len(plan.question.rows.tables) != 1:
        return plan
    table = min(plan.question.rows.tables)
    ranks = [part for part in plan.ranks if plan.limits[part].norm is None]
    moved: dict[Part, Ranks] = {part: _moved(part, edges.get((table, part.column or ""), ())) for part in ranks}
    aggregates: Mapping[str, Aggregate] = {
        name: replace(each, ranks=moved.get(each.ranks, each.ranks)) if isinstance(each, Quantile) else each
        for name, each in plan.question.aggregates.items()
    }
    limits: dict[Part, Limit] = {moved.get(part, part): limit for part, limit in plan.limits.items()}
    at_most: dict[Part, Fraction] = {moved.get(part, part): norm for part, norm in plan.at_most.items()}
    return replace(plan, question=replace(plan.question, aggregates=aggregates), limits=limits, at_most=at_most)


def _moved(part: Ranks, edges: tuple[int, ...]) -> Ranks:
    return replace(part, edges=edges) if fits(edges, part.low, part.high) else part


_ONE_IN = (10, 100, 1_000, 10_000, 100_000)
_SURE = 3.0


def profile_words(
    bins: Bins, noisy_counts: NDArray[np.float64], noise_sd: float, what: str = "rows", *, laplace: bool = False
) -> str:
    """One sentence such as "Half of the people have at most about 5 rows, 1 in 100 more than about 120."

    A share is said only if it is at least three standard deviations of the noise in all bins that people were
    seen in; an amount is the roundest number in its bin, so it is good to about a quarter, or to a neighbouring bin.
    """
    counts = checked(bins, noisy_counts, noise_sd)
    span = seen(counts, noise_sd, laplace)
    nobody = f"Too few people to say how many {what} they have: nothing stands out of the noise."
    if span is None:
        return nobody
    people = counts[span.first : span.last + 1]
    everybody, unsure = float(people.sum()), _SURE * noise_sd * math.sqrt(len(people))
    if not everybody / 2 > unsure:
        return nobody

    def amount(share: float) -> str:
        place = span.first + int(np.argmax(np.cumsum(people) >= share * everybody))
        return _roundest(int(bins.edges()[place]), int(bins.tops()[place]))

    parts = [f"Half of the people have at most {amount(0.5)} {what}"]
    said = {amount(0.5)}
    for rare in _ONE_IN:
        if everybody / rare > unsure and amount(1 - 1 / rare) not in said:
            said.add(amount(1 - 1 / rare))
            parts.append(f"1 in {rare:,} more than {amount(1 - 1 / rare)}")
    return ", ".join(parts) + "."


def _roundest(low: int, high: int) -> str:
    """The number from low to high with the most zeros at its end, the one nearest the middle among those."""
    step = 10 ** len(str(high))
    while (high // step) * step < max(low, 1) and step > 1:
        step //= 10
    middle = (low + high) // 2
    nearest = min(max((middle + step // 2) // step, -(-low // step)), high // step) * step
    return f"about {nearest:,}"
