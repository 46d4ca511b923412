"""Networks as an open data set trains them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.curator.certifier import statement_of
from tacit.curator.terms import analyst_share
from tacit.curator.tuning import Tuning
from tacit.errors import Failed
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.ledger.certificate import Certificate
from tacit.ledger.signature import sign
from tacit.release.price import PriceWords, price_words

if TYPE_CHECKING:
    from tacit.learn.sgd.network_fit import Model
    from tacit.learn.sgd.trained_network import TrainedNetwork


@frozen(eq=False)
class LearnedNetwork:
    """A trained network as it is shown and kept: the network, what it cost, and how it is certified."""

    network: TrainedNetwork
    price: PriceWords
    notes: str
    certificate: Certificate

    def write(self, place: str | Path) -> None:
        """The weights as a safetensors file, with the certificate."""
        self.network.save(place, notes=self.notes, price=self.price.cost, certificate=self.certificate.to_json())

    def __str__(self) -> str:
        return f"{self.notes}\n{self.price}"


class NetworkTraining(Tuning):
    """The part of an open data set that trains networks of torch."""

    def train(
        self,
        model: Model,
        sql: str,
        *,
        target: str,
        epsilon: Number,
        delta: Number | None = None,
        fresh: bool = False,
        **settings: Any,
    ) -> LearnedNetwork:
        """A torch network for a target, by private gradient descent; every step is paid for before the first.

        `model` is a Sequential, or a function of the numbers of inputs and outputs that makes one. Settings are `rate`
        (1/32: of people, in each step), `steps` (320), `clip` (1: of one person's gradient), `rows_each` (1: rows of
        one person that are read), `bins` (16), `stage_steps` (80: between two checkpoints), `optimizer`
        (torch.optim.Adam), `options` (its settings), `seed` (0: of the first weights), `weights_are_public` (the
        weights given are kept: they must not come from private data), `numbers` ("pixel_*": columns that count as
        numbers, scaled by their bounds; they are the first inputs).
        """
        from tacit.curator.network_job import network_fit, network_price, release_network
        from tacit.learn.model_kind import settings_of
        from tacit.learn.sgd.network_fit import NetworkSettings

        analyst_share(self._opened, self._analyst)
        planner = self._planner
        fit = network_fit(planner, model, sql, target, settings_of(NetworkSettings, settings))
        priced = network_price(planner, fit, epsilon, delta)
        found = release_network(planner, fit, priced, self._analyst, fresh)
        try:
            network, charge, opened = fit.trained(found.payload), found.stored.charge, self._opened
            share = opened.filter.share(charge.loss)
            price = price_words(opened.filter, found.grounds.price, share, found.free, charge.loss)
            statement = statement_of(opened, found.grounds, charge.number, sql, network.digest)
            plan = priced.plan
            notes = (
                f"Network of {plan.bound.dimension:,} weights for {fit.training.target.name}, in {plan.steps} steps on "
                f"samples of {plan.rate} of people. Hidden: {self._opened.description.unit.hides} (add/remove). "
                f"At most {fit.settings.rows_each} rows of each are read, and their gradient is cut together."
            )
            return LearnedNetwork(network, price, notes, sign(statement, opened.signing_key))
        except Exception:
            if found.free:
                raise
            raise Failed from None  # it is paid for, and stored: asking again is free
