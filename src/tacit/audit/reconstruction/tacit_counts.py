"""Counting queries put to a Tacit data set by an analyst who spends the whole budget on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tacit.audit.reconstruction.counting_queries import NUMBER, Mask, Reals, Subsets, secret_bits
from tacit.curator.dataset import Dataset, open_dataset
from tacit.errors import Refused
from tacit.exact import Number, whole

Watch: TypeAlias = Callable[[int, int], None]
"""Called with the number of counts so far, and their total."""
_MOST_TOGETHER = 100  # the most columns of one statement
_LOOKS = 40


class TacitCounts:
    """An answer function over a data set with a table `people`: a public `number` and a `secret` of yes or no.

    The analyst knows everybody's number, so any condition on it is a group; the ledger charges each statement before it
    runs. Each group's count comes from a sum of +1 for each member with the secret and −1 for each without: changing
    the secret then moves the answer by 2 for the same price, and no answer is cut off at zero. This makes the most of
    the budget for these questions.

    The budget that is left is shared evenly over the questions to come, `queries` of them; or each statement costs
    `each`, until the ledger refuses.
    """

    def __init__(
        self,
        data: Dataset,
        queries: int,
        each: Number | None = None,
        together: int = _MOST_TOGETHER,
        watch: Watch = lambda done, of: None,
    ) -> None:
        self._data = data
        self._watch = watch
        self._together = whole(together, "together", least=1)
        statements = -(-whole(queries, "queries", least=1) // self._together)
        self.each: Number = even_price(data, statements) if each is None else each

    def __call__(self, mask: Mask) -> float:
        return float(self.many(Subsets.listed(mask[None, :]))[0])

    def many(self, subsets: Subsets) -> Reals:
        """An answer for each group, NaN from where the ledger refused on."""
        told = np.full(len(subsets), np.nan)
        sizes, conditions = subsets.masks.sum(axis=1), subsets.conditions
        for start in range(0, len(subsets), self._together):
            end = min(start + self._together, len(subsets))
            try:
                sums = self._ask(conditions[start:end])
            except Refused:
                if start == 0 and self._data.budget().left == 1:
                    raise
                break
            told[start:end] = (sums + sizes[start:end]) / 2
            self._watch(end, len(subsets))
        return told

    def _ask(self, conditions: Sequence[str]) -> Reals:
        row = self._data.query(_statement(conditions), epsilon=self.each, interval="bounded").to_arrow().to_pylist()[0]
        return np.array([row[f"c{place}"] for place in range(len(conditions))], dtype=np.float64)


def even_price(data: Dataset, statements: int) -> Fraction:
    """Approximately the largest ε at which so many statements fit into what is left of the budget."""
    asked, room = _statement(["TRUE"]), data.budget().left / whole(statements, "statements", least=1)

    def fits(epsilon: Fraction) -> bool:
        return data.explain(asked, epsilon=epsilon).price_words.share <= room

    low, high = Fraction(0), Fraction(1)
    while fits(high):
        low, high = high, 2 * high
    for _ in range(_LOOKS):
        middle = (low + high) / 2 if low else high / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
        if low and high - low < low / 1000:
            break
    return low


def open_people(secrets: ArrayLike, folder: Path, epsilon: Number = 1, delta: Number | None = "1e-6") -> Dataset:
    """A data set of its own for an attack: these people, this budget, and a fresh ledger.

    An attack uses a copy, never the real account, whose budget it would spend.
    """
    import pyarrow as pa

    bits = secret_bits(secrets)
    budget = f"epsilon = {epsilon}" if delta is None else f"epsilon = {epsilon}, delta = {delta}"
    file = folder / "people.toml"
    file.write_text(
        f"""[dataset]
name = "people"
unit = {{ id = "person", hides = "one person" }}
budget = {{ {budget} }}
floor = 0
breaker = "off"
[tables.people]
source = "frame"
limits = {{ rows = 1 }}
[tables.people.columns]
{NUMBER} = {{ type = "int", min = 0, max = 1000000 }}
secret = {{ type = "bool" }}
""",
        encoding="utf-8",
    )
    numbers = np.arange(bits.size)
    rows = pa.table({"person": numbers, NUMBER: numbers, "secret": bits})
    return open_dataset(file, ledger=folder / "ledger", frames={"people": rows})


def _statement(conditions: Sequence[str]) -> str:
    sums = (f"SUM(sign) FILTER (WHERE {condition}) AS c{place}" for place, condition in enumerate(conditions))
    return f"SELECT {', '.join(sums)} FROM (SELECT {NUMBER}, CASE WHEN secret THEN 1 ELSE -1 END AS sign FROM people)"
