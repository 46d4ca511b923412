"""Private tuning as a job: what identifies it, what it rests on, and how its stored release is read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from tacit.curator.door import Job, release
from tacit.curator.learn_job import training_fit
from tacit.curator.model_kinds import read_fields
from tacit.curator.planner import Planner
from tacit.errors import Failed, Refused
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.learn.model_kind import ModelData, ModelFit, chooses_keys
from tacit.learn.number_columns import refuse_unless_in_sql
from tacit.learn.tuning.candidates import named
from tacit.learn.tuning.held_out_score import held_out_score
from tacit.learn.tuning.tuning_plan import SCORE_SHARE, TuningPlan
from tacit.learn.tuning.tuning_run import TuningRun
from tacit.ledger.certificate import Grounds
from tacit.ledger.request import Stored
from tacit.loss.families.loss import Loss
from tacit.query.materialized.statements import STATEMENTS

_CLAIMS = (
    "the price of all runs was charged and durable before any row was read",
    "rounded Gaussian noise is post-processing of the Gaussian mechanism (Balle–Wang curve, μ² adds up)",
    "candidates are public, and were fixed before the charge",
)


@frozen(eq=False)
class TunedRelease:
    """A stored release of a chosen model: which candidate it is, what it rests on, and which entry paid for it."""

    model: ModelData
    candidate: int
    grounds: Grounds
    entry: int
    free: bool
    share: Fraction
    charge: Loss


def tuning_plan(
    planner: Planner,
    kind: str,
    sql: str,
    target: str,
    candidates: Sequence[Mapping[str, Any]],
    judged_on: str | None,
    epsilon: Number,
    delta: Number | None,
) -> TuningPlan:
    """The plan of a tuning; refused, before any row is read, where a candidate or the held-out rows would be."""
    rows = sql if judged_on is None else judged_on
    fits = tuple(_scorable(planner, kind, sql, rows, target, settings) for settings in candidates)
    if len({fit.digest for fit in fits}) < len(fits):
        raise Refused("candidates that are the same", "One of them would be tried twice as often.", "different ones.")
    description = planner.opened.description
    score = held_out_score(rows, sql, planner.catalogue, fits[0].relation)
    return TuningPlan.priced(fits, tuple(candidates), score, description.budget, description.promise, epsilon, delta)


def _scorable(planner: Planner, kind: str, sql: str, rows: str, target: str, settings: Mapping[str, Any]) -> ModelFit:
    """The fit of one candidate, which can also be planned on the rows of the scores."""
    if kind in ("kmeans", "pca"):
        raise Refused(f"tuning of {kind}", "No row says which model is right.", "a model with a target.")
    fit = training_fit(planner, kind, sql, target, settings)
    refuse_unless_in_sql(settings)
    if chooses_keys(fit):
        why = "A choice among runs is proven for Gaussian noise alone, and private keys take a part of δ."
        raise Refused("private keys in a tuning", why, "declared keys, or `tacit learn fit` for each.")
    training_fit(planner, kind, rows, target, settings)
    return fit


def release_tuned(planner: Planner, plan: TuningPlan, analyst: str, fresh: bool) -> TunedRelease:
    """The chosen model: from the store if it is there, else through the door."""
    opened = planner.opened
    if not fresh:
        for stored in opened.stored_under(_digest(planner, plan), plan.price.strength):
            return _read(stored, planner)
    job = tuning_job(planner, plan)
    return release(opened, job, analyst, fresh, lambda stored, free: replace(_read(stored, planner), free=free))


def tuning_job(planner: Planner, plan: TuningPlan) -> Job:
    """A tuning, as the door takes it."""
    stages = TuningRun(plan, read_fields).stages
    fit = plan.fits[0]
    each = 2 + len(fit.stages(plan.fit_price))
    return Job(
        digest=_digest(planner, plan),
        accuracy=plan.price.strength,
        price=plan.price,
        words=f"tune {fit.training.target.name} from: {fit.training.sql}",
        note="tune",
        relation=fit.relation,
        chooses_keys=False,
        grounds=json.dumps({"grounds": _grounds(plan).fields()}).encode() + b"\n",
        session=lambda: planner.session(STATEMENTS),
        statements=each * (len(plan.fits) if plan.runs is None else plan.runs.most),
        stages=stages,
    )


def _digest(planner: Planner, plan: TuningPlan) -> str:
    own = hashlib.sha256(plan.digest.encode()).hexdigest()[:48]
    return f"tune.{planner.version}.{own}"


def _read(stored: Stored, planner: Planner) -> TunedRelease:
    if stored.is_failed:
        raise Failed
    head, _, packed = stored.payload.partition(b"\n")
    said, chosen, charge = json.loads(head), json.loads(packed), stored.charge
    share = planner.opened.filter.share(charge.loss)
    grounds = Grounds.from_fields(said["grounds"])
    model = read_fields(chosen["model"])
    return TunedRelease(model, int(chosen["candidate"]), grounds, charge.number, True, share, charge.loss)


def _grounds(plan: TuningPlan) -> Grounds:
    fit = plan.fits[0]
    tried = {"counts": f"candidates: {'; '.join(map(named, plan.settings))}", "strength": str(plan.run_strength)}
    scores = {"counts": "people whose rows are predicted right", "noise": "rounded Gaussian", "share": str(SCORE_SHARE)}
    fits = {"counts": "fits", "share": str(1 - SCORE_SHARE)}
    unit = f"{fit.unit} ({fit.relation})"
    blocks: tuple[Mapping[str, str], ...] = (tried, fits, scores)
    return Grounds(plan.digest, unit, blocks, str(plan.price.alone), (*_CLAIMS, *plan.claims, *fit.claims))
