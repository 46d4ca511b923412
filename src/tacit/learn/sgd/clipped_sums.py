"""The sum of clipped gradients of a micro-batch in whole numbers: what noise is added to."""

from __future__ import annotations

from enum import Enum

import torch
from torch import Tensor, nn

from tacit.frozen import frozen
from tacit.learn.sgd.error_bound import ErrorBound
from tacit.learn.sgd.gradient_parts import LARGEST, GradientPart, parts_of
from tacit.learn.sgd.network import PrivateNetwork

_LOWER = 1 - 2.0**-22


class RowLoss(Enum):
    """What is minimised, row by row: cross-entropy of classes, or half the squared error of a number."""

    CROSS_ENTROPY = "cross entropy"
    SQUARED = "squared error"

    def of(self, given: Tensor, targets: Tensor) -> Tensor:
        """The loss of each row."""
        if self is RowLoss.CROSS_ENTROPY:
            return nn.functional.cross_entropy(given, targets, reduction="none")
        return 0.5 * (given.squeeze(1) - targets).square()


@frozen(eq=False)
class PeopleBatch:
    """Rows of people: `rows` is (people, rows each, …), `targets` and `present` (people, rows each).

    `present` is 1 for a row and 0 for an empty place; rows there must be zeros.
    """

    rows: Tensor
    targets: Tensor
    present: Tensor

    @property
    def people(self) -> int:
        return len(self.rows)


@frozen(eq=False)
class ClippedSums:
    """Sums of clipped gradients on a grid, as `ErrorBound` says of them. One person is a place of the batch."""

    network: PrivateNetwork
    loss: RowLoss
    bound: ErrorBound

    def add_to(self, total: Tensor, batch: PeopleBatch) -> None:
        """Add the whole numbers of each micro-batch to a vector of float64, in which they are exact below 2⁵³.

        Gradients are computed for all people of the batch; micro-batches are runs of them that are added up together.
        Whether people are replaced by zeros is decided in each, so that one person changes nothing in the others, not
        even where in memory numbers are.
        """
        parts = self.parts(batch)
        factors, kept = self.factors(parts, batch)
        in_steps = factors * 2.0**-self.bound.exponent
        for first in range(0, batch.people, self.bound.people):
            at, start = slice(first, first + self.bound.people), 0
            replaced = None if bool(kept[at].all()) else kept
            for part in parts:
                summed = part.summed(in_steps, replaced, at).flatten()
                total[start : start + summed.numel()].add_(summed.round_())
                start += summed.numel()

    def parts(self, batch: PeopleBatch) -> list[GradientPart]:
        """The gradients of every weight, as they are known of each person."""
        value, inputs, outputs = self.network.run(batch.rows.flatten(0, 1))
        losses = self.loss.of(value, batch.targets.flatten()) * batch.present.flatten()
        gradients = torch.autograd.grad(losses.sum(), outputs)
        layers = zip(self.network.trained, inputs, gradients, strict=True)
        return [part for layer, given, own in layers for part in parts_of(layer, given, own, batch.people)]

    def factors(self, parts: list[GradientPart], batch: PeopleBatch) -> tuple[Tensor, Tensor]:
        """What each person's gradient is multiplied by, and who is kept: all others are replaced by zeros."""
        squared, absolute = torch.zeros(batch.people), torch.zeros(batch.people)
        kept = torch.ones(batch.people, dtype=torch.bool)
        for part in parts:
            squared, absolute, kept = squared + part.squared, absolute + part.absolute, kept & part.is_bounded
        kept = kept & (absolute <= LARGEST**2)  # below, no sum of a norm overflows
        bound, exact = self.bound, absolute.double()
        error, lost = float(2 * bound.norm_error), float(2 * bound.norm_underflow)
        norm = (squared.double() + error * exact + lost).clamp(min=0).sqrt()
        reach = (exact + error * exact + lost).sqrt() / bound.reach
        largest = torch.maximum(norm, reach)
        factors = ((bound.inner / largest).clamp(max=1) * _LOWER).float()
        is_here = batch.present.any(1)
        factors = torch.where(is_here & kept, factors, 0.0)
        return factors, kept
