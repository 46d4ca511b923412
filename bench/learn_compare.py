"""Our models beside those of peers on the same splits, judged by the same measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import process_time
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from bench.claims import Claim
from bench.learn_adult import DELTA, area
from bench.learn_data import Problem, opened
from bench.learn_peers import Peer, plan, started
from tacit.learn.additive_model import AdditiveModel
from tacit.learn.convex.convex_model import ConvexModel

Floats = NDArray[np.float64]
MEASURES: Mapping[str, Callable[[Floats, Floats], float]] = {
    "accuracy": lambda truth, scores: float(((scores > 0) == (truth > 0)).mean()),
    "AUC": lambda truth, scores: area(truth > 0, scores),
    "RMSE": lambda truth, scores: float(np.sqrt(np.mean((truth - scores) ** 2))),
}


@dataclass(frozen=True)
class Model:
    """A model of ours with its settings."""

    name: str
    model: str = "additive"
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """The measures of a method at one price, by split, and seconds of CPU of one fit."""

    name: str
    epsilon: str  # "∞": no privacy
    found: Mapping[str, Floats]
    seconds: float


@dataclass(frozen=True)
class Comparison:
    """What is fitted to a problem. The first model is the one that claims are about, by the first measure."""

    title: str
    problem: Problem
    ours: tuple[Model, ...]
    peers: tuple[Peer, ...]
    epsilons: tuple[str, ...]
    splits: int
    measures: tuple[str, ...]
    aims: Mapping[str, float]  # by ε, of float prototypes
    most_seconds: float | None = None  # of CPU, of one fit

    def run(self) -> tuple[Table, list[Claim]]:
        """Fit all of them, peers beside us."""
        columns = self._columns()
        bins, levels = self._levels(columns)
        with started(self.problem, bins, levels, plan(self.peers, self.epsilons)) as done:
            rows = self._fit_ours(columns)
            scores, seconds = done()
        for peer in self.peers:
            for epsilon in self.epsilons if peer.is_private else ("∞",):
                keys = [f"{peer.name}|{0.0 if epsilon == '∞' else float(epsilon)}|{n}" for n in range(peer.splits)]
                found = [self._judge(scores[key].astype(float), split) for split, key in enumerate(keys)]
                rows.append(self._row(peer.name, epsilon, found, float(np.mean([seconds[key] for key in keys]))))
        return self._shown(rows), self._claims(rows)

    def _columns(self) -> dict[str, NDArray[Any]]:
        """The columns of the SELECT."""
        with duckdb.connect() as database:
            database.register(self.problem.name, self.problem.rows)
            table = database.sql(self.problem.sql).to_arrow_table()
        return {name: table.column(name).to_numpy(zero_copy_only=False) for name in table.column_names}

    def _levels(self, columns: Mapping[str, NDArray[Any]]) -> tuple[NDArray[np.intp], list[int]]:
        """The levels of all rows, and how many there are: those of any fit, for they are public."""
        few = self.problem.rows.slice(0, 100)
        with opened(self.problem.name, few, self.problem.described) as data:
            asked = {"target": self.problem.target, "epsilon": "0.01", "delta": DELTA, "steps": 1}
            model = data.learn(self.problem.sql, **asked).model
        features = [feature for feature in model.features if feature.name]
        return np.column_stack([each.codes_of(columns) for each in features]), [each.levels for each in features]

    def _fit_ours(self, columns: Mapping[str, NDArray[Any]]) -> list[Row]:
        found: dict[tuple[str, str], list[list[float]]] = {}
        seconds: dict[tuple[str, str], list[float]] = {}
        for split in range(self.splits):
            train, test = self.problem.split(split)
            held_out = {name: values[test] for name, values in columns.items()}
            with opened(self.problem.name, self.problem.rows.take(train), self.problem.described) as data:
                for epsilon in self.epsilons:
                    for each in self.ours:
                        begun = process_time()
                        asked = {"target": self.problem.target, "epsilon": epsilon, "delta": DELTA, **each.settings}
                        model = data.learn(self.problem.sql, model=each.model, fresh=True, **asked).model
                        seconds.setdefault((each.name, epsilon), []).append(process_time() - begun)
                        found.setdefault((each.name, epsilon), []).append(self._judge(scored(model, held_out), split))
        return [self._row(*key, measured, float(np.mean(seconds[key]))) for key, measured in found.items()]

    def _judge(self, scores: Floats, split: int) -> list[float]:
        _, test = self.problem.split(split)
        truth = self.problem.truth[test]
        return [MEASURES[name](truth, scores) for name in self.measures]

    def _row(self, name: str, epsilon: str, found: Sequence[Sequence[float]], seconds: float) -> Row:
        measured = np.array(found)
        return Row(name, epsilon, {each: measured[:, place] for place, each in enumerate(self.measures)}, seconds)

    def _shown(self, rows: Sequence[Row]) -> Table:
        columns = [column for name in self.measures for column in (name, "± s.e.")]
        table = Table("ε", "method", *columns, "to ours", "± s.e.", "splits", "s of CPU", title=self.title)
        for epsilon in (*self.epsilons, "∞"):
            alike = [row for row in rows if row.epsilon == epsilon]
            first = next((row for row in rows if row.name == self.ours[0].name and row.epsilon == epsilon), None)
            for row in alike:
                numbers = [f"{number:.4f}" for name in self.measures for number in mean_and_error(row.found[name])]
                against = ["", ""]
                if first is not None and row is not first:
                    against = [f"{number:+.4f}" for number in mean_and_error(self._gaps(row, first))]
                splits = str(len(row.found[self.measures[0]]))
                table.add_row(epsilon, row.name, *numbers, against[0], against[1][1:], splits, f"{row.seconds:.2f}")
            table.add_section()
        return table

    def _gaps(self, row: Row, first: Row) -> Floats:
        """What a method has more than ours, split by split."""
        measure = self.measures[0]
        return row.found[measure] - first.found[measure][: len(row.found[measure])]

    def _claims(self, rows: Sequence[Row]) -> list[Claim]:
        """Ours to prototypes and to each peer, two standard errors let in; and the time of a fit."""
        claims, measure = list[Claim](), self.measures[0]
        is_error = measure == "RMSE"
        favour = -2 if is_error else 2
        for epsilon in self.epsilons:
            first = next(row for row in rows if row.name == self.ours[0].name and row.epsilon == epsilon)
            said = f"{self.problem.name}, {measure} at ε = {epsilon}"
            mean, error = mean_and_error(first.found[measure])
            if epsilon in self.aims:
                detail = f"{mean:.4f} ± {error:.4f} to {self.aims[epsilon]}"
                ratio = (mean + favour * error) / self.aims[epsilon]
                claims.append(Claim(f"{said} to float prototypes", ratio, 1.0, is_error, detail))
            if self.most_seconds is not None:
                detail = f"{first.seconds:.2f} s of CPU, others at work beside it"
                ratio = first.seconds / self.most_seconds
                claims.append(
                    Claim(
                        f"{self.problem.name}, fit at ε = {epsilon} / {self.most_seconds} s", ratio, 1.0, True, detail
                    )
                )
            for row in rows:
                if row.epsilon == epsilon and row.name in {peer.name for peer in self.peers}:
                    gap, off = mean_and_error(-self._gaps(row, first))
                    theirs = float(np.mean(row.found[measure]))
                    detail = f"{gap:+.4f} ± {off:.4f} to {theirs:.4f}, {len(row.found[measure])} splits"
                    ratio = max(0.0, (theirs + gap + favour * off) / theirs)  # an error may be huge
                    claims.append(Claim(f"{said} to {row.name}", ratio, 1.0, is_error, detail))
        return claims


def scored(model: Any, columns: Mapping[str, Any]) -> Floats:
    """What a model predicts: scores of the second class, or numbers."""
    chances = model.probabilities(columns) if isinstance(model, AdditiveModel | ConvexModel) else None
    return np.asarray(model.predict(columns), float) if chances is None else chances[:, 1] - 0.5


def mean_and_error(found: Floats) -> tuple[float, float]:
    """The mean and its standard error."""
    return float(np.mean(found)), float(np.std(found, ddof=1) / len(found) ** 0.5) if len(found) > 1 else 0.0
