"""Private tuning of an open data set's models: of several candidates the best one is released, at one price."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.curator.certifier import statement_of
from tacit.curator.evaluation import Evaluating
from tacit.curator.learning import LearnedModel
from tacit.curator.terms import analyst_share
from tacit.errors import Failed
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.ledger.signature import sign
from tacit.release.price import price_words

if TYPE_CHECKING:
    from tacit.curator.tune_job import TunedRelease
    from tacit.learn.tuning.tuning_plan import TuningPlan


@frozen(eq=False)
class TunedModel(LearnedModel):
    """The chosen model, and the settings of its candidate."""

    settings: Mapping[str, Any]


class Tuning(Evaluating):
    """The part of an open data set that chooses among candidates."""

    def tune(
        self,
        sql: str,
        *,
        target: str,
        candidates: Mapping[str, Sequence[Any]],
        epsilon: Number,
        delta: Number | None = None,
        model: str = "additive",
        judged_on: str | None = None,
        fresh: bool = False,
        **settings: Any,
    ) -> TunedModel:
        """The best of all combinations of `candidates`, {"bins": [8, 16]}, each fit and scored privately; one price.

        Scores are of the rows of `judged_on`, a SELECT of the same columns, or of those of the training. Only the
        chosen model is released. `settings` are those that all candidates share, as in `learn`.
        """
        from tacit.curator.tune_job import release_tuned, tuning_plan
        from tacit.learn.tuning.candidates import settings_in

        analyst_share(self._opened, self._analyst)
        planner = self._planner
        listed = settings_in(candidates, settings)
        plan = tuning_plan(planner, model, sql, target, listed, judged_on, epsilon, delta)
        found = release_tuned(planner, plan, self._analyst, fresh)
        try:
            return self._tuned(plan, found, sql)
        except Exception:
            if found.free:
                raise
            raise Failed from None  # it is paid for, and stored: asking again is free

    def _tuned(self, plan: TuningPlan, found: TunedRelease, sql: str) -> TunedModel:
        from tacit.learn.tuning.candidates import named

        opened, chosen = self._opened, plan.settings[found.candidate]
        price = price_words(opened.filter, found.grounds.price, found.share, found.free, found.charge)
        statement = statement_of(opened, found.grounds, found.entry, sql, found.model.digest)
        notes = f"{plan.fits[found.candidate].notes} Chosen: {named(chosen)}. {plan.way}"
        return TunedModel(found.model, price, notes, sign(statement, opened.signing_key), chosen)
