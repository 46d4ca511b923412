"""The score of a trained model on private rows: how right it is for each person, added up, with noise."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from math import ceil
from typing import Final

import numpy as np

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.learn.features import literal, parsed_expression
from tacit.learn.model_kind import ModelData
from tacit.learn.training_text import Task, named_items, parsed_rows
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Bits
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.noise.grid import saturated_sum
from tacit.noise.slabs import slabs
from tacit.query.engines.protocol import Session, add_up
from tacit.query.execution.noisy_table import integers
from tacit.query.sql.clamp import cut, cut_float, sums, total
from tacit.query.sql.expressions.rule_registry import type_expression
from tacit.query.sql.from_clause import read_rows
from tacit.query.sql.rows import UNIT, Ownership, Rows
from tacit.query.sql.values.storage import as_float
from tacit.schema.catalogue import Catalogue

_STEPS: Final = 2**10  # of a person whose rows are all predicted right
_LEAST: Final = -(2**62)
_PART: Final = 4  # an error of a fourth of the target's width counts as wholly wrong


@frozen(eq=False)
class HeldOutScore:
    """The sum over people of how right a model is for their rows on average, less one half.

    Of a class a row is right or wrong; of a number it is wrong by its error, in quarters of the target's width, up to
    one. Claim: one change of the data moves the score by `norm` at most, whatever the model is. Proof: the emitted SQL
    cuts a person's mean to whole steps from 0 to 1,024 and takes 512 off, and a person without rows that have a target
    adds 0; so one person is 512 at most, and the replacement of one by another 1,024. A score with rounded Gaussian
    noise of variance at least norm²/μ² is Gaussian differentially private with μ². A model that SQL cannot express has
    the least score, without noise, and no row is read for it: that depends on the model alone.
    """

    sql: str
    rows: Rows
    relation: Relation

    @property
    def norm(self) -> int:
        return _STEPS if self.relation is Relation.REPLACE else _STEPS // 2

    def law(self, strength: Fraction) -> RoundedGaussian:
        """The noise at which a score costs this μ²."""
        return RoundedGaussian(Fraction(ceil(self.norm**2 / strength)))

    def draw(self, model: ModelData, strength: Fraction, session: Session, bits: Bits) -> int:
        """The noisy score of a model."""
        try:
            text = self.score_sql(model)
        except Refused:
            return _LEAST
        whole = np.array([sum(integers(add_up(session, text, is_few=True), "y0").tolist())], np.int64)
        return int(saturated_sum(whole, slabs(self.law(strength)).draw(1, bits))[0])

    def score_sql(self, model: ModelData) -> str:
        """One SELECT of the sum, as y0."""
        target = model.target
        is_number = target.task is Task.REGRESSION
        right = model.judged_sql()
        if is_number:
            least, most = target.bounds or (0.0, 0.0)
            right = f"1 - least(sqrt({right}) * {literal(_PART / (most - least))}, 1)"
        truth = type_expression(parsed_expression(target.item if is_number else target.unit_sql()), self.rows).sql
        judged = as_float(type_expression(parsed_expression(right), self.rows)).sql
        is_own = self.rows.ownership is Ownership.EACH
        unit = "1" if is_own else UNIT
        listed = f"{unit} AS {UNIT}, {cut_float(judged, Fraction(1, _STEPS), 0, _STEPS)} AS v, {truth} AS t"
        read = f'SELECT {listed} FROM ({self.rows.under(listed)}) AS "__rows"'
        known = f'SELECT {UNIT}, v FROM ({read}) AS "__read" WHERE t IS NOT NULL'
        value = cut("v", 0, _STEPS)
        if self.rows.ownership is Ownership.MANY:
            mean = cut(f"{total(value)} // COUNT(*)", 0, _STEPS)
            known = f'SELECT {UNIT}, {mean} AS v FROM ({known}) AS "__known" GROUP BY {UNIT}'
        (added,) = sums([value.minus(_STEPS // 2)])
        return f'SELECT 0 AS k0, {added} FROM ({known}) AS "__people"'

    @property
    def digest(self) -> str:
        said = json.dumps([self.rows.sql, self.rows.ownership.value, self.relation.value])
        return hashlib.sha256(said.encode()).hexdigest()


def held_out_score(sql: str, training: str, catalogue: Catalogue, relation: Relation) -> HeldOutScore:
    """The score on the rows of a SELECT; refused unless its columns are those of the training."""
    select, learned = parsed_rows(sql), parsed_rows(training)
    if _texts(sql) != _texts(training):
        names = ", ".join(named_items(learned))
        why = "A model is scored by the columns that it was trained on."
        raise Refused("these rows for scores", why, f"the same columns as in the training ({names}), FROM other rows.")
    return HeldOutScore(sql, read_rows(select, catalogue), relation)


def _texts(sql: str) -> dict[str, str]:
    return {name: item.sql("duckdb") for name, item in named_items(parsed_rows(sql)).items()}
