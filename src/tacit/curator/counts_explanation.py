"""The price of counting questions, and each one's error beside that of naive releases; nothing is spent."""

from __future__ import annotations

from fractions import Fraction
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from tacit.curator.counts_answer import optimality_of
from tacit.curator.counts_job import find_counts
from tacit.curator.planner import Planner
from tacit.frozen import frozen
from tacit.loss.families.loss import Relation
from tacit.mechanisms.mechanism import percent
from tacit.query.plans.price import Price
from tacit.query.post_noise.estimates import Keys, OutputColumn, Rendered
from tacit.release.price import PriceWords, price_words
from tacit.release.text import table_text
from tacit.schema.kind import Kind
from tacit.words import counted, shown_up
from tacit.workload.linear.asked_counts import AnswerTable
from tacit.workload.linear.counts_plan import CountsPlan
from tacit.workload.linear.naive_ways import binary_tree, noise_on_answers, noise_on_cells

_SHOWN = 12  # questions of a table
_PLAIN = {"each answer": "each answer", "each cell": "each cell, added up", "binary tree": "a binary tree"}

Floats = NDArray[np.float64]


@frozen(eq=False)
class CountsExplanation:
    """The half-width of each question's interval, together and with separate queries, at the same price."""

    plan: CountsPlan
    price_words: PriceWords
    confidence: Fraction
    is_stored: bool
    norm: Fraction | None  # of one unit; None where the query will find it, and widths are for one row
    together: Floats
    plain: dict[str, Floats]
    optimality: str

    def ratio(self, name: str) -> float:
        """The mean squared error of another way over that of the answers together, over all questions."""
        weights = np.array([float(weight) for weight in self.plan.asked.matrix.weights])
        return float((weights * self.plain[name] ** 2).sum() / (weights * self.together**2).sum())

    def table(self, table: AnswerTable) -> Rendered:
        """The widths of one table's questions."""
        columns = [OutputColumn(name, keys) for name, keys in table.keys.items()]
        for name, questions in table.columns.items():
            places = list(questions)
            columns.append(OutputColumn(f"{name} ±", _shown(self.together[places])))
            of = "" if len(table.columns) == 1 else f"{name}, "
            columns += [OutputColumn(f"{of}{way} ±", _shown(widths[places])) for way, widths in self.plain.items()]
        return Rendered(tuple(columns))

    def __str__(self) -> str:
        matrix, best = self.plan.asked.matrix, self.plan.best
        lines = [
            self.price_words.before(self.is_stored),
            f"{counted(matrix.questions, 'question')} over {counted(matrix.cells, 'cell')}; "
            f"{percent(self.confidence)} intervals{', at most as wide as these' if self.is_stored else ''}.",
        ]
        if self.plan.is_scaled:
            lines.append(
                "Widths are for one row of each person: they grow with the limit that is found."
                if self.norm is None
                else f"{self.plan.most_words(self.norm)}."
            )
        certified = (
            f"Certified: at most {shown_up(best.ratio_up, 4)} times the least total variance of any Gaussian noise. "
            if self.plan.relation is Relation.ADD_REMOVE  # under replace what moves is the difference of two columns
            else ""
        )
        lines.append(f"{certified}{self.optimality}")
        shown = [f"{self.ratio(name):,.3g} times with noise on {_PLAIN[name]}" for name in self.plain]
        lines.append(f"Total variance done plainly: {', '.join(shown)}.")
        for table in self.plan.asked.tables:
            lines += ["", table.title, table_text(self.table(table), _SHOWN)]
        return "\n".join(lines)

    __repr__ = __str__


def explain_counts(planner: Planner, plan: CountsPlan, price: Price, confidence: Fraction) -> CountsExplanation:
    """The explanation at a price, from public numbers alone."""
    used, matrix, best = planner.opened.filter, plan.asked.matrix, plan.best
    norm = plan.base.limits[plan.measure].norm
    unit = float((norm or Fraction(max(1, plan.measure.size))) * plan.measure.step)
    law, reach = plan.law(price), NormalDist().inv_cdf(float(1 + confidence) / 2)
    one = float(law.variance) / best.strategy.squared_norm  # where a column's norm is 1
    step = unit * float(one**0.5) / plan.radius * reach
    ways = {
        "each answer": noise_on_answers(matrix),
        "each cell": noise_on_cells(matrix),
        "binary tree": binary_tree(matrix),
    }
    together = best.strategy.variances() * float(best.strategy.squared_norm)
    return CountsExplanation(
        plan,
        price_words(used, str(price.alone), used.share(price.charge), False, price.charge),
        confidence,
        find_counts(planner, plan, plan.strength(price)) is not None,
        norm,
        np.sqrt(together) * step,
        {name: np.sqrt(variances) * step for name, variances in ways.items() if variances is not None},
        optimality_of(plan, best, law.variance, plan.strength(price), norm, price.charge),
    )


def _shown(widths: Floats) -> Keys:
    return Keys(tuple(f"{width:,.3g}" if width < 1000 else f"{width:,.0f}" for width in widths), Kind.TEXT)
