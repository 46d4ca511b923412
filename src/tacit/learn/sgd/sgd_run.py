"""One run of training: count people, then a stage for every few steps, each of which ends in a checkpoint."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tacit.errors import Failed
from tacit.frozen import frozen
from tacit.learn.sgd.checkpoint import OptimizerChoice, packed, unpack
from tacit.learn.sgd.clipped_sums import ClippedSums, RowLoss
from tacit.learn.sgd.error_bound import EXACT_BATCHES
from tacit.learn.sgd.network import PrivateNetwork
from tacit.learn.sgd.people_rows import PeopleRows
from tacit.learn.sgd.places import SampledPlaces
from tacit.learn.sgd.sgd_plan import PricedPlan
from tacit.noise.bits import Bits
from tacit.noise.grid import saturated_sum
from tacit.noise.slabs import slabs
from tacit.query.engines.protocol import Session, Stage

Integers = NDArray[np.int64]
_TOGETHER: Final = 4  # micro-batches whose gradients are computed at once


@frozen(eq=False)
class SgdSettings:
    """What is trained, and how noisy gradients are used: public, and no part of the price."""

    model: nn.Module  # with its first weights
    loss: RowLoss
    optimizer: OptimizerChoice
    stage_steps: int  # after which a checkpoint is stored
    seed: int = 0  # of dropout


class SgdRun:
    """The stages of a plan at a price.

    Claim: every step that the plan counts draws once. A stage is marked before it draws. If its process dies before it
    is stored, an empty stage is stored in its place, and the stages behind it go on from the checkpoint before: its
    steps are lost, and none of them is run again.
    """

    def __init__(self, priced: PricedPlan, settings: SgdSettings, rows: Callable[[Session], PeopleRows]) -> None:
        self._priced, self._settings, self._rows = priced, settings, rows
        self._session: Session | None = None
        self._read: PeopleRows | None = None

    @property
    def stages(self) -> tuple[Stage, ...]:
        whole, rest = divmod(self._priced.plan.steps, self._settings.stage_steps)
        many = [self._settings.stage_steps] * whole + [rest] * (rest > 0)
        return (self._count, *[self._steps(each, place) for place, each in enumerate(many)], self._last)

    def _count(self, session: Session, bits: Bits, _: Sequence[bytes]) -> bytes:
        return str(self._priced.count.released(self._people(session).people, bits)).encode()

    def _steps(self, many: int, place: int) -> Stage:
        def made(session: Session, bits: Bits, released: Sequence[bytes]) -> bytes:
            people, counted = self._people(session), _counted(released)
            network = PrivateNetwork.of(copy.deepcopy(self._settings.model).train())
            optimizer = self._settings.optimizer.made(network.weights)
            if found := _newest(released):
                unpack(found, network, optimizer)
            arrangement = SampledPlaces.drawn(people.people, self._priced.count.places(counted), bits)
            step = NoisyStep(self._priced, ClippedSums(network, self._settings.loss, self._priced.plan.bound))
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(self._settings.seed + place)
                for _ in range(many):
                    step.give(step.whole_numbers(people, arrangement, bits), counted)
                    optimizer.step()
            return packed(network, optimizer)

        return made

    def _last(self, _: Session, __: Bits, released: Sequence[bytes]) -> bytes:
        """The model as it is stored with the release; nothing is read or drawn."""
        network = PrivateNetwork.of(copy.deepcopy(self._settings.model))
        if found := _newest(released):
            unpack(found, network)
        return packed(network)

    def _people(self, session: Session) -> PeopleRows:
        if self._session is not session or self._read is None:
            self._session, self._read = session, self._rows(session)
        return self._read


@frozen(eq=False)
class NoisyStep:
    """One step: the sum over a sample of people with noise, and the gradient that an optimizer is given."""

    priced: PricedPlan
    sums: ClippedSums

    @cached_property
    def _total(self) -> Tensor:
        """Memory of the sums, kept between steps: to ask the system for it in each step takes longer than to add."""
        return torch.zeros(self.priced.plan.bound.dimension, dtype=torch.float64)

    @cached_property
    def _whole(self) -> Integers:
        return np.zeros(self.priced.plan.bound.dimension, np.int64)

    def whole_numbers(self, people: PeopleRows, arrangement: SampledPlaces, bits: Bits) -> Integers:
        """Noisy whole numbers: micro-batches are added as integers; an empty sample is noise alone."""
        plan, total = self.priced.plan, self._total.zero_()
        folded = []
        for place, who in enumerate(arrangement.batches(plan.rate, _TOGETHER * plan.bound.people, bits), 1):
            self.sums.add_to(total, people.batch(who))
            if place % (EXACT_BATCHES // _TOGETHER) == 0:
                folded.append(total.numpy().astype(np.int64))
                total.zero_()
        np.copyto(self._whole, total.numpy(), casting="unsafe")
        whole = sum(folded, self._whole)
        return np.asarray(saturated_sum(whole, slabs(self.priced.law).draw(whole.size, bits)))

    def give(self, numbers: Integers, counted: int) -> None:
        """Put the gradient of the mean into the weights: over the expected sample of the noisy number of people."""
        plan, start = self.priced.plan, 0
        scale = float(plan.bound.step / (plan.rate * max(counted, 1)))
        for weight in self.sums.network.weights:
            own = torch.from_numpy(numbers[start : start + weight.numel()]).float()
            weight.grad = own.mul_(scale).view(weight.shape)
            start += weight.numel()


def _counted(released: Sequence[bytes]) -> int:
    if not released[0]:
        raise Failed  # the count was lost, and another is not paid for
    return int(released[0])


def _newest(released: Sequence[bytes]) -> bytes:
    """The newest checkpoint; empty where there is none."""
    return next((each for each in reversed(released[1:]) if each), b"")
