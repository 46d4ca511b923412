"""How good models are on private rows, as priced releases of an open data set."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING, Final

from tacit.curator.certifier import Certifier
from tacit.curator.learning import Learning
from tacit.curator.notes import intervals_of, notes_of, released_optimality
from tacit.curator.query_job import Answered, find_earlier, release_query
from tacit.curator.terms import analyst_share
from tacit.errors import Failed, Refused
from tacit.exact import Number, proper
from tacit.query.execution.noisy_table import answered
from tacit.query.plans.limit import IntervalKind
from tacit.query.plans.plan import Plan
from tacit.query.plans.question import Question
from tacit.query.post_noise.estimates import Rendered
from tacit.release.measures_read import SHOWN_DIGEST
from tacit.release.price import price_words
from tacit.release.release import Release

if TYPE_CHECKING:
    from tacit.learn.evaluation.score_bins import ScoreBins
    from tacit.learn.model_kind import ModelData

_MOST_GROUPS: Final = 1_000
_COLUMNS: Final = ("measure", "predicted", "value", "rows", "rmse", "mae")


class Evaluating(Learning):
    """The part of an open data set that says how good models are."""

    def evaluate(
        self,
        model: ModelData,
        sql: str,
        *,
        by: str | Sequence[str] = (),
        epsilon: Number | None = None,
        delta: Number | None = None,
        confidence: Number = "0.95",
        interval: str = "usual",
        fresh: bool = False,
    ) -> Release:
        """How good a model is on the rows of a SELECT like that of its training, all from one release.

        Of classes: accuracy, AUC, log loss, and the share of the second class, also by predicted probability
        (calibration). Of numbers: the root of the mean square of errors, and their mean size. `by` are columns, or
        expressions, with public values: measures of each group stand beside those of all rows.
        """
        from tacit.learn.evaluation.evaluation_text import evaluation_sql
        from tacit.learn.evaluation.score_bins import ScoreBins, scored

        level, kind = proper(confidence, "confidence"), IntervalKind.named(interval)
        analyst_share(self._opened, self._analyst)
        planner, groups = self._planner, (by,) if isinstance(by, str) else tuple(by)
        one = scored(model)
        bins = None if one is None else ScoreBins.of(one)
        text = evaluation_sql(model, bins, sql, groups)
        question = planner.question(text)
        _refuse_unless_public(question, groups, 1 if bins is None else 2 * bins.count)
        if epsilon is None:
            known = None if fresh else find_earlier(planner, question, kind)
            if known is None:
                why = "No earlier release holds it."
                raise Refused("an evaluation without a price", why, "epsilon (--epsilon 0.5).")
            plan, found = known
        else:
            price = planner.price(question, epsilon, delta)
            plan = planner.plan(question, price, kind)
            found = release_query(planner, plan, price, self._analyst, text, fresh)
        try:
            return self._evaluated(model, bins, groups, plan, found, level, text)
        except Exception:
            if found.free:
                raise
            raise Failed from None  # it is paid for and stored, so asking again is free

    def _evaluated(
        self,
        model: ModelData,
        bins: ScoreBins | None,
        by: tuple[str, ...],
        plan: Plan,
        found: Answered,
        confidence: Fraction,
        text: str,
    ) -> Release:
        """The measures, with the notes, the price and the certificate of the query that they are read from."""
        intervals = intervals_of(plan, found.table)
        notes = (*_notes(plan, found, confidence, bins), f"Of model {model.digest[:SHOWN_DIGEST]}.")
        opened, charge = self._opened, found.charge
        words = price_words(opened.filter, found.grounds.price, found.share, found.free, charge)
        certify = Certifier.of(opened, found.grounds, found.entry, text)
        rendered = _rendered(model, bins, by, plan, found, confidence)
        return Release(rendered, confidence, notes, words, certify, intervals)


def _rendered(
    model: ModelData,
    bins: ScoreBins | None,
    by: tuple[str, ...],
    plan: Plan,
    found: Answered,
    confidence: Fraction,
) -> Rendered:
    from tacit.learn.evaluation.measures_table import EvaluatedCounts

    groups = answered(plan, found.table)
    if bins is None:
        is_usual = any(column.bias is not None for column in found.table.columns.values())
        bounded = answered(plan, found.table, is_bounded=True) if is_usual else None
        return plan.question.above.render(groups, confidence, bounded)
    *_, positive = model.target.values or ("",)
    return EvaluatedCounts(groups, bins, f"{model.target.name} {positive}", by).rendered(confidence)


def _notes(plan: Plan, found: Answered, confidence: Fraction, bins: ScoreBins | None) -> tuple[str, ...]:
    """What the planner says of limits, and what the measures are of."""
    notes = notes_of(plan, found, confidence)
    if bins is None:
        return notes
    of_counts = released_optimality(plan, found, confidence)  # of numbers of rows, not of measures
    pairs = "Pairs of rows in one bin count as lost for the low end of the AUC, and as won for the high end."
    rounded = "Log loss and predicted share are of probabilities rounded to bins."
    kept = (note for note in notes if note not in of_counts)
    return (*kept, f"Read from numbers of rows by class and {bins.count} bins of the score. {pairs} {rounded}")


def _refuse_unless_public(question: Question, by: tuple[str, ...], cells: int) -> None:
    """Refuse groups that would be chosen from the rows, or too many."""
    asked = f"an evaluation by {', '.join(by)}"
    if question.has_private_keys:
        raise Refused(asked, "Which groups there are is known only from the rows.", "columns with declared keys.")
    if not prod(len(key.domain or ()) for key in question.keys) <= _MOST_GROUPS * cells:
        raise Refused(asked, "Each group has noise of its own.", f"at most {_MOST_GROUPS:,} groups.")
    taken = [name for name in by if name.lower() in _COLUMNS]
    if taken:
        raise Refused(asked, "A column of the answer is called so.", f"an expression, as ({taken[0]}).")
