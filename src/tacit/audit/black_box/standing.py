"""How a rule stands: what it counted on fresh answers, and the best bound that a look at it gave."""

from __future__ import annotations

from dataclasses import replace

from tacit.audit.black_box.bounds import CERTIFIED, QUICK, Counts, Ends, epsilon_at_least, pure_epsilon_at_least
from tacit.audit.black_box.matrix import Matrix
from tacit.audit.black_box.rule import Rule
from tacit.audit.black_box.score import Labels
from tacit.frozen import frozen


@frozen(eq=False)
class Standing:
    """A rule, how it did on fresh answers, and the look that gave its best bound, in floating point yet."""

    rule: Rule
    counts: Counts = Counts()
    epsilon: float = -1.0
    at: Counts = Counts()
    rate: float = 1.0

    @property
    def excess(self) -> float:
        """By how much the best bound lies above what is claimed."""
        return self.epsilon - self.rule.claimed.epsilon

    def counted(self, rows: Matrix, labels: Labels) -> Standing:
        """After more answers."""
        return replace(self, counts=self.counts + self.rule.count(rows, labels))

    def looked(self, alarm_rate: float) -> Standing:
        """After a look that may be wrong so often."""
        epsilon = self._bound(self.counts, alarm_rate, QUICK)
        return self if epsilon <= self.epsilon else replace(self, epsilon=epsilon, at=self.counts, rate=alarm_rate)

    def certified(self) -> float:
        """The best bound, rounded downwards."""
        return self._bound(self.at, self.rate, CERTIFIED)

    def _bound(self, counts: Counts, alarm_rate: float, ends: Ends) -> float:
        claimed = self.rule.claimed
        if claimed.delta == 0:
            return pure_epsilon_at_least(counts, alarm_rate, ends)
        return epsilon_at_least(counts, self.rule.as_first, claimed.delta, alarm_rate, ends)
