"""Bins of about equally many rows: a noisy histogram on a fine public grid, then training on the edges it gives."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.learn.coded_rows import CodedRows
from tacit.learn.features import ModelFeature
from tacit.learn.model_kind import ModelFit
from tacit.learn.sums.bounded_sums import BoundedSums, KeyedBlock
from tacit.learn.sums.found_levels import FoundLevels, fit_on_levels
from tacit.learn.sums.sums_stage import ONE_FACTOR, SumsReader, sums_law
from tacit.learn.training_text import Training, read_training, with_features
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Bits
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.engines.protocol import Session, Stage
from tacit.query.plans.price import Price
from tacit.query.sql.clamp import ONE
from tacit.query.sql.rows import Ownership
from tacit.schema.catalogue import Catalogue

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

EVEN: Final = "even"
QUANTILES: Final = "quantiles"
BINS_SHARE: Final = Fraction(1, 20)  # of the price
_FINE: Final = 256
_NAME: Final = "__grid_rows"
_COUNTED: Final = 2**16  # steps of one row
_SEEN: Final = 1.0  # deviations of noise on one bin: with fewer rows, edges stay where they are


@frozen(eq=False)
class ChosenBinsFit:
    """A histogram of every number on a fine grid, released first, and then the stages of a fit on its quantiles.

    Claim: all together cost μ² = `price.strength`. Proof: a row is in one cell of each of n histograms, so that its
    squared norm is n; `BoundedSums` keeps a person's to `rows_each`²·n, and `sums_law` has the noise for `BINS_SHARE`
    of the price. Edges are computed from the noisy counts and public bounds alone, so that the fit on them is a plan
    that depends on an earlier release; it costs the rest of the price, and μ² adds up under adaptive composition. The
    number of stages is fixed before the first: that of the fit on even bins.
    """

    fine: Training
    even: Training
    rows_each: int
    make: Callable[[Training], ModelFit]

    @property
    def chosen(self) -> list[int]:
        """The places of the features whose bins are chosen."""
        return [place for place, feature in enumerate(self.even.features) if feature.edges is not None]

    @property
    def bounded(self) -> BoundedSums:
        """The histograms."""
        one, is_many = ONE.scaled(_COUNTED, 1), self.fine.rows.ownership is Ownership.MANY
        blocks = [KeyedBlock(f"c{place}", self.fine.features[place].levels, (one,)) for place in self.chosen]
        rows = self.rows_each if is_many else 1
        return BoundedSums(tuple(blocks), rows**2 * len(blocks) * _COUNTED**2, is_many, _NAME)

    def law(self, price: Price) -> RoundedGaussian:
        """The noise on a cell of a histogram, in steps."""
        return sums_law(self.bounded.limit, self.relation, price, BINS_SHARE)

    def stages(self, price: Price) -> tuple[Stage, ...]:
        """The histograms, then the stages of the fit."""
        law = self.law(price)
        rest = replace(price, strength=price.strength * (1 - BINS_SHARE))

        def count(session: Session, bits: Bits, _: Sequence[bytes]) -> bytes:
            rows = CodedRows(self.fine, 1, 1).targets_sql()
            return SumsReader(rows).noisy(session, self.bounded, law, bits).tobytes()

        @lru_cache(maxsize=1)
        def later(counted: bytes) -> tuple[Stage, ...]:
            counts = np.frombuffer(counted, "<i8") / _COUNTED
            return self.make(self.binned(counts, law.width / _COUNTED)).stages(rest)

        def stage(place: int) -> Stage:
            return lambda session, bits, released: later(released[0])[place](session, bits, released[1:])

        return count, *[stage(place) for place in range(len(self._even_fit.stages(rest)))]

    def binned(self, counts: Floats, noise: float) -> Training:
        """The training on bins of about equally many rows, by noisy counts."""
        sizes = [self.fine.features[place].levels for place in self.chosen]
        parts = np.split(counts, np.cumsum(sizes)[:-1])
        features = list(self.even.features)
        for place, part in zip(self.chosen, parts, strict=True):
            own, grid = features[place], self.fine.features[place].edges or ()
            cells = part[:-1]  # the last is for NULL
            if cells.sum() > _SEEN * noise * len(own.edges or ()) * len(cells) ** 0.5:
                wanted = np.arange(1, own.levels - 1) / (own.levels - 1)
                features[place] = replace(own, edges=tuple(grid[at] for at in quantile_places(cells, wanted)))
        return with_features(self.even, features)

    @property
    def _even_fit(self) -> ModelFit:
        return self.make(self.even)

    @property
    def training(self) -> Training:
        return self.even

    @property
    def relation(self) -> Relation:
        return self._even_fit.relation

    @property
    def unit(self) -> str:
        return self._even_fit.unit

    @property
    def rows_sql(self) -> str:
        return CodedRows(self.fine, 1, 1).targets_sql()

    @property
    def notes(self) -> str:
        return f"{self._even_fit.notes} Bins have about equally many rows, by a noisy histogram."

    @property
    def claims(self) -> tuple[str, ...]:
        return (*self._even_fit.claims, ONE_FACTOR)

    @property
    def blocks(self) -> tuple[Mapping[str, str], ...]:
        histograms = {"counts": "rows by cell of a fine grid", "noise": "rounded Gaussian", "share": str(BINS_SHARE)}
        rest = f"{1 - BINS_SHARE} of "
        return histograms, *({**each, "share": rest + each["share"]} for each in self._even_fit.blocks)

    @property
    def digest(self) -> str:
        said = f"quantiles {self.fine.digest} {self.rows_each} {self._even_fit.digest}"
        return hashlib.sha256(said.encode()).hexdigest()


def quantile_places(cells: Floats, wanted: Floats) -> list[int]:
    """The edges of a grid nearest below which so many parts of all rows are, by noisy counts of its cells."""
    below = np.maximum.accumulate(np.cumsum(cells)[:-1])
    total = max(float(np.sum(cells)), float(below[-1]))
    places = np.searchsorted(below, wanted * total)
    return sorted({int(min(place, len(below) - 1)) for place in places})


@frozen
class FeatureSettings:
    """How columns become levels: `bins` of a number, "even" or "quantiles" as `cuts`, and columns with private keys."""

    bins: int
    cuts: str
    private: str
    classes: int  # the most that a target may have


def fit_on_features(
    sql: str,
    target: str,
    catalogue: Catalogue,
    chosen: FeatureSettings,
    rows_each: int,
    make: Callable[[Training], ModelFit],
) -> ModelFit:
    """The fit on levels that are public, or chosen from the rows first, each choice with its share of the price."""

    def on_bins(found: FoundLevels) -> ModelFit:
        even = read_training(sql, target, chosen.bins, catalogue, chosen.classes, found)
        if chosen.cuts == EVEN:
            return make(even)
        if chosen.cuts != QUANTILES:
            raise Refused(f"cuts {chosen.cuts}", "There are no such bins.", f"{EVEN}, {QUANTILES}.")
        fine = read_training(sql, target, _FINE, catalogue, chosen.classes, found)
        features = [_on_grid(one, two) for one, two in zip(even.features, fine.features, strict=True)]
        bins = ChosenBinsFit(with_features(fine, features), even, rows_each, make)
        return bins if bins.chosen else make(even)

    return fit_on_levels(sql, chosen.private, catalogue, on_bins)


def _on_grid(even: ModelFeature, fine: ModelFeature) -> ModelFeature:
    """A number on the fine grid; the few values of a whole number are its cells."""
    if even.edges is None or fine.edges is not None:
        return fine
    values = [value for value in fine.values or () if not isinstance(value, (str, bool))]
    return replace(fine, edges=tuple(values[1:]), values=None)
