"""Steps of private gradient descent beside plain steps of torch: the same network and batch, on one thread of a CPU.

A private step samples places, clips each person's gradient, adds whole numbers up and adds exact noise to each. Times
are of the processor, medians of steps that alternate. A sample of B people is B on average, drawn anew in each step.
The share of the accountant is that of pricing in 320 steps of the larger batch.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from statistics import median
from time import process_time

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor, nn

from bench.claims import Claim, report
from tacit.learn.sgd.clipped_sums import ClippedSums, RowLoss
from tacit.learn.sgd.error_bound import ErrorBound, most_people
from tacit.learn.sgd.gradient_parts import PartSize, sizes_of
from tacit.learn.sgd.network import PrivateNetwork
from tacit.learn.sgd.people_rows import PeopleRows
from tacit.learn.sgd.places import SampledPlaces
from tacit.learn.sgd.sgd_plan import PricedPlan
from tacit.learn.sgd.sgd_run import NoisyStep
from tacit.loss.families.approx import Approx
from tacit.loss.families.zcdp import Zcdp
from tacit.noise.bits import ENTROPY

REPEATS, STEPS = 41, 320
RATE = "1/8"
_ONE = Fraction(1)  # the clip


def dense() -> nn.Module:
    return nn.Sequential(nn.Linear(108, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 2))


def convolved() -> nn.Module:
    first = nn.Sequential(nn.Conv2d(1, 16, 8, 2, padding=2), nn.ReLU(), nn.MaxPool2d(2, 1))
    second = nn.Sequential(nn.Conv2d(16, 32, 4, 2), nn.ReLU(), nn.MaxPool2d(2, 1), nn.Flatten())
    return nn.Sequential(first, second, nn.Linear(512, 32), nn.ReLU(), nn.Linear(32, 10))


def private_step(make: Callable[[], nn.Module], rows: Tensor, targets: Tensor, places: int) -> Callable[[], None]:
    """A step on samples of an eighth of the places, which hold everybody."""
    network = PrivateNetwork.of(make())
    _, inputs, _ = network.run(rows[:1])
    sizes = [size for layer, given in zip(network.trained, inputs, strict=True) for size in sizes_of(layer, given, 1)]
    bound = ErrorBound(_ONE, most_people(sizes, network.size, _ONE), tuple(sizes), network.size)
    priced = PricedPlan.for_epsilon(bound, RATE, STEPS, Zcdp(3, "1e-4"), Approx(10, "1e-3"), 1, "1e-5")
    step, optimizer = (
        NoisyStep(priced, ClippedSums(network, RowLoss.CROSS_ENTROPY, bound)),
        torch.optim.SGD(network.weights, lr=1e-3),
    )
    people = PeopleRows(
        torch.cat([rows, torch.zeros_like(rows[:1])])[:, None],
        torch.cat([targets, torch.zeros_like(targets[:1])])[:, None],
        torch.cat([torch.ones(len(rows)), torch.zeros(1)])[:, None],
    )
    arrangement = SampledPlaces(np.arange(places))

    def taken() -> None:
        step.give(step.whole_numbers(people, arrangement, ENTROPY), places)
        optimizer.step()

    return taken


def plain_step(make: Callable[[], nn.Module], rows: Tensor, targets: Tensor, many: int) -> Callable[[], None]:
    """A step on a batch of so many rows, taken at random."""
    model = make()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)

    def taken() -> None:
        optimizer.zero_grad()
        at = torch.randint(0, len(rows), (many,))
        nn.functional.cross_entropy(model(rows[at]), targets[at]).backward()
        optimizer.step()

    return taken


def seconds(*steps: Callable[[], None]) -> list[float]:
    """The median of each, taken in turns."""
    found: list[list[float]] = [[] for _ in steps]
    for turn in range(REPEATS + 2):
        for place, step in enumerate(steps):
            begun = process_time()
            step()
            if turn > 1:
                found[place].append(process_time() - begun)
    return [median(each) for each in found]


def accountant_seconds(dimension: int) -> float:
    """Pricing, without what is kept from an earlier question."""
    bound = ErrorBound(_ONE, 256, (PartSize(1, 1_024),), dimension)
    begun = process_time()
    PricedPlan.for_epsilon(bound, "1/32", STEPS, Zcdp(3, "1e-4"), Approx(10, "1e-3"), "1.25", "1e-5")
    return process_time() - begun


def main() -> None:
    """Time steps, print."""
    torch.set_num_threads(1)
    table = Table("network", "people", "plain, ms", "private, ms", "ratio", title="A step of gradient descent")
    claims, largest = [], 0.0
    for name, make, shape, classes, many, target in (
        ("108-512-512-2", dense, (108,), 2, 1_024, 1.3),
        ("108-512-512-2", dense, (108,), 2, 256, 1.8),
        ("small CNN", convolved, (1, 28, 28), 10, 256, 2.5),
    ):
        rows, targets = torch.randn(8 * many, *shape), torch.randint(0, classes, (8 * many,))
        plain, own = seconds(plain_step(make, rows, targets, many), private_step(make, rows, targets, 8 * many))
        largest = max(largest, own)
        table.add_row(name, str(many), f"{1e3 * plain:.1f}", f"{1e3 * own:.1f}", f"{own / plain:.2f}")
        detail = f"{1e3 * own:.1f} to {1e3 * plain:.1f} ms of CPU"
        claims.append(Claim(f"{name}, {many} people: private to plain step", own / plain, target, True, detail))
    spent = accountant_seconds(317_954) / (STEPS * largest)
    claims.append(Claim("share of the accountant in 320 steps", spent, 0.01, True, f"{100 * spent:.2f}% of the time"))
    Console().print(table)
    report("Steps of learning", claims)


if __name__ == "__main__":
    main()
