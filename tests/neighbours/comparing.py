"""The same questions about a data set and its neighbours: the movement of integers, and other differences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tests.neighbours.ibis_asks import ask_ibis
from tests.neighbours.population import Population, Tables, populate
from tests.neighbours.questions import Questions
from tests.neighbours.routes import Route
from tests.neighbours.witness import Block, Integers, witnessed

from tacit.curator.dataset import Dataset
from tacit.curator.query_job import release_query
from tacit.errors import Failed, Refused
from tacit.loss.families.approx import Pure
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.plan import Plan
from tacit.query.plans.price import Price, price_of

PROFILE = "the profile"
_PRICES = ("0.01", "1", "20")
_TRIES = 60


@dataclass(frozen=True)
class Outcome:
    """Everything visible of a question except its noisy numbers, and the integers behind these."""

    status: str
    shape: tuple[object, ...]
    ledger: tuple[object, ...]
    strength: Fraction
    blocks: Sequence[Block] = ()
    drawn: Sequence[Integers] = ()


@dataclass
class Found:
    """The findings of a campaign."""

    comparisons: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def __add__(self, other: Found) -> Found:
        return Found(self.comparisons + other.comparisons, self.statuses + other.statuses, [*self.wrong, *other.wrong])


def compared(seed: int, route: Route, queries: int = 8, others: int = 4, search: float = 0.35) -> Found:
    """A random data set by a route, and neighbours of it: by removal, by replacement, and by many removals at once."""
    random, found, asking = Random(seed), Found(), Asking(seed)
    population = populate(random, reads_texts=route.source != "postgresql")
    heavy, *rest = population.people
    people = [heavy, *random.sample(rest, min(others - 1, len(rest)))]
    worlds: list[tuple[int, Tables]] = [(0, population.tables), *((1, population.without(each)) for each in people)]
    worlds += [(2, population.replaced(each, random)) for each in people[:1]]
    half = random.sample(population.people, len(population.people) // 2)
    # data sets that are so many people apart may move so many times as far
    worlds += [(len(half), population.without(*half))]
    with TemporaryDirectory(prefix="tacit-neighbours-") as place:
        asked: list[tuple[str, str]] = []
        base: dict[str, Outcome] = {}
        for number, (times, tables) in enumerate(worlds):
            with route.opened(population, tables, seed, Path(place) / f"w{number}") as dataset:
                if not asked:
                    asked = [(PROFILE, "1")] if "profiled" in route.made else []
                    by_ibis = route.made == "asked in ibis"
                    drawn = _questions(dataset, population, random, queries, search, by_ibis)
                    asked += dict(drawn).items()  # each once: a repeat is free, and adds up nothing
                for sql, epsilon in asked:
                    first = base.get(sql)
                    if sql != PROFILE and "prepared" in route.made and not population.by_row:
                        dataset._opened.preparation.make(lambda *_: None)
                    said = asking.outcome(dataset, sql, epsilon, first, anew=times == 2)
                    told = f"seed {seed}, {route.source}, {route.made}, {times} apart, ε = {epsilon}: {sql}"
                    if first is None:
                        base[sql] = said
                        found.statuses[said.status.split(":")[0]] += 1
                        found.wrong += [f"it fails, {told}"] if said.status.startswith("failed") else []
                        continue
                    found.comparisons += max(1, len(said.blocks))
                    found.wrong += [f"{words}\n  {told}" for words in differences(first, said, times)]
    return found


def _questions(
    dataset: Dataset, population: Population, random: Random, queries: int, search: float, by_ibis: bool
) -> Iterator[tuple[str, str]]:
    """Questions that are accepted, most of them, and now and then one that is not."""
    may_choose = not isinstance(dataset._opened.description.budget, Pure)
    asking = Questions(population.block, random, population.by_row, may_choose, search)
    for _ in range(queries):
        for _ in range(_TRIES):
            sql = ask_ibis(dataset, random) if by_ibis else asking.ask()
            try:
                dataset._planner.question(sql)
            except Refused:
                if random.random() < 0.98:
                    continue
            break
        yield sql, random.choice(_PRICES)


@dataclass
class Asking:
    """Asks the same questions of one data set after the other; planned once, for a plan knows no row."""

    seed: int
    plans: dict[str, tuple[Plan, Price]] = field(default_factory=dict)

    def outcome(self, dataset: Dataset, sql: str, epsilon: str, first: Outcome | None, anew: bool) -> Outcome:
        """What happens when the question is asked; of the first data set and where it is `anew`, by the front door."""
        status, shape, strength = "answered", (), Fraction(0)
        with witnessed(self.seed, () if first is None else first.drawn) as witness:
            try:
                if sql == PROFILE:
                    strength = _profile_price(dataset, epsilon).strength
                    dataset.profile(epsilon=epsilon)
                elif first is None or anew or sql not in self.plans:
                    self.plans[sql] = plan, price = dataset._planned(
                        dataset._planner, sql, IntervalKind.USUAL, epsilon, None, None, None, Fraction(19, 20)
                    )
                    strength = price.strength
                    table = dataset.query(sql, epsilon=epsilon).table
                    shape = (str(table.schema), None if plan.is_selecting else table.num_rows)
                else:
                    plan, price = self.plans[sql]
                    release_query(dataset._planner, plan, price, "steward", sql, fresh=False)
                    shape, strength = first.shape, price.strength
            except Refused as refused:
                status = f"refused: {refused}"
            except Failed as failed:
                status = f"failed: {failed}"
        entries = dataset.budget().entries
        ledger = tuple((str(each.loss), each.share, each.analyst, each.words, each.stored) for each in entries)
        return Outcome(status, shape, ledger, strength, witness.blocks, witness.drawn)


def _profile_price(dataset: Dataset, epsilon: str) -> Price:
    description = dataset._opened.description
    return price_of(description.budget, description.promise, epsilon, None, False)


def differences(one: Outcome, other: Outcome, times: int) -> Iterator[str]:
    """The differences of two neighbours beyond the price."""
    if one.status != other.status:
        yield f"{one.status[:200]} | {other.status[:200]}"
        return
    if one.shape != other.shape:
        yield f"shape {one.shape} | {other.shape}"
    if one.ledger != other.ledger:
        yield f"ledger {one.ledger[-1:]} | {other.ledger[-1:]}"
    if [block.name for block in one.blocks] != [block.name for block in other.blocks]:
        yield "other blocks"
        return
    cost = Fraction(0)
    for first, second in zip(one.blocks, other.blocks, strict=True):
        if first.noise != second.noise:
            yield f"{first.name}: other noise"
            continue
        moved, price = first.moved(second)
        cost += price
        if moved > first.reach(times):
            far = float(moved) ** 0.5 if first.reach(2) == 4 else float(moved)
            yield f"{first.name} moved {far:.6g} radii"
    if cost > one.strength * _group(one, times) and one.strength:
        yield f"all blocks together cost {float(cost / one.strength):.6g} of the price"


def _group(outcome: Outcome, times: int) -> int:
    """The cost of so many people relative to one: under replace the price is already for two."""
    return max((block.reach(times) for block in outcome.blocks), default=1)
