"""Training as a job: what identifies it, what it rests on, and how its stored release is found."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from tacit.curator.door import Job, release
from tacit.curator.open_data import Opened, in_words_of
from tacit.curator.planner import Planner
from tacit.errors import Failed, Refused
from tacit.exact import Number, positive
from tacit.frozen import frozen
from tacit.learn.additive_model import AdditiveModel
from tacit.learn.additive_plan import WEIGHTS_SHARE, AdditivePlan
from tacit.learn.additive_run import AdditiveRun
from tacit.learn.training_text import Task, read_training
from tacit.ledger.certificate import Grounds
from tacit.ledger.request import Stored
from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Loss
from tacit.query.materialized.statements import STATEMENTS
from tacit.query.plans.price import Price, price_of

_CLAIMS = (
    "the price of all steps was charged and durable before any row was read",
    "rounded Gaussian noise is post-processing of the Gaussian mechanism (Balle–Wang curve, μ² adds up)",
    "levels are public: bins of declared bounds, and declared values",
    "residuals are cut to whole numbers in the query itself, row by row",
)
_ROWS = "each person is one row"
_WEIGHTS = "one person's rows weigh as much as a fixed number of rows at most, in the query itself"


_CLIP = {Task.CLASSIFICATION: Fraction(1, 2), Task.REGRESSION: Fraction(1, 4)}


@frozen
class Settings:
    """How a model is trained: levels of a number, steps, rows that one person counts for, where residuals are cut."""

    bins: int = 16
    steps: int = 20
    rows_each: int = 1
    clip: Number | None = None


@frozen(eq=False)
class TrainedModel:
    """A stored release of a model, what it rests on, which entry paid for it, and its share."""

    model: AdditiveModel
    grounds: Grounds
    entry: int
    free: bool
    share: Fraction
    charge: Loss


def training_plan(planner: Planner, sql: str, target: str, settings: Settings) -> AdditivePlan:
    """The plan of training; refused in a pure account, and where the engine lacks a word that it needs."""
    description, catalogue = planner.opened.description, planner.catalogue
    if isinstance(description.budget, Pure):
        raise Refused(
            "training in a pure account", "Its noise is Gaussian, which needs a δ above 0.", "a budget with a δ."
        )
    training = read_training(sql, target, settings.bins, catalogue)
    unit = description.unit
    clip = _CLIP[training.target.task] if settings.clip is None else positive(settings.clip, "clip")
    plan = AdditivePlan(training, unit.relation, unit.hides, settings.rows_each, settings.steps, clip)
    in_words_of(planner.opened.engine, plan.coded.coded_sql(), catalogue)
    return plan


def training_price(planner: Planner, epsilon: Number, delta: Number | None) -> Price:
    """The price at which the model, and every step on its way, is (ε, δ)-private."""
    description = planner.opened.description
    return price_of(description.budget, description.promise, epsilon, delta, False)


def release_model(planner: Planner, plan: AdditivePlan, price: Price, analyst: str, fresh: bool) -> TrainedModel:
    """The model at a price: from the store if it is there, else through the door."""
    if not fresh:
        for stored in planner.opened.stored_under(_digest(planner, plan), price.strength):
            return _read(stored, planner.opened)
    opened, job = planner.opened, training_job(planner, plan, price)
    return release(opened, job, analyst, fresh, lambda stored, free: replace(_read(stored, opened), free=free))


def training_job(planner: Planner, plan: AdditivePlan, price: Price) -> Job:
    """Training at a price, as the door takes it."""
    return Job(
        digest=_digest(planner, plan),
        accuracy=price.strength,
        price=price,
        words=f"learn {plan.training.target.name} from: {plan.training.sql}",
        note="learn",
        relation=plan.relation,
        chooses_keys=False,
        grounds=json.dumps({"grounds": _grounds(plan, price).fields()}).encode() + b"\n",
        session=lambda: planner.session(STATEMENTS),
        statements=2 + plan.steps,
        stages=AdditiveRun(plan, price).stages,
    )


def _digest(planner: Planner, plan: AdditivePlan) -> str:
    own = hashlib.sha256(plan.digest.encode()).hexdigest()[:48]
    return f"learn.{planner.version}.{own}"


def _read(stored: Stored, opened: Opened) -> TrainedModel:
    if stored.is_failed:
        raise Failed
    head, _, packed = stored.payload.partition(b"\n")
    said: Mapping[str, Any] = json.loads(head)
    charge = stored.charge
    model = AdditiveModel.from_fields(json.loads(packed))
    share = opened.filter.share(charge.loss)
    return TrainedModel(model, Grounds.from_fields(said["grounds"]), charge.number, True, share, charge.loss)


def _grounds(plan: AdditivePlan, price: Price) -> Grounds:
    counts = {"counts": "rows by level", "noise": "rounded Gaussian", "share": str(WEIGHTS_SHARE)}
    steps = {"counts": f"residuals by level, {plan.steps} times", "share": str(1 - WEIGHTS_SHARE)}
    weighted = _WEIGHTS if plan.coded.is_weighted else _ROWS
    unit = f"{plan.unit} ({plan.relation})"
    return Grounds(plan.digest, unit, (counts, steps), str(price.alone), (*_CLAIMS, weighted))
