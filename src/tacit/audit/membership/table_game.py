"""The membership game on a table: averages of some of its people are published, and who took part is guessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any

import numpy as np

from tacit.audit.membership.marginals import Marginals
from tacit.audit.membership.played import Played, Reals
from tacit.errors import Refused
from tacit.exact import Number, whole
from tacit.frozen import frozen
from tacit.loss.calibration import gaussian_variance
from tacit.loss.families.approx import Approx

_FEW = 20  # values that are columns of their own; of more, tenths are taken


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
        """How many averages are published."""
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
