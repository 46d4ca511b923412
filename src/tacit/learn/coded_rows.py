"""The SQL of training: rows as numbers of levels, and the sums of residuals that each step needs.

A residual is what a row's target is above its prediction. Sums of residuals by level are the gradient of an additive
model, so that a step is a few sums in the database, and nothing else leaves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from tacit.frozen import frozen
from tacit.learn.training_text import Task, Training
from tacit.query.sql.clamp import Cut, cut, cut_float, sums
from tacit.query.sql.rows import UNIT, Ownership
from tacit.query.sql.values.storage import double_sql

CODED: Final = "__coded_rows"
"""What the rows are called while a model is trained."""

RESIDUAL: Final = 2**10  # steps of a residual of 1
SCORE: Final = 2**16  # steps of a score of 1
_MOST_SCORE: Final = 32 * SCORE  # beyond, a probability is 0 or 1 to the last step of a residual
_PARTS: Final = 2**10  # of a row, where a person has several


@frozen(eq=False)
class CodedRows:
    """Rows as levels, each with a weight, so that one person's weights add up to `most` at most.

    Claim: between people all sums are additive, and over the levels of one feature one person adds absolute values of
    `most` to the weights, and of `most`·`clip` to the residuals, at most; so ℓ₂ norms over all of n features are √n
    times these at most. Proof: a row has one level of each feature, so what it adds to one feature's sums is one
    number, |w| or |r·w|, where |r| ≤ `clip` by its own cut. Where a person is one row, w = 1 = most. Elsewhere a
    person with `held` rows has w = min(parts, ⌊most/held⌋) on each, integers, so that held·w ≤ most. Weights depend on
    the person's own rows alone, and residuals on the row and on what was released before.
    """

    training: Training
    rows_each: int  # of one person, that count as much as so many rows of others
    clip: int  # steps of a residual, at most

    @property
    def is_weighted(self) -> bool:
        return self.training.rows.ownership is Ownership.MANY

    @property
    def parts(self) -> int:
        """What a row weighs whose person has few."""
        return _PARTS if self.is_weighted else 1

    @property
    def most(self) -> int:
        """What all rows of one person weigh together."""
        return self.parts * self.rows_each if self.is_weighted else 1

    def coded_sql(self) -> str:
        """One SELECT with columns "__unit", c0 …, t and w: the rows that have a target, kept under `CODED`."""
        columns = ", ".join([UNIT, *(f"c{place}" for place in range(len(self.training.features))), "t"])
        rows = f'"__targets" AS ({self.targets_sql()})'
        if not self.is_weighted:
            return f'WITH {rows} SELECT {columns}, CAST(1 AS BIGINT) AS w FROM "__targets"'
        held = f'SELECT {UNIT}, COUNT(*) AS held FROM "__targets" GROUP BY {UNIT}'
        weight = cut(f"{self.most} // held", 0, self.parts)
        joined = f'"__targets" JOIN "__held" USING ({UNIT})'
        return f'WITH {rows}, "__held" AS ({held}) SELECT {columns}, {weight} AS w FROM {joined}'

    def targets_sql(self) -> str:
        """One SELECT with columns "__unit", c0 … and t: the rows that have a target, without weights."""
        training = self.training
        levels = [
            f"{cut(sql, 0, feature.levels - 1)} AS c{place}"
            for place, (feature, sql) in enumerate(zip(training.features, training.level_sql, strict=True))
        ]
        unit = "1" if training.rows.ownership is Ownership.EACH else UNIT
        listed = ", ".join([f"{unit} AS {UNIT}", *levels, f"{training.target_sql} AS t"])
        read = f'SELECT {listed} FROM ({training.rows.under(listed)}) AS "__rows"'
        columns = ", ".join([UNIT, *(f"c{place}" for place in range(len(training.features))), "t"])
        return f'SELECT {columns} FROM ({read}) AS "__read" WHERE t IS NOT NULL'

    def weights_sql(self) -> str:
        """One SELECT with columns k0, the feature, k1, the level, and y0: the sums of rows' weights."""
        return self._by_level(Cut("w", 0, self.parts), f'"{CODED}"')

    def residuals_sql(self, scores: Sequence[Sequence[int]]) -> str:
        """The same of residuals times weights, where each level has a score, in steps of 1/`SCORE`."""
        residual = Cut("r", -self.clip, self.clip)
        columns = [f"c{place}" for place in range(len(scores))]
        listed = ", ".join([*columns, "w", f"{self._residual('z')} AS r"])
        scored = f'SELECT {", ".join([*columns, "t", "w", f"{level_score_sql(scores)} AS z"])} FROM "{CODED}"'
        weighted = Cut(f"({residual} * w)", -self.clip * self.parts, self.clip * self.parts)
        named = f'WITH "__scored" AS ({scored}), "__residuals" AS MATERIALIZED (SELECT {listed} FROM "__scored") '
        return named + self._by_level(weighted, '"__residuals"')

    def _residual(self, score: str) -> Cut:
        step = Fraction(1, RESIDUAL)
        if self.training.target.task is Task.CLASSIFICATION:
            exponent = f"{double_sql(-1 / SCORE)} * CAST({cut(score, -_MOST_SCORE, _MOST_SCORE)} AS DOUBLE)"
            return cut_float(f"CAST(t AS DOUBLE) - 1e0 / (1e0 + exp({exponent}))", step, -self.clip, self.clip)
        predicted = f"{double_sql(1 / SCORE)} * CAST({cut(score, -SCORE // 2, SCORE // 2)} AS DOUBLE)"
        return cut_float(f"t - {predicted}", step, -self.clip, self.clip)

    def _by_level(self, value: Cut, source: str) -> str:
        parts = []
        for place in range(len(self.training.features)):
            (summed,) = sums([value])
            parts.append(f"SELECT {place} AS k0, c{place} AS k1, {summed} FROM {source} GROUP BY c{place}")
        return " UNION ALL ".join(parts)


def level_score_sql(scores: Sequence[Sequence[int]]) -> str:
    """The sum of the scores of a row's levels."""
    terms = []
    for place, numbers in enumerate(scores):
        runs = " ".join(f"WHEN c{place} = {level} THEN {number}" for level, number in enumerate(numbers) if number)
        terms.append(f"CASE {runs} ELSE 0 END" if runs else "0")
    return " + ".join(terms)
