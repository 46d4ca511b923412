"""Many counting questions at one price: which mechanism has the least error, and on which data.

Ten thousand counts, each of one cell of a random table by three attributes of Adult (11 attributes, 241,920 cells), at
ε = 1 and δ = 1e-9; then the same where data are few or privacy is strict, where attributes are many, and where
questions are not tables. All noise is integer and priced as ρ, the same for all; figures are mean |error| in people.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import prod
from time import process_time

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from bench.adult import coarse
from bench.claims import Claim, report
from tacit.loss.calibration import budget_from
from tacit.loss.families.loss import Relation
from tacit.loss.families.zcdp import Zcdp
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.weights.hypothesis import Attributes, Hypothesis, cells_asked, margins
from tacit.mechanisms.weights.mwem import Mwem
from tacit.mechanisms.weights.online_weights import OnlineWeights
from tacit.noise.bits import Seeded
from tacit.noise.slabs import slabs
from tacit.workload.helmert import contrasts
from tacit.workload.noisy_contrasts import NoisyContrasts
from tacit.workload.residual_basis import Weighting, best_strategy

ADD, DELTA = Relation.ADD_REMOVE, "1e-9"
QUESTIONS, SUBSETS = 10_000, 1_000
UPDATES = (30, 100, 300)
ROUNDS = (5, 10, 20, 40)

Histogram = NDArray[np.int64]
Errors = NDArray[np.float64]


@dataclass(frozen=True)
class Setting:
    """Data, and random cells of tables by three attributes: which table, and which cell of it."""

    name: str
    histogram: Histogram
    epsilon: str
    tables: tuple[Attributes, ...]
    asked: NDArray[np.int64]
    cells: NDArray[np.int64]

    @classmethod
    def of(cls, name: str, histogram: Histogram, epsilon: str, rng: np.random.Generator) -> Setting:
        tables = tuple(combinations(range(histogram.ndim), 3))
        asked = rng.integers(0, len(tables), QUESTIONS)
        sizes = np.array([prod(histogram.shape[place] for place in table) for table in tables])
        return cls(name, histogram, epsilon, tables, asked, rng.integers(0, sizes[asked]))

    @property
    def rho(self) -> Fraction:
        return budget_from(self.epsilon, DELTA, 0).rho

    def picked(self, tables: Sequence[NDArray[np.float64]] | Sequence[Histogram]) -> Errors:
        flat = [np.ravel(table) for table in tables]
        return np.array([flat[each][cell] for each, cell in zip(self.asked, self.cells, strict=True)], np.float64)

    @property
    def truth(self) -> Errors:
        return self.picked(margins(self.histogram, self.tables))

    def off(self, tables: Sequence[NDArray[np.float64]]) -> float:
        return float(np.abs(self.picked(tables) - self.truth).mean())


def gaussian_each(setting: Setting, bits: Seeded) -> float:
    mechanism = Gaussian.for_loss(Zcdp(setting.rho / QUESTIONS), 1, ADD)
    return float(np.abs(mechanism.law.draw(QUESTIONS, bits)).mean())


def even_guess(setting: Setting, _: Seeded) -> float:
    """Only the number of people, given for free."""
    even = Hypothesis.uniform(setting.histogram.shape, int(setting.histogram.sum()))
    return setting.off(even.tables(setting.tables))


def released_together(setting: Setting, bits: Seeded) -> NoisyContrasts:
    """All tables by three attributes at once: the residual basis, integer contrasts, integer noise."""
    strategy = best_strategy(setting.tables, setting.histogram.shape, Weighting.TABLES)
    law = Gaussian.for_loss(Zcdp(setting.rho), 1, ADD).law
    variance = Fraction(law.variance) * strategy.squared_norm
    noise = slabs(type(law)(variance))
    residuals, values = list(strategy.scales), {}
    for residual, margin in zip(residuals, margins(setting.histogram, residuals), strict=True):
        exact = contrasts(margin) * strategy.multipliers(residual)
        values[residual] = exact + noise.draw(exact.size, bits).reshape(exact.shape)
    return NoisyContrasts(strategy, values, variance, Fraction(1), Fraction(1), "guaranteed")


def tables_together(setting: Setting, bits: Seeded) -> float:
    released = released_together(setting, bits)
    return setting.off([released.table(table) for table in setting.tables])


def tables_fitted(setting: Setting, bits: Seeded) -> float:
    """The same release, with one non-negative histogram fitted to it: free, but biased."""
    return setting.off(fitted_to(setting, released_together(setting, bits)).tables(setting.tables))


def fitted_to(setting: Setting, released: NoisyContrasts) -> Hypothesis:
    """A histogram fitted to all tables, five times over."""
    noisy = [(table, np.maximum(released.table(table), 0)) for table in setting.tables]
    spread = float(np.mean([np.sqrt(released.variances(table)).mean() for table in setting.tables[:20]]))
    return Hypothesis.uniform(setting.histogram.shape, int(released.table(()).item())).fitted(noisy * 5, spread)


def best_mwem(setting: Setting, bits: Seeded) -> tuple[float, int]:
    """The best of several numbers of rounds, which the data chose here: a little flattering."""
    found = []
    for rounds in ROUNDS:
        mechanism = Mwem.for_loss(Zcdp(setting.rho), setting.histogram.shape, setting.tables, ADD, rounds)
        answer = mechanism.rehearse(setting.histogram, bits)
        found.append((setting.off(margins(answer.value, setting.tables)), rounds))
    return min(found)


def best_online(setting: Setting, bits: Seeded) -> tuple[float, int]:
    """The best of several numbers of updates, likewise; questions in the order of the list."""
    found = []
    shape = setting.histogram.shape
    for updates in UPDATES:
        mechanism = OnlineWeights.for_loss(Zcdp(setting.rho), shape, ADD, updates)
        questions = [cell_of(setting, each) for each in range(QUESTIONS)]
        replies = mechanism.rehearse((setting.histogram, questions), bits).value
        found.append((float(np.abs(np.array([each.number for each in replies]) - setting.truth).mean()), updates))
    return min(found)


def cell_of(setting: Setting, place: int) -> dict[int, int]:
    """A question as an analyst writes it: a value for each of three attributes."""
    table = setting.tables[setting.asked[place]]
    values = np.unravel_index(setting.cells[place], [setting.histogram.shape[each] for each in table])
    return {attribute: int(value) for attribute, value in zip(table, values, strict=True)}


Method = Callable[[Setting, Seeded], float | tuple[float, int]]
METHODS: dict[str, Method] = {
    "Gaussian each": gaussian_each,
    "even guess": even_guess,
    "online weights": best_online,
    "MWEM": best_mwem,
    "tables": tables_together,
    "tables, fitted": tables_fitted,
}


def settings(rng: np.random.Generator) -> list[Setting]:
    """Adult whole; few people, at two prices; many attributes with two values each, most cells empty."""
    data = coarse()
    whole = data.table(range(len(data.sizes)))
    rows = data.rows[rng.permutation(data.people)[:2_000]]
    few = type(data)(data.names, data.sizes, rows).table(range(len(data.sizes)))
    kinds, people = rng.random((4, 18)) ** 3, rng.integers(0, 4, 5_000)
    traits = (rng.random((5_000, 18)) < kinds[people]).astype(np.int64)
    sparse = type(data)(tuple(map(str, range(18))), (2,) * 18, traits).table(range(18))
    return [
        Setting.of("Adult, 48,842 people, 241,920 cells", whole, "1", rng),
        Setting.of("2,000 of them", few, "1", rng),
        Setting.of("2,000 of them", few, "0.1", rng),
        Setting.of("5,000 made-up people, 18 traits, 262,144 cells", sparse, "1", rng),
        Setting.of("5,000 made-up people, 18 traits, 262,144 cells", sparse, "0.1", rng),
    ]


def subsets(setting: Setting, rng: np.random.Generator) -> dict[str, float]:
    """Questions that are not tables: some of the values of each of six attributes, like follow-up questions.

    A histogram adds up the noise of its cells; fitted ones answer any question, as accurately as tables by three
    permit.
    """
    histogram, bits, shape = setting.histogram, Seeded(1), setting.histogram.shape
    questions = []
    for _ in range(SUBSETS):
        attributes = rng.choice(len(shape), 6, replace=False)
        some = [np.flatnonzero(rng.random(shape[each]) < 0.6) for each in attributes]
        listed = {int(each): values.tolist() or [0] for each, values in zip(attributes, some, strict=True)}
        questions.append(cells_asked(listed, shape))
    truth = np.array([histogram[asked].sum() for asked in questions])
    noise = Gaussian.for_loss(Zcdp(setting.rho), 1, ADD).law.draw(histogram.size, bits).reshape(shape)
    mwem = Mwem.for_loss(Zcdp(setting.rho), shape, setting.tables, ADD, ROUNDS[-1]).rehearse(histogram, bits).value
    fitted = fitted_to(setting, released_together(setting, bits))
    histograms = {
        "even guess": np.full(shape, histogram.sum() / histogram.size),
        "a noisy histogram": histogram + noise,
        "MWEM": mwem,
        "tables, fitted": fitted.people * fitted.shares,
    }
    found, online = {"Gaussian each": gaussian_each(setting, bits)}, []
    for name, each in histograms.items():
        found[name] = float(np.abs([each[asked].sum() for asked in questions] - truth).mean())
    for updates in UPDATES:
        mechanism = OnlineWeights.for_loss(Zcdp(setting.rho), shape, ADD, updates)
        replies = mechanism.rehearse((histogram, questions), bits).value
        online.append(float(np.abs([reply.number for reply in replies] - truth).mean()))
    return found | {"online weights": min(online)}


def main() -> None:
    console, rng = Console(width=140), np.random.default_rng(5)
    table = Table(title=f"Mean |error| of {QUESTIONS:,} random counts by three attributes, in people (δ = {DELTA})")
    for column in ("data", "ε", *METHODS):
        table.add_column(column, justify="left" if column == "data" else "right")
    figures: list[dict[str, float]] = []
    made = settings(rng)
    for setting in made:
        start, found = process_time(), {name: method(setting, Seeded(1)) for name, method in METHODS.items()}
        figures.append({name: each[0] if isinstance(each, tuple) else each for name, each in found.items()})
        least = min(figures[-1].values())
        notes = [f" ({each[1]})" if isinstance(each, tuple) else "" for each in found.values()]
        shown = zip(figures[-1].values(), notes, strict=True)
        words = [f"{error:,.1f}{note}{' *' if error == least else ''}" for error, note in shown]
        table.add_row(setting.name, setting.epsilon, *words)
        console.print(f"{setting.name}, ε = {setting.epsilon}: {process_time() - start:.0f} s")
    console.print(table)
    console.print("* the least. In brackets: how many updates or rounds were best, chosen after the fact.")
    console.print("An even guess is free, and knows the number of people. Gaussian each and tables are unbiased.")
    console.print(f"{SUBSETS:,} questions about some values of six attributes (Gaussian each: as if {QUESTIONS:,}):")
    for setting in (made[0], made[3]):
        listed = ", ".join(f"{name} {error:,.0f}" for name, error in subsets(setting, rng).items())
        console.print(f"  {setting.name}, ε = {setting.epsilon}: {listed}")
    whole, strict = figures[0], figures[2]
    tables, each, online = whole["tables"], whole["Gaussian each"], whole["online weights"]
    few = f"{strict['tables']:.0f} against {strict['MWEM']:.0f}: here multiplicative weights win"
    report(
        "Many counts",
        [
            Claim("tables against 30 people", tables / 30, 1, True, f"mean |error| {tables:.1f}, ε = 1"),
            Claim("Gaussian each against tables", each / tables, 10, False, f"{each:.0f} against {tables:.1f}"),
            Claim("online weights against tables", online / tables, 5, False, f"{online:.0f} against {tables:.1f}"),
            Claim("tables against MWEM, 2,000 people, ε = 0.1", strict["tables"] / strict["MWEM"], 2, False, few),
        ],
    )


if __name__ == "__main__":
    main()
