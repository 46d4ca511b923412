"""Models under attack: those that a function of one's own makes, and those that Tacit trains privately."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import count
from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tacit.audit.membership.attacked_table import AttackedTable
from tacit.audit.membership.rounds import Marks, Reals
from tacit.audit.membership.shadow_models import Model, label_logits, logits
from tacit.audit.own_function import find_function
from tacit.curator.dataset import Dataset
from tacit.curator.declared_table import TARGET, DeclaredTable
from tacit.errors import Failed, Refused
from tacit.exact import Number, positive, probability, proper
from tacit.frozen import frozen
from tacit.ledger.places import witness_of
from tacit.loss.families.loss import Loss

NETWORK: Final = "network"
_SETTINGS: Final[Mapping[str, Mapping[str, Any]]] = {
    "additive": {},
    "logistic": {},
    "softmax": {"by": "gradient"},
    "multinomial": {},
    "naive-bayes": {},
}
_OF_TWO: Final = ("additive", "logistic")
_ROOM: Final = 100  # times what a training costs are in the budget of its account
PRIVATE: Final = (*_SETTINGS, NETWORK)
"""The kinds of private models that say how sure they are of a class."""
Training = Callable[[Dataset, str], Callable[[Mapping[str, Any]], NDArray[Any]]]
"""Trains on a data set by a SELECT, and gives the probabilities of classes for columns."""


@frozen(eq=False)
class AttackedModel:
    """A kind of model: `confidence` trains it on some people of a table, and says how sure it is of everybody's label.

    The training is said to be (`epsilon`, `delta`)-private; an ε of None says that it promises nothing.
    """

    name: str
    confidence: Callable[[AttackedTable, Marks], Reals]
    epsilon: float | None = None
    delta: float = 0.0
    is_certified: bool = False
    """Whether Tacit says so; else whoever made the model does."""


@contextmanager
def opened_model(name: str, epsilon: Number, delta: Number, claim: Loss | None = None) -> Iterator[AttackedModel]:
    """A model by its name: a kind that Tacit trains; or `module:function`, which makes one, and may claim a loss."""
    if ":" in name:
        make: Any = find_function(name)
        yield own_model(name, make, claim, delta)
        return
    if name not in PRIVATE:
        raise Refused(
            f"a model called {name[:60]}",
            "There is none that says how sure it is of a class.",
            f"{', '.join(PRIVATE)}; or module:function of your own.",
        )
    with private_model(name, partial(_training, name), epsilon, delta) as model:
        yield model


def own_model(name: str, make: Callable[[], Model], claim: Loss | None = None, delta: Number = "1e-6") -> AttackedModel:
    """Models as scikit-learn's, which promise nothing unless it is claimed.

    Of a person with several rows, it is as sure as on the mean of them.
    """
    level = None if claim is None else claim.epsilon(delta)
    if level is not None and not isfinite(level):
        raise Refused(f"the claim of {name[:60]}", f"It says nothing at δ = {delta}.", "another claim, or --delta.")

    def confidence(table: AttackedTable, part: Marks) -> Reals:
        try:
            with warnings.catch_warnings(action="ignore"):  # such as that it has not converged, for every shadow
                told = logits(make, table.matrix, table.labels, table.rows_of(part))
        except Refused:  # it says already why, and what would be accepted
            raise
        except Exception as error:  # the code of somebody else's model may raise anything
            why = f"It raises {type(error).__name__} when it is trained on a half of these people, or asked about them."
            raise Refused(f"the model {name[:80]}", why, "fit(rows, labels) and predict_proba(rows).") from error
        return table.by_person(told)

    return AttackedModel(name.rpartition(":")[2], confidence, level, float(probability(delta, "delta")))


@contextmanager
def private_model(
    name: str, training: Callable[[Number, Number], Training], epsilon: Number, delta: Number
) -> Iterator[AttackedModel]:
    """A private training, each time through the door of a new data set that has a ledger of this attack's own.

    No model leaves the attack, and the account of the real data is not charged.
    """
    level, slack, numbers = positive(epsilon, "epsilon"), proper(delta, "delta"), count()
    with TemporaryDirectory(prefix="tacit-") as folder:
        ledger = Path(folder) / "ledger"
        train = training(level, slack)

        def confidence(table: AttackedTable, part: Marks) -> Reals:
            if name in _OF_TWO and len(table.classes) != 2:
                why = f"It tells two classes apart, and the target has {len(table.classes)}."
                raise Refused(f"a model called {name}", why, "softmax, multinomial, naive-bayes or network.")
            rows = table.rows_of(part)
            held = {TARGET: table.labels, **{label: np.array(each, object) for label, each in table.columns.items()}}
            chosen = {label: values[rows].tolist() for label, values in held.items()}
            room = (f"{float(_ROOM * level):g}", f"{min(float(_ROOM * slack), 0.5):g}")
            own = DeclaredTable(f"attack {next(numbers)}", "one person", room, ledger, table.declared, True)
            try:
                with own.opened(chosen, table.owners[rows].tolist()) as dataset:
                    chances = train(dataset, own.sql)(table.columns)
            except Failed:
                raise Refused(f"the model {name}", "Its training failed.", "another model, or other columns.") from None
            return table.by_person(label_logits(chances, np.arange(len(table.classes)), table.labels))

        try:
            yield AttackedModel(name, confidence, float(level), float(slack), True)
        finally:
            witness_of(ledger).unlink(missing_ok=True)


def trained_network(model: Any, epsilon: Number, delta: Number, **settings: Any) -> Training:
    """A network of torch by `Dataset.train`; `model` is a function of the numbers of its inputs and outputs."""

    def train(dataset: Dataset, sql: str) -> Callable[[Mapping[str, Any]], NDArray[Any]]:
        network = dataset.train(model, sql, target=TARGET, epsilon=epsilon, delta=delta, **settings).network
        return lambda columns: _softmax(network.output(columns).astype(np.float64))

    return train


def _training(kind: str, epsilon: Number, delta: Number) -> Training:
    """A kind of model by `Dataset.learn`, or a network with one hidden layer; refused without torch."""
    if kind == NETWORK:
        try:
            from tacit.learn.sgd.network import one_hidden_layer
        except ImportError:
            accepted = "pip install 'tacit[learn]'; or another model."
            raise Refused("a network", "torch is not installed.", accepted) from None
        return trained_network(one_hidden_layer, epsilon, delta)

    def train(dataset: Dataset, sql: str) -> Callable[[Mapping[str, Any]], NDArray[Any]]:
        settings = _SETTINGS[kind]
        learned = dataset.learn(sql, target=TARGET, model=kind, epsilon=epsilon, delta=delta, **settings)
        return lambda columns: np.asarray(learned.model.probabilities(columns))

    return train


def _softmax(scores: Reals) -> Reals:
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))
