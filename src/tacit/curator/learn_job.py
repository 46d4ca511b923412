"""Training as a job: what identifies it, what it rests on, and how its stored release is found."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from tacit.curator.door import Job, release
from tacit.curator.model_kinds import model_kind, read_fields
from tacit.curator.open_data import Opened, in_words_of
from tacit.curator.planner import Planner
from tacit.errors import Failed, Refused
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.learn.model_kind import ModelData, ModelFit, chooses_keys
from tacit.ledger.certificate import Grounds
from tacit.ledger.request import Stored
from tacit.loss.families.approx import Pure
from tacit.loss.families.loss import Loss
from tacit.query.materialized.statements import STATEMENTS
from tacit.query.plans.price import Price, price_of

_CLAIMS = (
    "the price of all steps was charged and durable before any row was read",
    "rounded Gaussian noise is post-processing of the Gaussian mechanism (Balle–Wang curve, μ² adds up)",
    "levels are public by the description, or were chosen in an earlier stage of the release",
)


@frozen(eq=False)
class TrainedModel:
    """A stored release of a model, what it rests on, which entry paid for it, and its share."""

    model: ModelData
    grounds: Grounds
    entry: int
    free: bool
    share: Fraction
    charge: Loss


def training_fit(planner: Planner, kind: str, sql: str, target: str, settings: Mapping[str, Any]) -> ModelFit:
    """The plan of training; refused in a pure account, and where the engine lacks a word that it needs."""
    description, catalogue = planner.opened.description, planner.catalogue
    if isinstance(description.budget, Pure):
        raise Refused(
            "training in a pure account", "Its noise is Gaussian, which needs a δ above 0.", "a budget with a δ."
        )
    fit = model_kind(kind).fit(sql, target, catalogue, description.unit, settings)
    in_words_of(planner.opened.engine, fit.rows_sql, catalogue)
    return fit


def training_price(planner: Planner, epsilon: Number, delta: Number | None, has_private_keys: bool = False) -> Price:
    """The price at which the model, and every step on its way, is (ε, δ)-private."""
    description = planner.opened.description
    return price_of(description.budget, description.promise, epsilon, delta, has_private_keys)


def release_model(planner: Planner, fit: ModelFit, price: Price, analyst: str, fresh: bool) -> TrainedModel:
    """The model at a price: from the store if it is there, else through the door."""
    if not fresh:
        for stored in planner.opened.stored_under(_digest(planner, fit), price.strength):
            return _read(stored, planner.opened)
    opened, job = planner.opened, training_job(planner, fit, price)
    return release(opened, job, analyst, fresh, lambda stored, free: replace(_read(stored, opened), free=free))


def training_job(planner: Planner, fit: ModelFit, price: Price) -> Job:
    """Training at a price, as the door takes it."""
    stages = fit.stages(price)
    return Job(
        digest=_digest(planner, fit),
        accuracy=price.strength,
        price=price,
        words=f"learn {fit.training.target.name} from: {fit.training.sql}",
        note="learn",
        relation=fit.relation,
        chooses_keys=chooses_keys(fit),
        grounds=json.dumps({"grounds": _grounds(fit, price).fields()}).encode() + b"\n",
        session=lambda: planner.session(STATEMENTS),
        statements=1 + len(stages),
        stages=stages,
    )


def _digest(planner: Planner, fit: ModelFit) -> str:
    own = hashlib.sha256(fit.digest.encode()).hexdigest()[:48]
    return f"learn.{planner.version}.{own}"


def _read(stored: Stored, opened: Opened) -> TrainedModel:
    if stored.is_failed:
        raise Failed
    head, _, packed = stored.payload.partition(b"\n")
    said: Mapping[str, Any] = json.loads(head)
    charge = stored.charge
    model = read_fields(json.loads(packed))
    share = opened.filter.share(charge.loss)
    return TrainedModel(model, Grounds.from_fields(said["grounds"]), charge.number, True, share, charge.loss)


def _grounds(fit: ModelFit, price: Price) -> Grounds:
    unit = f"{fit.unit} ({fit.relation})"
    return Grounds(fit.digest, unit, fit.blocks, str(price.alone), (*_CLAIMS, *fit.claims))
