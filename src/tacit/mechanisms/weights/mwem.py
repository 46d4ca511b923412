"""MWEM, multiplicative weights by the exponential mechanism: a histogram fitted to selected tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from math import sqrt
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.exact import Number, positive, proper, whole
from tacit.frozen import frozen
from tacit.loss.calibration import budget_from
from tacit.loss.composition.sequential import Composition, compose
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.loss import Loss, Relation
from tacit.loss.families.zcdp import Zcdp
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.mechanism import Answer, Mechanism, cost
from tacit.mechanisms.selection.candidates import Exponential
from tacit.mechanisms.statistics.counts import Sensitivity, calibrated, check_people
from tacit.mechanisms.weights.hypothesis import Attributes, Hypothesis, checked_sizes, margins, private_histogram
from tacit.noise.bits import Bits, Integers

_SELECTION = Fraction(3, 10)  # share of the price of a round
_REPLAYED, _REPLAYS = 25, 4  # the number of last tables that are fitted after a round, and the number of passes


class TableRound(NamedTuple):
    """The release of one round: the table selected, and its noisy cells."""

    table: int
    noisy: Integers


class Measured(NamedTuple):
    """Everything released: the noisy number of people (None where it is public), and the rounds."""

    people: int | None
    rounds: tuple[TableRound, ...]


@frozen
class Mwem(Mechanism[Any, "FittedHistogram"]):
    """In each round, selects the table on which the hypothesis is most wrong, measures it, and corrects the hypothesis.

    After Hardt, Ligett and McSherry (2012), with whole tables for single questions. The value is the histogram over the
    declared domain, as integers; every person is in at most one cell.

    Claim: the release costs `loss`, the composition of `rounds` selections and measurements, and of one more
    measurement under add/remove, where the number of people is private. Proof: hypothesis and rounding are functions
    of what was released before, so each round is one exponential mechanism and one noisy table whose parameters are
    fixed in advance, and losses compose. A table's score is Σ|cell − guess| less a public number, where guesses are
    whole numbers: an integer, which moves by at most the ℓ₁ distance of neighbours' tables, Δ = 1 under add/remove and
    2 under replace. The measured table is integers plus exact integer noise for that ℓ₁ distance (Laplace, where
    `measurement` is pure) or for √Δ in ℓ₂ (rounded Gaussian). Scores may rise and fall at once: they are not monotonic.
    """

    sizes: tuple[int, ...]
    tables: tuple[Attributes, ...]
    relation: Relation
    rounds: int
    selection: Fraction
    measurement: Loss
    people: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "sizes", checked_sizes(self.sizes))
        object.__setattr__(self, "tables", _checked_tables(self.tables, len(self.sizes)))
        object.__setattr__(self, "rounds", whole(self.rounds, "rounds", 1))
        object.__setattr__(self, "selection", positive(self.selection, "selection"))
        check_people(self.people, self.relation)
        self.noise  # noqa: B018  (refuse here a measurement that no noise meets)

    @classmethod
    def for_loss(
        cls,
        target: Loss,
        sizes: Iterable[int],
        tables: Iterable[Attributes],
        relation: Relation,
        rounds: int,
        *,
        people: int | None = None,
        share: Number = _SELECTION,
    ) -> Mwem:
        """All rounds at the price `target`, a `share` of each for its selection: a pure ε, an (ε, δ), or a ρ."""
        part, times = proper(share, "share"), whole(rounds, "rounds", 1)
        measured = times + (people is None)
        measurement: Loss
        if isinstance(target, Approx) and target.exact_delta == 0:
            total = target.exact_epsilon
            selection, measurement = total * part / times, Pure(total * (1 - part) / measured)
        elif isinstance(target, (Approx, Zcdp)):
            rho = target.rho if isinstance(target, Zcdp) else _rho(target)
            selection = Fraction(sqrt(8 * rho * part / times) * (1 - 2.0**-50))
            measurement = Zcdp(rho * (1 - part) / measured)
        else:
            raise Refused(f"rounds at ({target})", "Its currency is not divided.", "Pure(1), Approx(1, 1e-6), Zcdp(…).")
        return cls(tuple(sizes), tuple(tables), relation, times, selection, measurement, people)

    @classmethod
    def for_epsilon(
        cls,
        epsilon: Number,
        sizes: Iterable[int],
        tables: Iterable[Attributes],
        relation: Relation,
        rounds: int,
        *,
        people: int | None = None,
    ) -> Mwem:
        """The mechanism at a pure ε, with Laplace noise."""
        return cls.for_loss(Pure(epsilon), sizes, tables, relation, rounds, people=people)

    @property
    def shift(self) -> int:
        """The ℓ₁ distance of neighbours' tables."""
        return 2 if self.relation is Relation.REPLACE else 1

    @cached_property
    def selector(self) -> Exponential:
        return Exponential(len(self.tables), Fraction(self.shift), self.relation, self.selection)

    @cached_property
    def noise(self) -> Laplace | Gaussian:
        return calibrated(self.measurement, Sensitivity(self.shift, self.shift), self.relation)

    @cached_property
    def loss(self) -> Composition:
        measured = self.rounds + (self.people is None)
        return Composition([self.selector.loss] * self.rounds + [compose(*[self.noise.loss] * measured)])

    @property
    def spread(self) -> float:
        """The mean size of the noise in a cell: public."""
        if isinstance(self.noise, Laplace):
            return float(self.noise.scale)
        return sqrt(2 * float(self.noise.variance) / np.pi)

    def hypothesis(self, measured: Measured) -> Hypothesis:
        """The hypothesis computed from the measured tables: deterministic post-processing."""
        people = self.people if self.people is not None else measured.people
        found = Hypothesis.uniform(self.sizes, people or 0)
        for last in range(1, len(measured.rounds) + 1):
            found = self._fitted(found, measured.rounds[:last])
        return found

    def _fitted(self, found: Hypothesis, rounds: Sequence[TableRound]) -> Hypothesis:
        recent = [(self.tables[each.table], each.noisy) for each in rounds[-_REPLAYED:]]
        return found.fitted(recent * _REPLAYS, self.spread)

    def scores(self, exact: Sequence[Integers], hypothesis: Hypothesis) -> Integers:
        """The error of the hypothesis on each table, less the mean noise: private integers."""
        found = []
        for table, guess in zip(exact, hypothesis.tables(self.tables), strict=True):
            off = int(np.abs(table - np.rint(guess).astype(np.int64)).sum())
            found.append(off - min(round(self.spread * table.size), 1 << 60))
        return np.array(found, np.int64)

    def privatize(self, value: Any, bits: Bits) -> tuple[Measured, Hypothesis]:
        histogram = private_histogram(value, self.sizes)
        exact = margins(histogram, self.tables)
        people = None
        if self.people is None:
            people = int(self.noise.law.add(np.array([histogram.sum()]), bits)[0])
        found, rounds = Hypothesis.uniform(self.sizes, self.people or people or 0), []
        for _ in range(self.rounds):
            chosen = self.selector.select(self.scores(exact, found), bits)
            table = exact[chosen]
            noisy = self.noise.law.add(table.ravel(), bits).reshape(table.shape)
            rounds.append(TableRound(chosen, noisy))
            found = self._fitted(found, rounds)
        return Measured(people, tuple(rounds)), found

    def error(self, confidence: Number = "0.95") -> NoReturn:
        """Refused: the error of the hypothesis beyond the noise is unknown."""
        raise Refused(
            "the error of a fitted histogram",
            "It is biased towards even shares, by an amount that depends on the data.",
            "`measured_error`, of the tables that were measured; or tables released together, whose errors are exact.",
        )

    def measured_error(self, confidence: Number = "0.95", cells: int = 1) -> float:
        """The exact quantile of the noise in the measured tables, in one cell or in all of `cells` at once."""
        return self.noise.error(confidence, cells)

    def answer(self, private: tuple[Measured, Hypothesis]) -> FittedHistogram:
        return FittedHistogram(private[1].people * private[1].shares, self, private[0])


@frozen(eq=False)
class FittedHistogram(Answer):
    """A histogram without negative cells, fitted to the noisy tables `measured`, which are unbiased."""

    mechanism: Mwem
    measured: Measured

    def table(self, attributes: Attributes) -> NDArray[np.float64]:
        """A table over some attributes, summed from the fitted histogram: biased, but without negative cells."""
        found: NDArray[np.float64] = margins(self.value, [attributes])[0]
        return found

    def interval(self, confidence: Number = "0.95") -> NoReturn:
        self.mechanism.error(confidence)

    def describe(self, confidence: Number = "0.95") -> str:
        """The number of people and tables, the noise of a measured cell, and the cost."""
        rounds, half = len(self.measured.rounds), self.mechanism.measured_error(confidence)
        about = f"about {self.value.sum():,.0f} people in {self.value.size:,} cells, fitted to {rounds} noisy tables"
        return f"{about}  (no interval: it is biased; a measured cell is ± {half:,}; cost {cost(self.loss)})"


def _rho(target: Approx) -> Fraction:
    return budget_from(target.exact_epsilon, target.exact_delta, 0).rho


def _checked_tables(tables: Iterable[Iterable[int]], attributes: int) -> tuple[Attributes, ...]:
    found = tuple(tuple(whole(place, "attribute") for place in table) for table in tables)
    if not found or any(list(each) != sorted(set(each)) or not all(p < attributes for p in each) for each in found):
        raise Refused(
            "these tables", "Each lists the numbers of its attributes, rising.", f"tables over 0 … {attributes - 1}."
        )
    return found
