"""Learning rules from answers about two data sets: scores on some rows, their cuts on others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tacit.audit.black_box.matrix import Matrix
from tacit.audit.black_box.rule import Aim, Rule, rules
from tacit.audit.black_box.score import Labels, Score
from tacit.audit.black_box.scoring import Scoring
from tacit.audit.black_box.tally import Tallied
from tacit.frozen import frozen

_FITTED = 300_000  # rows that scores are learned on, at most


@frozen(eq=False)
class Learned:
    """All scores, and what was tallied of each on rows that it was not learned on."""

    scoring: Scoring
    tallies: Sequence[tuple[Score, Tallied]]

    @classmethod
    def of(cls, rows: Matrix, labels: Labels, *, trees: int) -> Learned:
        fitted = min(len(rows) // 2, _FITTED)
        scoring = Scoring.learn(rows[:fitted], labels[:fitted], trees)
        tallies = [(score, Tallied.of(values, labels[fitted:])) for score, values in scoring.of(rows[fitted:])]
        return cls(scoring, tallies)

    def more(self, rows: Matrix, labels: Labels) -> Learned:
        """With further rows to cut the scores on."""
        pairs = zip(self.tallies, self.scoring.of(rows), strict=True)
        return replace(self, tallies=[(score, tallied.more(values, labels)) for (score, tallied), (_, values) in pairs])

    def rule(self, aim: Aim, doubt: float) -> Rule:
        """The most promising one, of all taken so many standard errors worse than they look."""
        return self.rules(aim, (doubt,))[0]

    def rules(self, aim: Aim, doubts: Sequence[float]) -> list[Rule]:
        """The most promising one at each doubt, each with another score: what made one look well helps no other."""
        found: list[Rule] = []
        left = list(self.tallies)
        for doubt in doubts:
            best = [max(rules(score, tallied, aim, doubt), key=_excess) for score, tallied in left]
            at = max(range(len(best)), key=lambda at: best[at].excess)
            found.append(best[at])
            left = [*left[:at], *left[at + 1 :]] or left
        return found


def _excess(rule: Rule) -> float:
    return rule.excess
