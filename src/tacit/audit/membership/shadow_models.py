"""The likelihood-ratio attack on trained models: shadow models show how a model treats its training data.

A plain threshold on the loss, without shadow models, is beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.audit.membership.one_run import guess_extremes, one_run_epsilon
from tacit.audit.membership.rounds import EpsilonBound, Marks, Played, Reals
from tacit.errors import Refused
from tacit.exact import Number, whole
from tacit.frozen import frozen

Table: TypeAlias = NDArray[Any]
Confidence: TypeAlias = Callable[[Marks], Reals]
"""Trains on the people who are marked, and gives for everybody how sure the model is of their label: a logit."""
Watch: TypeAlias = Callable[[int, int], None]
"""Called with the number of models trained so far, and their total."""
_EDGE = 1e-12  # probabilities are clipped, since 1 has no logit


class Model(Protocol):
    """The protocol of a trained model, which scikit-learn's classifiers meet."""

    def fit(self, rows: Table, labels: Table, /) -> Any: ...

    def predict_proba(self, rows: Table, /) -> Table: ...


@frozen(eq=False)
class ShadowAttack:
    """The attack on target models: what each says of each person, and whose rows it saw, as coins decided.

    Lists have a row for each target and a column for each person; the target's coins are independent of everything that
    scores are computed from but of the target itself. `shadows_told` and `shadows_saw` are the same of shadow models.
    """

    members: Marks
    told: Reals
    shadows_saw: Marks
    shadows_told: Reals

    @property
    def shadows(self) -> int:
        return len(self.shadows_saw)

    @property
    def scores(self) -> Reals:
        """The logarithms of likelihood ratios.

        (LiRA: Carlini, Chien, Nasr, Song, Terzis and Tramèr 2022.) For each person the logit is fitted by one Gaussian
        over the shadow models that saw them and one over those that did not; the score is the logarithm of their ratio
        at a target's logit. The deviations are pooled over people, which is more stable for few shadow models.
        """
        inside, outside = _fit(self.shadows_told, self.shadows_saw), _fit(self.shadows_told, ~self.shadows_saw)
        return _log_density(self.told, *inside) - _log_density(self.told, *outside)

    @property
    def played(self) -> Played:
        """The rounds by likelihood ratios."""
        return Played.of(self.members.ravel(), self.scores.ravel())

    @property
    def by_threshold(self) -> Played:
        """The rounds by the logit alone, with one threshold for everybody: the attack on the loss."""
        return Played.of(self.members.ravel(), self.told.ravel())

    def bound(self, delta: Number = 0, confidence: Number = "0.95", guesses: int | None = None) -> EpsilonBound:
        """The lower bound of ε by likelihood ratios: `bound_of_guesses`."""
        return bound_of_guesses(self.played, delta, confidence, guesses)

    def describe(self) -> str:
        return f"Likelihood ratios from {self.shadows} shadow models. {self.played.describe()}"

    def __str__(self) -> str:
        return self.describe()


def bound_of_guesses(
    played: Played, delta: Number = 0, confidence: Number = "0.95", guesses: int | None = None
) -> EpsilonBound:
    """The lower bound of ε from target models, by so many guesses, half in and half out; a fifth of rounds if not said.

    Claim: it is above the ε of an (ε, δ)-private training with probability at most 1 − confidence. Proof: all targets
    together are one run. Each person has a coin for each target, which decides about their rows in the training of that
    target alone; so the targets, taken as one release, are (ε, δ)-private in each coin, and coins are independent.
    Guesses use the targets and the shadow models, whose coins and noise are independent of them. That is the audit in
    one run of `one_run_epsilon`, with people × targets canaries. People of one model need not be independent for it.
    """
    half = max(1, played.scores.size // 10) if guesses is None else max(1, whole(guesses, "guesses", least=2) // 2)
    return one_run_epsilon(guess_extremes(played.members, played.scores, half, half), delta, confidence)


def attack_training(
    confidence: Confidence,
    people: int,
    shadows: int = 32,
    targets: int = 1,
    seed: int = 0,
    watch: Watch = lambda done, of: None,
) -> ShadowAttack:
    """Train shadow models and targets, each on the people whom fair coins choose."""
    count, aims = whole(shadows, "shadows", least=4), whole(targets, "targets", least=1)
    generator = np.random.default_rng(seed)
    saw = generator.integers(0, 2, (count // 2, whole(people, "people", least=2))).astype(np.bool_)
    saw = np.concatenate([saw, ~saw])  # each person is in exactly half of the shadow models
    members = generator.integers(0, 2, (aims, people)).astype(np.bool_)
    told = []
    for part in (*saw, *members):
        told.append(confidence(part))
        watch(len(told), len(saw) + aims)
    return ShadowAttack(members, np.array(told[len(saw) :]), saw, np.array(told[: len(saw)]))


def attack_model(
    make: Callable[[], Model], rows: ArrayLike, labels: ArrayLike, shadows: int = 32, seed: int = 0, targets: int = 1
) -> ShadowAttack:
    """The attack on models that `make` gives untrained, where each row is a person."""
    table, truth = np.asarray(rows), np.asarray(labels)
    if not (table.ndim == 2 and truth.shape == (len(table),)):
        raise Refused("a table to train on", "It needs a row and a label a person.", "rows (n × k) and n labels.")
    return attack_training(lambda part: logits(make, table, truth, part), len(table), shadows, targets, seed)


def logits(make: Callable[[], Model], table: Table, truth: Table, part: Marks) -> Reals:
    """The logit ln(p/(1−p)) of each row's label, by a model trained on this part of the rows."""
    model = make()
    model.fit(table[part], truth[part])
    classes = np.asarray(getattr(model, "classes_", np.unique(truth[part])))
    return label_logits(np.asarray(model.predict_proba(table)), classes, truth)


def label_logits(chances: Table, classes: Table, truth: Table) -> Reals:
    """The logit of each row's label, from the probabilities of classes, which are sorted."""
    places = np.searchsorted(classes, truth).clip(0, len(classes) - 1)
    sure = np.where(classes[places] == truth, np.asarray(chances, np.float64)[np.arange(len(truth)), places], 0.0)
    sure = np.clip(sure, _EDGE, 1 - _EDGE)
    return np.asarray(np.log(sure) - np.log1p(-sure))


def _fit(told: Reals, chosen: Marks) -> tuple[Reals, float]:
    """Each person's mean over the chosen models, and the deviation pooled over all people."""
    counts = chosen.sum(axis=0)
    means = np.where(chosen, told, 0.0).sum(axis=0) / counts
    left = np.where(chosen, (told - means) ** 2, 0.0).sum() / max(1, int((counts - 1).sum()))
    return means, float(max(np.sqrt(left), 1e-6))


def _log_density(values: Reals, means: Reals, deviation: float) -> Reals:
    return np.asarray(-0.5 * ((values - means) / deviation) ** 2 - np.log(deviation))
