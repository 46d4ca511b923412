"""The membership game: a fair coin decides which world is released, and an attack guesses which.

Outputs are scored by a plain statistic or by their likelihood ratio. On a table, averages of some of its people are
published, and a person is guessed to be a member if their row is close to the averages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tacit.audit.membership.rounds import Played, Reals
from tacit.errors import Refused
from tacit.exact import Number, whole
from tacit.frozen import frozen
from tacit.loss.calibration import gaussian_variance
from tacit.loss.families.approx import Approx


@frozen(eq=False)
class Marginals:
    """The averages of k yes-or-no columns over n people, each with Gaussian noise of deviation σ.

    The attack knows the population's rates p and a person's row x, and scores ⟨x − p, averages − p⟩. A member raises it
    by Σp(1−p)/n, about k·v/n with v = p(1−p); by chance it has the deviation √(k·v·(v/n + σ²)). So members stand out as
    long as σ is small against √(k·v)/n and n against k (Homer 2008; Dwork, Smith, Steinke, Ullman and Vadhan 2015):
    noise of σ = o(√k/n) does not hide who took part. The averages' ℓ2 sensitivity is √k/n, and privacy needs noise of
    that order.
    """

    rates: Reals
    people: int
    deviation: float

    @classmethod
    def of(cls, rates: ArrayLike, people: int, deviation: float) -> Marginals:
        shares = np.asarray(rates, dtype=np.float64)
        if not (shares.ndim == 1 and shares.size and ((shares > 0) & (shares < 1)).all()):
            raise Refused("rates of columns", "Each must lie strictly between 0 and 1.", "a list of such rates.")
        if not (deviation >= 0 and np.isfinite(deviation)):
            raise Refused("a deviation of the noise", "It must be finite and not negative.", "deviation ≥ 0.")
        return cls(shares, whole(people, "people", least=1), float(deviation))

    @property
    def signal(self) -> float:
        """The distance of the mean scores of members and of others, in deviations of the score."""
        spread = self.rates * (1 - self.rates)
        noise = np.sqrt(np.sum(spread * (spread / self.people + self.deviation**2)))
        return float(spread.sum() / self.people / noise)

    def score(self, rows: Reals, averages: Reals) -> Reals:
        """The score of each row."""
        return np.asarray((rows - self.rates) @ (averages - self.rates))

    def play(self, releases: int, seed: int = 0) -> Played:
        """Releases with fresh people; in each, the first member and one who did not take part are scored."""
        generator = np.random.default_rng(seed)
        scores, members = [], []
        for _ in range(whole(releases, "releases", least=1)):
            rows = generator.random((self.people + 1, self.rates.size)) < self.rates
            averages = rows[:-1].mean(axis=0) + self.deviation * generator.standard_normal(self.rates.size)
            scores.append(self.score(rows[[0, -1]].astype(np.float64), averages))
            members.append([True, False])
        return Played.of(np.ravel(members), np.ravel(scores))


_FEW = 20  # the most values that become columns of their own; otherwise deciles do


@frozen(eq=False)
class TableGame:
    """Rows of yes or no: the first `people` took part, the others did not and serve as the population."""

    rows: Reals
    people: int

    @classmethod
    def of(cls, columns: Mapping[str, Sequence[Any]], people: int, seed: int = 0) -> TableGame:
        """A game from a table's columns, each turned into bits, its rows shuffled."""
        bits = [column for values in columns.values() for column in _bits(list(values))]
        wanted = whole(people, "people", 10)
        if not bits or bits[0].size < 2 * wanted:
            raise Refused(
                f"a game with {wanted:,} members", "There are not twice as many rows.", "fewer --people, or more rows."
            )
        rows = np.column_stack(bits).astype(np.float64)
        np.random.default_rng(seed).shuffle(rows, axis=0)
        rates = rows[wanted:].mean(axis=0)
        return cls(rows[:, (rates > 0) & (rates < 1)], wanted)

    @property
    def averages(self) -> int:
        """The number of published averages."""
        return int(self.rows.shape[1])

    def deviation_for(self, epsilon: Number, delta: Number) -> float:
        """The noise that makes all averages together (ε, δ)-private, by replacement of one member's row."""
        return sqrt(float(gaussian_variance(Approx(epsilon, delta)))) * sqrt(self.averages) / self.people

    def play(self, deviation: float = 0.0, releases: int = 40, seed: int = 0) -> Played:
        """Several publications, each of other members; in each, all members and as many others are scored."""
        generator = np.random.default_rng(seed)
        scores, truth = [], []
        for _ in range(whole(releases, "releases", 1)):
            order = generator.permutation(self.rows.shape[0])
            members, others = self.rows[order[: self.people]], self.rows[order[self.people :]]
            rates = np.clip(others.mean(axis=0), 1e-6, 1 - 1e-6)
            told = members.mean(axis=0) + deviation * generator.standard_normal(self.averages)
            attack = Marginals.of(rates, self.people, deviation)
            scores.append(attack.score(np.vstack([members, others[: self.people]]), told))
            truth.append(np.repeat([True, False], self.people))
        return Played.of(np.concatenate(truth), np.concatenate(scores))


def _bits(values: list[Any]) -> list[np.ndarray[Any, Any]]:
    """A column as columns of yes or no: one for each of a few values, else one for each tenth."""
    known = sorted({value for value in values if value is not None}, key=lambda value: (str(type(value)), value))
    if len(known) <= _FEW:
        return [np.array([value == each for value in values]) for each in known]
    if not all(isinstance(value, int | float) for value in known):
        return []
    numbers = np.array([np.nan if value is None else float(value) for value in values])
    cuts = np.unique(np.nanquantile(numbers, np.arange(1, 10) / 10))
    return [numbers > cut for cut in cuts]
