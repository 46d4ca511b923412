"""One run of training: count rows by level, then a stage for each step, all with exact noise."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacit.learn.additive_model import AdditiveModel
from tacit.learn.additive_plan import AdditivePlan
from tacit.learn.coded_rows import CODED
from tacit.learn.descent import Descent, in_steps
from tacit.noise.bits import Bits
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.noise.grid import saturated_sum
from tacit.noise.slabs import slabs
from tacit.query.engines.protocol import Fetched, Session, Stage, add_up
from tacit.query.execution.noisy_table import integers, key_columns
from tacit.query.plans.price import Price

Integers = NDArray[np.int64]


class AdditiveRun:
    """The stages of a plan at a price. Shapes are those of public levels, whatever the rows are."""

    def __init__(self, plan: AdditivePlan, price: Price) -> None:
        self._plan, self._price = plan, price
        self._levels = [feature.levels for feature in plan.training.features]
        self._session: Session | None = None  # in which the coded rows are kept

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (self._weigh, *[self._step] * (self._plan.steps - 1), self._last)

    def _weigh(self, session: Session, bits: Bits, _: Sequence[bytes]) -> bytes:
        return self._noisy(session, self._plan.coded.weights_sql(), self._plan.weights_law(self._price), bits).tobytes()

    def _step(self, session: Session, bits: Bits, released: Sequence[bytes]) -> bytes:
        scores = Descent(self._plan, self._price).scores([_read(each) for each in released])
        sql = self._plan.coded.residuals_sql(self.by_feature(in_steps(scores)))
        return self._noisy(session, sql, self._plan.residuals_law(self._price), bits).tobytes()

    def _last(self, session: Session, bits: Bits, released: Sequence[bytes]) -> bytes:
        last = self._step(session, bits, released)
        scores = Descent(self._plan, self._price).model([_read(each) for each in (*released, last)])
        training = self._plan.training
        scored = self.by_feature(in_steps(scores))
        model = AdditiveModel(training.target, training.features, scored, float(self._plan.clip))
        return json.dumps(model.fields()).encode()

    def _noisy(self, session: Session, sql: str, law: RoundedGaussian, bits: Bits) -> Integers:
        """The sums of all levels plus noise. Levels that the engine does not list have none, and get noise as well."""
        if self._session is not session:
            session.keep(CODED, self._plan.coded.coded_sql())
            self._session = session
        whole = level_sums(add_up(session, sql, is_few=True), self._levels)
        return np.asarray(saturated_sum(whole, slabs(law).draw(whole.size, bits)), "<i8")

    def by_feature(self, numbers: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        """The numbers of all levels, feature by feature."""
        ends = np.cumsum(self._levels)
        return tuple(tuple(numbers[end - many : end]) for end, many in zip(ends, self._levels, strict=True))


def level_sums(table: Fetched, levels: Sequence[int]) -> Integers:
    """The sums y0 of features k0 and levels k1, one after the other for all levels."""
    begins = np.concatenate([[0], np.cumsum(levels)])
    features, places = (np.array(column, np.int64) for column in key_columns(table, 2))
    whole = np.zeros(begins[-1], np.int64)
    whole[begins[features] + places] = integers(table, "y0")
    return whole


def _read(payload: bytes) -> Integers:
    return np.frombuffer(payload, "<i8")
