"""The likelihood-ratio attack on trained models: shadow models show how a model treats its training data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.audit.membership.one_run import guess_extremes, one_run
from tacit.audit.membership.rounds import EpsilonBound, Marks, Played, Reals
from tacit.errors import Refused
from tacit.exact import Number, whole
from tacit.frozen import frozen

Table: TypeAlias = NDArray[Any]
_EDGE = 1e-12  # probabilities are clipped, since 1 has no logit


class Model(Protocol):
    """The protocol of a trained model, which scikit-learn's classifiers meet."""

    def fit(self, rows: Table, labels: Table, /) -> Any: ...

    def predict_proba(self, rows: Table, /) -> Table: ...


@frozen(eq=False)
class ShadowAttack:
    """The attack on one target model: each person's likelihood ratio and membership, which a coin decided."""

    members: Marks
    scores: Reals
    shadows: int

    @property
    def played(self) -> Played:
        return Played.of(self.members, self.scores)

    def bound(self, delta: Number = 0, confidence: Number = "0.95", guesses: int | None = None) -> EpsilonBound:
        """The lower bound of ε from this model, by so many guesses, half in and half out.

        By default a fifth of all people.
        """
        half = max(1, self.members.size // 10) if guesses is None else max(1, whole(guesses, "guesses", least=2) // 2)
        return one_run(guess_extremes(self.members, self.scores, half, half), delta, confidence)

    def describe(self) -> str:
        return f"Likelihood ratios from {self.shadows} shadow models. {self.played.describe()}"

    def __str__(self) -> str:
        return self.describe()


def attack_model(
    make: Callable[[], Model], rows: ArrayLike, labels: ArrayLike, shadows: int = 32, seed: int = 0
) -> ShadowAttack:
    """Train shadow models and one target on coin-flip halves of the people, and score each person's part in the target.

    (LiRA: Carlini, Chien, Nasr, Song, Terzis and Tramèr 2022.) For each person the logit of the true label's
    probability is fitted by one Gaussian over the shadow models that saw them and one over those that did not; the
    score is the logarithm of their ratio at the target's logit. The deviations are pooled over people, which is more
    stable for few shadow models.
    """
    table, truth = np.asarray(rows), np.asarray(labels)
    count = whole(shadows, "shadows", least=4)
    if not (table.ndim == 2 and truth.shape == (len(table),)):
        raise Refused("a table to train on", "It needs a row and a label a person.", "rows (n × k) and n labels.")
    generator = np.random.default_rng(seed)
    seen = generator.integers(0, 2, (count // 2, len(table))).astype(np.bool_)
    seen = np.concatenate([seen, ~seen])  # each person is in exactly half of the shadow models
    target = generator.integers(0, 2, len(table)).astype(np.bool_)
    spoken = np.array([logits(make, table, truth, part) for part in (*seen, target)])
    inside, outside = _fit(spoken[:-1], seen), _fit(spoken[:-1], ~seen)
    scores = _log_density(spoken[-1], *inside) - _log_density(spoken[-1], *outside)
    return ShadowAttack(target, scores, len(seen))


def logits(make: Callable[[], Model], table: Table, truth: Table, part: Marks) -> Reals:
    """The logit ln(p/(1−p)) of each person's label, by a model trained on this part."""
    model = make()
    model.fit(table[part], truth[part])
    classes = np.asarray(getattr(model, "classes_", np.unique(truth[part])))
    told = np.asarray(model.predict_proba(table), dtype=np.float64)
    places = np.searchsorted(classes, truth).clip(0, len(classes) - 1)
    sure = np.where(classes[places] == truth, told[np.arange(len(truth)), places], 0.0)
    sure = np.clip(sure, _EDGE, 1 - _EDGE)
    return np.asarray(np.log(sure) - np.log1p(-sure))


def _fit(spoken: Reals, chosen: Marks) -> tuple[Reals, float]:
    """Each person's mean over the chosen models, and the deviation pooled over all people."""
    counts = chosen.sum(axis=0)
    means = np.where(chosen, spoken, 0.0).sum(axis=0) / counts
    left = np.where(chosen, (spoken - means) ** 2, 0.0).sum() / max(1, int((counts - 1).sum()))
    return means, float(max(np.sqrt(left), 1e-6))


def _log_density(values: Reals, means: Reals, deviation: float) -> Reals:
    return np.asarray(-0.5 * ((values - means) / deviation) ** 2 - np.log(deviation))
