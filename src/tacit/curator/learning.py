"""Models as an open data set trains and evaluates them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.curator.certifier import statement_of
from tacit.curator.counting_workloads import CountingWorkloads
from tacit.curator.model_kinds import read_fields
from tacit.curator.terms import analyst_share
from tacit.errors import Failed, Refused
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.ledger.certificate import Certificate
from tacit.ledger.signature import sign
from tacit.release.price import PriceWords, price_words

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
        whole = {"tacit": "model", "model": self.model.fields(), "notes": self.notes, "price": self.price.cost}
        whole["certificate"] = json.loads(self.certificate.to_json())
        Path(place).write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    def __str__(self) -> str:
        return f"{self.notes}\n{self.price}"


def read_model(place: str | Path) -> ModelData:
    """The model in a file, of whatever kind; refused where it is none."""
    try:
        whole: Mapping[str, Any] = json.loads(Path(place).read_text(encoding="utf-8"))
        said = whole["model"]
    except (OSError, ValueError, KeyError, TypeError):
        raise Refused(f"the model in {place}", "It cannot be read.", "a file that `tacit learn fit` wrote.") from None
    return read_fields(said)


class Learning(CountingWorkloads):
    """The part of an open data set that trains models."""

    def learn(
        self,
        sql: str,
        *,
        target: str,
        model: str = "additive",
        epsilon: Number,
        delta: Number | None = None,
        fresh: bool = False,
        **settings: Any,
    ) -> LearnedModel:
        """A model of a target by all other columns of a SELECT; every step is paid for before the first.

        Settings of an additive model are `bins` (16 levels of a number), `steps` (20), `rows_each` (1: how many rows
        the rows of one person count for), `clip` (where residuals are cut: 0.5 for classes, 0.25 of the bounds for
        numbers).
        """
        from tacit.curator.learn_job import release_model, training_fit, training_price

        analyst_share(self._opened, self._analyst)
        planner = self._planner
        fit = training_fit(planner, model, sql, target, settings)
        found = release_model(planner, fit, training_price(planner, epsilon, delta), self._analyst, fresh)
        notes = fit.notes
        try:
            return _shown(self._opened, found, sql, notes)
        except Exception:
            if found.free:
                raise
            raise Failed from None  # it is paid for, and stored: asking again is free


def _shown(opened: Opened, found: TrainedModel, sql: str, notes: str) -> LearnedModel:
    price = price_words(opened.filter, found.grounds.price, found.share, found.free, found.charge)
    digest = found.model.digest
    certificate = sign(statement_of(opened, found.grounds, found.entry, sql, digest), opened.signing_key)
    return LearnedModel(found.model, price, notes, certificate)


def evaluation_sql(model: ModelData, sql: str) -> str:
    """The query whose answer says how good a model is on the rows of a SELECT."""
    from tacit.learn.training_text import Task, parsed_rows

    select, target = parsed_rows(sql).copy(), model.target
    is_classifier = target.task is Task.CLASSIFICATION
    known = f"({target.unit_sql() if is_classifier else target.item}) IS NOT NULL"
    judged = select.select(f"{model.judged_sql()} AS judged", append=False, dialect="duckdb").where(
        known, dialect="duckdb"
    )
    what = "AVG(judged) AS accuracy" if is_classifier else "SQRT(AVG(judged)) AS rmse"
    return f"SELECT {what}, COUNT(*) AS n FROM ({judged.sql('duckdb')})"
