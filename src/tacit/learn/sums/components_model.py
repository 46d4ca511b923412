"""Principal components of columns scaled to their bounds, with bounds on what noise does to their variances."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.learn.sums.design import ScaledNumber, encoded
from tacit.learn.sums.moments import UNIT_PRODUCT, Moments
from tacit.learn.sums.ridge import noise_norm_up
from tacit.learn.training_text import TrainingTarget

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
_VERSION: Final = 1


@frozen(eq=False)
class ComponentsModel:
    """The mean of the scaled columns, and directions of falling variance.

    `error` bounds, with high probability, how far each variance is from that of the exact sums: eigenvalues of
    symmetric matrices differ by at most the spectral norm of the difference (Weyl). The covariance of n rows with sums
    s and products P is P/n − ss'/n²; noise E of P and e of s and of n moves it by (E − em' − me' + e₀mm')/n up to terms
    of e²/n², where m is the mean, and so by (1 + |m|)²/n times the norm of the whole noise at most.
    """

    numbers: tuple[ScaledNumber, ...]
    mean: tuple[float, ...]
    components: tuple[tuple[float, ...], ...]
    variances: tuple[float, ...]
    error: float

    @classmethod
    def of(cls, moments: Moments, noisy: Integers, width: float) -> ComponentsModel:
        """The model from noisy sums."""
        whole, noise = moments.matrix(noisy), width / UNIT_PRODUCT
        rows = max(float(whole[0, 0]), 1.0)
        mean = np.clip(whole[0, 1:] / rows, -1, 1)
        values, vectors = np.linalg.eigh(whole[1:, 1:] / rows - np.outer(mean, mean))
        vectors = vectors * np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(len(values))])
        error = noise_norm_up(len(whole), noise) * (1 + float(np.linalg.norm(mean))) ** 2 / rows
        directions = tuple(tuple(map(float, each)) for each in vectors.T[::-1])
        variances = tuple(max(0.0, float(each)) for each in values[::-1])
        return cls(moments.design.numbers, tuple(map(float, mean)), directions, variances, error)

    @property
    def target(self) -> TrainingTarget:
        """The first component."""
        return TrainingTarget("component", "", None, None)

    def transform(self, columns: Mapping[str, Sequence[Any]]) -> Floats:
        """Rows along each component; NaN for rows with NULL."""
        rows, _ = encoded(self.numbers, (), columns)
        return np.asarray((rows - np.array(self.mean)) @ np.array(self.components).T)

    def predict(self, columns: Mapping[str, Sequence[Any]]) -> Floats:
        """Rows along the first component."""
        return np.asarray(self.transform(columns)[:, 0])

    def probabilities(self, columns: Mapping[str, Sequence[Any]]) -> None:
        """None: a component is a number."""

    def judged_sql(self) -> NoReturn:
        """Refused: no row says what is right."""
        raise Refused("an evaluation of components", "No row says what is right.", "`variances` and their `error`.")

    @property
    def told(self) -> str:
        """The components, with their variances and what the noise may do to these."""
        lines = []
        for direction, variance in zip(self.components, self.variances, strict=True):
            parts = (f"{number.name} {at:+.3f}" for number, at in zip(self.numbers, direction, strict=True))
            lines.append(f"{variance:.4g} ± {self.error:.2g}: {', '.join(parts)}")
        return "\n".join([*lines, "Variances are of columns from -1 to 1 by their bounds."])

    @property
    def digest(self) -> str:
        """What tells the model from any other."""
        return hashlib.sha256(json.dumps(self.fields(), sort_keys=True).encode()).hexdigest()

    def fields(self) -> dict[str, Any]:
        """The model for JSON."""
        listed = {"mean": list(self.mean), "components": [list(each) for each in self.components]}
        listed |= {"variances": list(self.variances)}
        numbers = [each.fields() for each in self.numbers]
        return {"version": _VERSION, "kind": "pca", "numbers": numbers, "error": self.error} | listed

    @classmethod
    def from_fields(cls, said: Mapping[str, Any]) -> ComponentsModel:
        """The model read from JSON fields; refused where it is none."""
        try:
            if not (said["version"] == _VERSION and said["kind"] == "pca"):
                raise ValueError
            numbers = tuple(map(ScaledNumber.from_fields, said["numbers"]))
            mean, variances = (tuple(map(float, said[name])) for name in ("mean", "variances"))
            components = tuple(tuple(map(float, each)) for each in said["components"])
            sizes = {len(mean), len(variances), len(components), *map(len, components)}
            if sizes != {len(numbers)}:
                raise ValueError
            return cls(numbers, mean, components, variances, float(said["error"]))
        except (KeyError, TypeError, ValueError, IndexError, AttributeError):
            raise Refused("this model", "It cannot be read.", "a file that `tacit learn fit` wrote.") from None
