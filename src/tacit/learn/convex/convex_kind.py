"""Convex models as kinds of models: their settings, and a plan in the terms of the door."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import isqrt, sqrt
from typing import Any, Final

from tacit.errors import Refused
from tacit.exact import Number, positive
from tacit.frozen import frozen
from tacit.learn.convex.convex_model import ConvexModel
from tacit.learn.convex.convex_plan import MOST_CLASSES, WEIGHTS_SHARE, ConvexPlan, Way
from tacit.learn.convex.convex_run import ConvexRun
from tacit.learn.convex.losses import LossKind
from tacit.learn.convex.objective_perturbation import GRID_SHARE
from tacit.learn.convex.output_perturbation import COUNT_SHARE
from tacit.learn.model_kind import settings_of
from tacit.learn.training_text import Training, read_training
from tacit.loss.families.loss import Relation
from tacit.query.engines.protocol import Stage
from tacit.query.plans.price import Price
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Unit
from tacit.words import shown

_WAYS: Final = {
    Way.OUTPUT: "minimisers of neighbours are at most L/λ apart, and the computed one is certified within τ/λ",
    Way.OBJECTIVE: "noise with a density inside the objective (a proof by Gaussian differential privacy), noise on its "
    "minimiser that hides rounding and the optimiser's error",
    Way.GRADIENT: "residuals are whole numbers from public tables, cut row by row",
}
_ROWS: Final = "rows were held in memory by the stage that read them"
_FOR_ROWS: Final = "one person's rows weigh as much as a fixed number of rows at most"
_FOR_PEOPLE: Final = "one person is one example, the mean of their rows of one class"
_NUMBERS = "numbers are scaled by declared bounds, and each row of them is cut to a public length in whole steps"
_NOISE: Final = {"noise": "rounded Gaussian"}


@frozen
class ConvexSettings:
    """How a model is trained: which way, levels of a number, rows a person counts for, and what the way needs.

    `numbers` names the columns that count as numbers (`age, pixel_*`), and `norm` is the length at which a row of them
    is cut.
    """

    by: str = "objective"
    bins: int = 16
    rows_each: int = 1
    steps: int = 20
    clip: Number | None = None
    ridge: Number | None = None
    numbers: str = ""
    norm: Number | None = None


@frozen(eq=False)
class ConvexFit:
    """The plan of a convex model."""

    plan: ConvexPlan

    @property
    def training(self) -> Training:
        return self.plan.training

    @property
    def relation(self) -> Relation:
        return self.plan.relation

    @property
    def unit(self) -> str:
        return self.plan.unit

    @property
    def digest(self) -> str:
        return self.plan.digest

    @property
    def notes(self) -> str:
        plan, training = self.plan, self.plan.training
        columns = len(training.features) - 1 + len(training.numbers)
        learned = f"{plan.loss.value.capitalize()} classification of {training.target.name} by {columns} columns"
        how = {
            Way.OUTPUT: "noise on the minimiser",
            Way.OBJECTIVE: "noise in the objective",
            Way.GRADIENT: f"noise in {plan.steps} steps",
        }
        many = "one row" if plan.rows_each == 1 else f"{plan.rows_each:,} rows"
        weighted = f" All rows of one person weigh as much as {many} at most." if plan.is_weighted else ""
        counted = len(training.numbers)
        numbers = f" {counted:,} of them are numbers, and a row of these is cut at a length of {shown(plan.norm)}."
        cut = numbers if counted else ""
        return f"{learned}, {how[plan.way]}.{cut} Hidden: {plan.unit} ({plan.relation}).{weighted}"

    @property
    def claims(self) -> tuple[str, ...]:
        single = _FOR_PEOPLE if self.plan.way is Way.OBJECTIVE else _FOR_ROWS
        cut = [_NUMBERS] if self.plan.training.numbers else []
        return (_WAYS[self.plan.way], _ROWS, *cut, *([single] if self.plan.is_weighted else []))

    @property
    def blocks(self) -> tuple[Mapping[str, str], ...]:
        parts = {
            Way.OUTPUT: (("people", COUNT_SHARE), ("coefficients", 1 - COUNT_SHARE)),
            Way.OBJECTIVE: (("objective", 1 - GRID_SHARE), ("coefficients", GRID_SHARE)),
            Way.GRADIENT: (
                ("rows by level", WEIGHTS_SHARE),
                (f"residuals by level, {self.plan.steps} times", 1 - WEIGHTS_SHARE),
            ),
        }
        return tuple({"counts": what, "share": str(share)} | _NOISE for what, share in parts[self.plan.way])

    @property
    def rows_sql(self) -> str:
        return self.plan.reading.sql

    def stages(self, price: Price) -> tuple[Stage, ...]:
        return ConvexRun(self.plan, price).stages


class ConvexKind:
    """Convex models with one loss."""

    loss: LossKind

    def fit(self, sql: str, target: str, catalogue: Catalogue, unit: Unit, settings: Mapping[str, Any]) -> ConvexFit:
        chosen = settings_of(ConvexSettings, settings)
        ways = {way.value: way for way in Way}
        if chosen.by not in ways:
            raise Refused(f"training by {chosen.by}", "There is no such way.", ", ".join(ways) + ".")
        way = ways[chosen.by]
        classes = MOST_CLASSES if self.loss is LossKind.SOFTMAX else 2
        training = read_training(sql, target, chosen.bins, catalogue, classes, numbers=chosen.numbers)
        usual = Fraction(1, 2) if way is Way.GRADIENT and self.loss is LossKind.LOGISTIC else Fraction(1)
        clip = usual if chosen.clip is None else positive(chosen.clip, "clip")
        ridge = None if chosen.ridge is None else float(positive(chosen.ridge, "ridge"))
        plan = ConvexPlan(
            training,
            self.loss,
            way,
            unit.relation,
            unit.hides,
            chosen.rows_each,
            chosen.steps,
            clip,
            ridge,
            _norm(chosen.norm, len(training.numbers)),
        )
        return ConvexFit(plan)

    def model(self, said: Mapping[str, Any]) -> ConvexModel:
        return ConvexModel.from_fields(said)


def _norm(given: Number | None, columns: int) -> Fraction:
    """Where rows of numbers are cut: half of the longest, but 1 at least, if none is given."""
    if given is None:
        return max(Fraction(1), Fraction(isqrt(columns * 64), 16)) if columns else Fraction(0)
    norm = positive(given, "norm")
    if not norm**2 <= columns:
        why = f"{columns:,} numbers from −1 to 1 are at most {sqrt(columns):g} long." if columns else "There are none."
        raise Refused(f"numbers cut at a length of {shown(norm)}", why, "a shorter one, and columns in numbers.")
    return norm


class LogisticKind(ConvexKind):
    """Logistic regression."""

    loss = LossKind.LOGISTIC


class SoftmaxKind(ConvexKind):
    """Logistic regression of several classes."""

    loss = LossKind.SOFTMAX


class HingeKind(ConvexKind):
    """A linear support vector machine, its hinge rounded."""

    loss = LossKind.HINGE
