"""The training of a network as a job: what identifies it, what it rests on, and how its stored release is found."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from tacit.curator.door import Job, release
from tacit.curator.open_data import in_words_of
from tacit.curator.planner import Planner
from tacit.errors import Failed, Refused
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.ledger.certificate import Grounds
from tacit.ledger.request import Stored
from tacit.loss.families.loss import Relation
from tacit.query.materialized.statements import STATEMENTS

if TYPE_CHECKING:
    from tacit.learn.sgd.network_fit import Model, NetworkFit, NetworkSettings
    from tacit.learn.sgd.sgd_plan import PricedPlan

_CLASSES = 100  # of a target, at most
_CLAIMS = (
    "the price of all steps was charged and durable before any row was read",
    "people are sampled by exact coins, place by place, and never shuffled",
    "one person moves the whole numbers of a step by the clip at most, errors of float32 and rounding included",
    "rounded Gaussian noise is post-processing of the Gaussian mechanism",
    "steps whose process died are lost, and none is run twice",
)


@frozen(eq=False)
class ReleasedNetwork:
    """A stored release of a network, what it rests on, and which entry paid for it."""

    stored: Stored
    grounds: Grounds
    free: bool

    @property
    def payload(self) -> bytes:
        """The weights."""
        return self.stored.payload.partition(b"\n")[2]


def network_fit(planner: Planner, model: Model, sql: str, target: str, settings: NetworkSettings) -> NetworkFit:
    """What is trained on which rows; refused under replace, and where the engine lacks a word that it needs."""
    from tacit.learn.sgd.network_fit import NetworkFit
    from tacit.learn.training_text import read_training

    description = planner.opened.description
    if description.unit.relation is not Relation.ADD_REMOVE:
        raise Refused(
            f"training on samples under {description.unit.relation}",
            "Poisson samples are priced for one unit that is added or removed.",
            "`learn`, or a description whose unit may be added or removed.",
        )
    training = read_training(sql, target, settings.bins, planner.catalogue, _CLASSES, numbers=settings.numbers)
    fit = NetworkFit.of(model, training, settings)
    in_words_of(planner.opened.engine, fit.reading.sql, planner.catalogue)
    return fit


def network_price(planner: Planner, fit: NetworkFit, epsilon: Number, delta: Number | None) -> PricedPlan:
    """The noise at which the network, and every step on its way, is (ε, δ)-private."""
    from tacit.learn.sgd.sgd_plan import PricedPlan

    description, settings = planner.opened.description, fit.settings
    return PricedPlan.for_epsilon(
        fit.bound, settings.rate, settings.steps, description.budget, description.promise, epsilon, delta
    )


def release_network(
    planner: Planner, fit: NetworkFit, priced: PricedPlan, analyst: str, fresh: bool
) -> ReleasedNetwork:
    """The network at a price: from the store if it is there, else through the door."""
    digest = _digest(planner, fit, priced)
    if not fresh:
        for stored in planner.opened.stored_under(digest, priced.price.strength):
            return _read(stored, True)
    return release(planner.opened, network_job(planner, fit, priced), analyst, fresh, _read)


def network_job(planner: Planner, fit: NetworkFit, priced: PricedPlan) -> Job:
    """Training at a price, as the door takes it."""
    stages = fit.stages(priced).stages
    return Job(
        digest=_digest(planner, fit, priced),
        accuracy=priced.price.strength,
        price=priced.price,
        words=f"train a network for {fit.training.target.name} from: {fit.training.sql}",
        note="train",
        relation=Relation.ADD_REMOVE,
        chooses_keys=False,
        grounds=json.dumps({"grounds": _grounds(planner, fit, priced).fields()}).encode() + b"\n",
        session=lambda: planner.session(STATEMENTS),
        statements=1,
        stages=stages,
        may_lose_stages=True,
    )


def _digest(planner: Planner, fit: NetworkFit, priced: PricedPlan) -> str:
    own = hashlib.sha256(fit.digest(priced).encode()).hexdigest()[:48]
    return f"train.{planner.version}.{own}"


def _read(stored: Stored, free: bool) -> ReleasedNetwork:
    if stored.is_failed:
        raise Failed
    said = json.loads(stored.payload.partition(b"\n")[0])
    return ReleasedNetwork(stored, Grounds.from_fields(said["grounds"]), free)


def _grounds(planner: Planner, fit: NetworkFit, priced: PricedPlan) -> Grounds:
    plan = priced.plan
    counted = {"counts": "people", "noise": "rounded Gaussian", "variance": str(priced.count.variance)}
    steps = {
        "counts": f"sums of gradients clipped at {float(plan.bound.clip):g}, {plan.steps} times",
        "sample": f"Poisson, rate {plan.rate}",
        "multiplier": str(priced.multiplier),
    }
    unit = f"{planner.opened.description.unit.hides} ({Relation.ADD_REMOVE})"
    return Grounds(fit.digest(priced), unit, (counted, steps), str(priced.price.alone), _CLAIMS)
