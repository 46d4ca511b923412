"""A network and the rows that it is trained on, checked against each other before anything is paid."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import torch
from torch import nn

from tacit.errors import Refused
from tacit.exact import Number, positive, whole
from tacit.frozen import frozen
from tacit.learn.convex.row_matrix import RowReading
from tacit.learn.sgd.checkpoint import OptimizerChoice, packed
from tacit.learn.sgd.clipped_sums import RowLoss
from tacit.learn.sgd.error_bound import ErrorBound, most_people
from tacit.learn.sgd.gradient_parts import sizes_of
from tacit.learn.sgd.network import PrivateNetwork
from tacit.learn.sgd.people_rows import PeopleRows
from tacit.learn.sgd.sgd_plan import PricedPlan
from tacit.learn.sgd.sgd_run import SgdRun, SgdSettings
from tacit.learn.sgd.trained_network import NetworkInputs, TrainedNetwork
from tacit.learn.training_text import Task, Training
from tacit.query.engines.protocol import Session

Model: TypeAlias = nn.Module | Callable[[int, int], nn.Module]
MOST_ROWS: Final = 256  # of one person


@frozen(eq=False)
class NetworkSettings:
    """How a network is trained.

    Each step sees a sample of people of rate `rate`; one person's gradient, summed over at most `rows_each` rows, is
    clipped at `clip`; after every `stage_steps` a checkpoint is stored. The first weights are drawn from `seed`, unless
    `weights_are_public` says that those given come from no private data. `numbers` names the columns that count as
    numbers (`pixel_*`): the first inputs, in the order of the SELECT.
    """

    rate: Number = "1/32"
    steps: int = 320
    clip: Number = 1
    rows_each: int = 1
    bins: int = 16
    stage_steps: int = 80
    optimizer: type[torch.optim.Optimizer] = torch.optim.Adam
    options: Mapping[str, Any] | None = None
    seed: int = 0
    weights_are_public: bool = False
    numbers: str = ""


@frozen(eq=False)
class NetworkFit:
    """What is trained on which rows, and the clip of a micro-batch of this network."""

    training: Training
    inputs: NetworkInputs
    settings: NetworkSettings
    run: SgdSettings
    bound: ErrorBound

    @classmethod
    def of(cls, model: Model, training: Training, settings: NetworkSettings) -> NetworkFit:
        """Refused where layers are not known, where the model does not fit the rows, or settings have no meaning."""
        if not 1 <= whole(settings.rows_each, "rows_each", least=1) <= MOST_ROWS:
            raise Refused(
                f"{settings.rows_each} rows of a person", "A batch holds them all.", f"1 to {MOST_ROWS} rows."
            )
        if torch.get_float32_matmul_precision() != "highest":
            raise Refused(
                "products of matrices in less than float32",
                "The clip rests on the errors of float32.",
                'torch.set_float32_matmul_precision("highest").',
            )
        target, features = training.target, training.features[1:]
        columns = len(training.numbers) + sum(each.levels for each in features)
        outputs = len(target.values or (0,))
        given = copy.deepcopy(model) if isinstance(model, nn.Module) else model(columns, outputs)
        network = PrivateNetwork.of(given.train())
        if not settings.weights_are_public:
            _draw_weights(network, settings.seed)
        inputs = NetworkInputs(features, not isinstance(network.layers[0], nn.Embedding), training.numbers)
        if training.numbers and not inputs.are_columns:
            raise Refused(
                "numbers into an Embedding", "It reads levels.", "a first layer Linear, or Unflatten and Conv2d."
            )
        example = torch.zeros(1, columns) if inputs.are_columns else torch.zeros(1, len(features), dtype=torch.int64)
        sizes = _sizes(network, example, columns, outputs, settings.rows_each)
        clip = positive(settings.clip, "clip")
        bound = ErrorBound(clip, most_people(sizes, network.size, clip), sizes, network.size)
        loss = RowLoss.SQUARED if target.task is Task.REGRESSION else RowLoss.CROSS_ENTROPY
        options = {"lr": 0.005} if settings.options is None else dict(settings.options)
        optimizer = OptimizerChoice(settings.optimizer, options)
        optimizer.made(network.weights)
        whole(settings.stage_steps, "stage_steps", least=1)
        return cls(
            training, inputs, settings, SgdSettings(given, loss, optimizer, settings.stage_steps, settings.seed), bound
        )

    @property
    def reading(self) -> RowReading:
        return RowReading(self.training, self.settings.rows_each)

    def digest(self, priced: PricedPlan) -> str:
        """What tells the release from any other but its noise: rows, layers, first weights, plan and optimizer."""
        first = hashlib.sha256(packed(PrivateNetwork.of(self.run.model))).hexdigest()
        said = [self.training.digest, str(self.run.model), first, priced.plan.digest, self.run.optimizer.words]
        return hashlib.sha256(
            json.dumps([*said, self.settings.rows_each, self.run.stage_steps, self.run.seed]).encode()
        ).hexdigest()

    def stages(self, priced: PricedPlan) -> SgdRun:
        """The stages of the run."""
        return SgdRun(priced, self.run, self._rows)

    def trained(self, payload: bytes) -> TrainedNetwork:
        """The network of a release."""
        from tacit.learn.sgd.checkpoint import unpack

        model = copy.deepcopy(self.run.model)
        unpack(payload, PrivateNetwork.of(model))
        return TrainedNetwork(model.eval(), self.inputs, self.training.target)

    def _rows(self, session: Session) -> PeopleRows:
        is_number = self.run.loss is RowLoss.SQUARED
        matrix = self.reading.fetch(session)
        return PeopleRows.of(matrix, self.settings.rows_each, is_number=is_number, are_columns=self.inputs.are_columns)


def _sizes(
    network: PrivateNetwork, example: torch.Tensor, columns: int, outputs: int, rows_each: int
) -> tuple[Any, ...]:
    """The public sizes of all gradients; refused where the network does not take such rows."""
    first = network.layers[0]
    too_few = isinstance(first, nn.Embedding) and first.num_embeddings < columns
    try:
        given, inputs, _ = network.run(example)
    except Refused:
        raise
    except (RuntimeError, IndexError, TypeError, ValueError, AttributeError):
        given, inputs, too_few = example, [], True
    if too_few or given.shape != (1, outputs):
        raise Refused(
            "a network that does not fit its rows",
            f"Rows have {columns} levels of features and numbers, and the target takes {outputs} outputs.",
            f"a first layer Linear({columns}, …) or Embedding({columns}, …), and a last one with {outputs} outputs.",
        )
    pairs = zip(network.trained, inputs, strict=True)
    return tuple(size for layer, value in pairs for size in sizes_of(layer, value, rows_each))


def _draw_weights(network: PrivateNetwork, seed: int) -> None:
    """First weights from a public seed: weights that were trained on these people would give them away."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        for layer in network.layers:
            reset = getattr(layer, "reset_parameters", None)
            if reset is not None:
                reset()
