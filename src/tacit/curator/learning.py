"""Models as an open data set trains and evaluates them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.curator.account_view import BudgetView
from tacit.curator.certifier import statement_of
from tacit.curator.counting_workloads import CountingWorkloads
from tacit.curator.model_file import SignedModel, read_signed_model
from tacit.curator.terms import analyst_share
from tacit.errors import Failed, Refused
from tacit.exact import Number, positive
from tacit.frozen import frozen
from tacit.ledger.certificate import Certificate
from tacit.ledger.signature import sign
from tacit.loss.families.loss import Loss
from tacit.release.price import PriceWords, price_words
from tacit.words import share_left, share_used, shown

if TYPE_CHECKING:
    from tacit.curator.learn_job import TrainedModel
    from tacit.curator.open_data import Opened
    from tacit.learn.model_kind import ModelData


@frozen(eq=False)
class LearnedModel:
    """A trained model as it is shown and kept: the model, what it cost, and how it is certified."""

    model: ModelData
    price: PriceWords
    notes: str
    certificate: Certificate

    def write(self, place: str | Path) -> None:
        """The model as a JSON file, with its certificate."""
        text = SignedModel(self.model, self.certificate).text(self.notes, self.price.cost)
        Path(place).write_text(text, encoding="utf-8")

    def __str__(self) -> str:
        from tacit.learn.model_kind import ReadableModel

        told = f"{self.model.told}\n" if isinstance(self.model, ReadableModel) else ""
        return f"{told}{self.notes}\n{self.price}"


def read_model(place: str | Path) -> ModelData:
    """The model in a file, of whatever kind; refused where it is none, or is not what was signed."""
    return read_signed_model(place).model


class Learning(CountingWorkloads):
    """The part of an open data set that trains models."""

    def learn(
        self,
        sql: str,
        *,
        target: str = "",
        model: str = "additive",
        epsilon: Number,
        delta: Number | None = None,
        fresh: bool = False,
        **settings: Any,
    ) -> LearnedModel:
        """A model of a target by all other columns of a SELECT; every step is paid for before the first.

        Settings of an additive model are `bins` (16 levels of a number), `steps` (20), `rows_each` (1: how many rows
        the rows of one person count for), `clip` (where residuals are cut: 0.5 for classes, 0.25 of the bounds for
        numbers), `cuts` ("even" bins, or "quantiles"), `pairs` ("age*ward"), `private` ("ward": columns whose keys are
        chosen privately). Models called logistic, softmax and hinge have `by` (output, objective or gradient), `bins`,
        `rows_each`, what their way needs: `steps` and `clip` of a gradient, `ridge` (absolute) of an output, and
        `numbers` ("age, pixel_*": columns that count as numbers, not as levels) with `norm`, the length at which a row
        of them is cut. Others are linear, naive-bayes, multinomial, kmeans and pca.
        """
        from tacit.curator.learn_job import release_model, training_fit, training_price
        from tacit.learn.model_kind import chooses_keys

        analyst_share(self._opened, self._analyst)
        planner = self._planner
        fit = training_fit(planner, model, sql, target, settings)
        found = release_model(
            planner, fit, training_price(planner, epsilon, delta, chooses_keys(fit)), self._analyst, fresh
        )
        notes = fit.notes
        try:
            return _shown(self._opened, found, sql, notes)
        except Exception:
            if found.free:
                raise
            raise Failed from None  # it is paid for, and stored: asking again is free

    def check_learning(self, sql: str, *, target: str, model: str = "additive", **settings: Any) -> None:
        """Refuse what `learn` would refuse of a question and its settings; nothing is spent and no row is read."""
        from tacit.curator.learn_job import training_fit

        training_fit(self._planner, model, sql, target, settings)

    def together(self, times: int, epsilon: Number, delta: Number | None = None) -> str:
        """What several fits or evaluations at one price cost together; refused where they do not all fit."""
        from tacit.curator.learn_job import training_price

        opened, charge = self._opened, training_price(self._planner, epsilon, delta).charge
        _refuse_unless_together(opened, self._analyst, charge, times)
        used, left = times * opened.filter.share(charge), 1 - opened.filter.share(opened.filter.spent)
        alone = f"{times} releases, each ε = {shown(positive(epsilon, 'epsilon'))}"
        return (
            f"{alone}: together they use {share_used(used)} of the budget at most; {share_left(left)} is left before."
        )


def _shown(opened: Opened, found: TrainedModel, sql: str, notes: str) -> LearnedModel:
    price = price_words(opened.filter, found.grounds.price, found.share, found.free, found.charge)
    digest = found.model.digest
    certificate = sign(statement_of(opened, found.grounds, found.entry, sql, digest), opened.signing_key)
    return LearnedModel(found.model, price, notes, certificate)


def _refuse_unless_together(opened: Opened, analyst: str, charge: Loss, times: int) -> None:
    """Refuse where so many equal charges do not fit into the budget, or into the analyst's share of it."""
    filled = opened.filter
    for _ in range(times):
        filled = filled.charge(charge)
    share = analyst_share(opened, analyst)
    used = BudgetView.of(opened).used_by(analyst)
    wanted = times * opened.filter.share(charge)
    if share is not None and used + wanted > share:
        raise Refused(
            f"{times} releases that use {share_used(wanted)} of the budget together",
            f"This analyst may use {share_used(share)} of it, and has used {share_used(used)}.",
            "a smaller epsilon, or fewer releases.",
        )
