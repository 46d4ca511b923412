"""The attack on released averages: a person is in if their row leans to the averages as a member's does."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tacit.audit.membership.played import Played, Reals
from tacit.errors import Refused
from tacit.exact import whole
from tacit.frozen import frozen


@frozen(eq=False)
class Marginals:
    """The averages of k yes-or-no columns over n people, each with Gaussian noise of deviation σ.

    The attack knows the population's rates p and a person's row x, and scores ⟨x − p, averages − p⟩. A member raises it
    by Σp(1−p)/n, about k·v/n with v = p(1−p); by chance it has the deviation √(k·v·(v/n + σ²)). So members stand out as
    long as σ is small against √(k·v)/n and n against k (Homer 2008; Dwork, Smith, Steinke, Ullman and Vadhan 2015):
    noise of σ = o(√k/n) does not hide who took part. The averages' ℓ2 sensitivity is √k/n, and noise of that order is
    what privacy asks.
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
        """How far the mean scores of members and of others lie apart, in deviations of the score."""
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
