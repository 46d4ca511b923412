"""One model trained in three ways on the same rows, side by side: each fit and each evaluation is a release of its own.

What all of them cost together is known, said and checked before the first; nothing is released where not all fit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from tacit.exact import Number
from tacit.frozen import frozen
from tacit.learn.number_columns import refuse_unless_in_sql
from tacit.release.release import Release
from tacit.release.text import table_text

if TYPE_CHECKING:
    from tacit.curator.dataset import Dataset
    from tacit.curator.learning import LearnedModel

WAYS: Final = ("output", "objective", "gradient")
_MEASURES: Final = 5  # those of all rows come first


@frozen(eq=False)
class ComparedWays:
    """The models and their evaluations by way, and what they cost together, in words."""

    models: dict[str, LearnedModel]
    evaluations: dict[str, Release]
    total: str

    def __str__(self) -> str:
        blocks = [self.total]
        for way, model in self.models.items():
            table = table_text(self.evaluations[way].rendered, _MEASURES)
            blocks.append(f"{way}\n{table}\n Fit: {model.price}\n Evaluation: {self.evaluations[way].price}")
        about = next(iter(self.evaluations.values())).interval_words
        return "\n\n".join([*blocks, f"{about}. Choosing the best of them by these numbers costs nothing more."])


def compare_ways(
    dataset: Dataset,
    sql: str,
    *,
    target: str,
    epsilon: Number,
    delta: Number | None = None,
    model: str = "logistic",
    judged_on: str | None = None,
    said: Callable[[str], None] | None = None,
    **settings: Any,
) -> ComparedWays:
    """Models by each way, judged on the rows of `judged_on`, or of the training; each at (ε, δ), fits and evaluations.

    `said` is told the total before anything is charged.
    """
    refuse_unless_in_sql(settings)
    total = dataset.together(2 * len(WAYS), epsilon, delta)
    for way in WAYS:  # each is refused now, where it will be, and not behind a charge
        dataset.check_learning(sql, target=target, model=model, by=way, **settings)
    rows = sql if judged_on is None else judged_on
    dataset.check_learning(rows, target=target, model=model, by=WAYS[0], **settings)
    if said is not None:
        said(total)
    models = {
        way: dataset.learn(sql, target=target, model=model, epsilon=epsilon, delta=delta, by=way, **settings)
        for way in WAYS
    }
    evaluations = {
        way: dataset.evaluate(learned.model, rows, epsilon=epsilon, delta=delta) for way, learned in models.items()
    }
    return ComparedWays(models, evaluations, total)
