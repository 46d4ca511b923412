"""The stages of convex training at a price. What leaves a stage are whole numbers with exact noise."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from tacit.learn.coded_rows import RESIDUAL, SCORE
from tacit.learn.convex.convex_model import ConvexModel, scores_of
from tacit.learn.convex.convex_plan import ConvexPlan, Way
from tacit.learn.convex.design import by_person, by_row
from tacit.learn.convex.gradient_steps import PARTS, DescentSizes, descended
from tacit.learn.convex.losses import Floats, Integers
from tacit.learn.convex.newton import RidgeObjective, certified_minimum
from tacit.learn.convex.number_scores import NumberScores
from tacit.learn.convex.objective_perturbation import TILT_BITS, ObjectiveNoise
from tacit.learn.convex.output_perturbation import COUNT_SHARE, OutputNoise, count_law, ridge_for
from tacit.learn.convex.row_matrix import RowMatrix
from tacit.noise.bits import Bits
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.noise.grid import saturated_sum
from tacit.noise.slabs import slabs
from tacit.query.engines.protocol import Session, Stage
from tacit.query.plans.price import Price


class ConvexRun:
    """The stages of a plan. Shapes are those of public levels and classes, whatever the rows are."""

    def __init__(self, plan: ConvexPlan, price: Price) -> None:
        self._plan, self._price = plan, price
        self._inside = ObjectiveNoise(price.strength, plan.loss, plan.numbers, plan.relation)
        if plan.way is Way.OBJECTIVE:
            _ = self._inside.tilt_law  # certified now, and not behind the charge
        self._held: tuple[Session, RowMatrix] | None = None  # the rows, as a session gave them

    @property
    def stages(self) -> tuple[Stage, ...]:
        if self._plan.way is Way.OUTPUT:
            return self._count, self._minimum
        if self._plan.way is Way.OBJECTIVE:
            return (self._tilted,)
        return (self._weigh, *[self._step] * (self._plan.steps - 1), self._last)

    def _count(self, session: Session, bits: Bits, _: Sequence[bytes]) -> bytes:
        people = np.array([len(self._rows(session).held)])
        return _noisy(people, count_law(self._price.strength * COUNT_SHARE), bits).tobytes()

    def _minimum(self, session: Session, bits: Bits, released: Sequence[bytes]) -> bytes:
        plan, share = self._plan, self._price.strength * (1 - COUNT_SHARE)
        (people,) = np.frombuffer(released[0], "<i8")
        ridge = ridge_for(int(people), float(share)) if plan.ridge is None else plan.ridge
        noise = OutputNoise(ridge, plan.loss.steepest_squared, plan.rows_each, plan.relation)
        design = by_row(self._rows(session), plan.rows_each)
        least = certified_minimum(RidgeObjective(design, plan.loss, ridge, np.zeros(plan.shape)))
        return self._model(scores_of(_noisy(least, noise.law(share), bits), plan.length_squared))

    def _tilted(self, session: Session, bits: Bits, _: Sequence[bytes]) -> bytes:
        plan, noise, rows = self._plan, self._inside, self._rows(session)
        design = by_person(rows, plan.classes) if plan.is_weighted else by_row(rows, 1)
        drawn = np.asarray(slabs(noise.tilt_law).draw(plan.numbers, bits), np.float64)
        tilt = np.ldexp(drawn, -TILT_BITS).reshape(plan.shape)
        least = certified_minimum(RidgeObjective(design, plan.loss, noise.ridge, tilt))
        return self._model(scores_of(_noisy(least, noise.grid_law, bits), plan.length_squared))

    def _weigh(self, session: Session, bits: Bits, _: Sequence[bytes]) -> bytes:
        weights = self._plan.sums.level_weights(self._rows(session))
        return _noisy(weights, self._plan.weights_law(self._price), bits).tobytes()

    def _step(self, session: Session, bits: Bits, released: Sequence[bytes]) -> bytes:
        scores = _in_steps(self._path(released)[-1] if len(released) > 1 else np.zeros(self._plan.shape))
        sums = self._plan.sums.level_residuals(self._rows(session), scores)
        return _noisy(sums, self._plan.residuals_law(self._price), bits).tobytes()

    def _last(self, session: Session, bits: Bits, released: Sequence[bytes]) -> bytes:
        path = self._path([*released, self._step(session, bits, released)])[1:]
        return self._model(_in_steps(np.asarray(np.mean(path[len(path) // 2 :], axis=0))))

    def _path(self, released: Sequence[bytes]) -> list[Floats]:
        weights, *steps = (np.frombuffer(each, "<i8") for each in released)
        plan = self._plan
        noise = plan.residuals_law(self._price).width / (RESIDUAL * PARTS * plan.residual_unit)
        sizes = DescentSizes(len(plan.training.features), float(plan.norm**2), plan.ridge or 0.0)
        return descended(weights, [each.reshape(plan.shape) for each in steps], sizes, noise)

    def _rows(self, session: Session) -> RowMatrix:
        if self._held is None or self._held[0] is not session:
            self._held = session, self._plan.reading.fetch(session).within(self._plan.longest)
        return self._held[1]

    def _model(self, scores: Integers) -> bytes:
        plan, training = self._plan, self._plan.training
        ends = np.cumsum([feature.levels for feature in training.features])
        *parts, slopes = (each.tolist() for each in np.split(scores, ends))
        by_feature = tuple(tuple(map(tuple, part)) for part in parts)
        numbers = NumberScores(training.numbers, plan.norm, tuple(map(tuple, slopes))) if training.numbers else None
        model = ConvexModel(plan.loss, training.target, training.features, by_feature, float(plan.clip), numbers)
        return json.dumps(model.fields()).encode()


def _noisy(whole: Integers, law: RoundedGaussian, bits: Bits) -> Integers:
    """Whole numbers plus noise, in the same shape."""
    flat = np.ascontiguousarray(whole).ravel()
    return np.asarray(saturated_sum(flat, slabs(law).draw(flat.size, bits)), "<i8").reshape(whole.shape)


def _in_steps(scores: Floats) -> Integers:
    return np.rint(scores * SCORE).astype(np.int64)
