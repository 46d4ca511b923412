"""k-means: centres that a fixed number of private steps moves to the means of the rows nearest to each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.learn.model_kind import settings_of
from tacit.learn.sums.bounded_sums import SOURCE, KeyedBlock
from tacit.learn.sums.centres_model import CentresModel
from tacit.learn.sums.design import STEPS, ScaledDesign, check_rows, read_design
from tacit.learn.sums.sums_stage import SumsReader, read_sums, sums_law
from tacit.learn.sums.weighted_sums import PARTS, WeightedSums, weighted
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Bits
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.engines.protocol import Session, Stage
from tacit.query.plans.price import Price
from tacit.query.sql.clamp import ONE
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Unit

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MOST_CENTRES: Final = 64
MOST_STEPS: Final = 32
_SEEN: Final = 2.0  # deviations of noise: a centre with fewer rows stays where it is


@frozen(eq=False)
class KMeansPlan:
    """`steps` releases of numbers of rows and sums of columns by nearest centre, each seeing those before.

    Claim: all together cost μ² = `price.strength`. Proof: a row is in one cell, with a constant and d numbers of at
    most 1, so that its squared norm is 1 + d; by `WeightedSums` a person's is most²·(1 + d) at most. Which cell it is
    depends on the row and on what was released before. Each step has the noise for an equal share (`sums_law`), and μ²
    adds up under adaptive composition. The first centres are the same for all data: `first_centres`.
    """

    design: ScaledDesign
    relation: Relation
    unit: str
    centres: int
    steps: int
    rows_each: int

    def __post_init__(self) -> None:
        check_rows(self.rows_each)
        if not 2 <= self.centres <= MOST_CENTRES:
            raise Refused(f"{self.centres} centres", "Each has noise of its own.", f"2 to {MOST_CENTRES} centres.")
        if not 1 <= self.steps <= MOST_STEPS:
            raise Refused(f"{self.steps} steps", "All are paid for together.", f"1 to {MOST_STEPS} steps.")
        check_numbers(self.design, "k-means")

    @property
    def most(self) -> int:
        """What the weights of one person add up to."""
        return PARTS * self.rows_each if self.design.is_many else 1

    def near(self, centres: Integers) -> WeightedSums:
        """The sums by nearest centre, where centres are in steps."""
        names = [f"x{place}" for place in range(len(self.design.numbers))]
        columns = ", ".join([*names, "w"])
        spans = [
            " + ".join(f"({name} - ({at})) * ({name} - ({at}))" for name, at in zip(names, centre, strict=True))
            for centre in centres.tolist()
        ]
        distances = [f"d{place}" for place in range(len(spans))]
        measured = ", ".join(f"{span} AS {name}" for span, name in zip(spans, distances, strict=True))
        rows = f'SELECT {columns}, {measured} FROM "{SOURCE}"'
        least = f'SELECT {columns}, {", ".join(distances)}, least({", ".join(distances)}) AS d FROM ({rows}) AS "__far"'
        runs = " ".join(f"WHEN {name} = d THEN {place}" for place, name in enumerate(distances))
        source = f'SELECT {columns}, CASE {runs} ELSE 0 END AS near FROM ({least}) AS "__near"'
        block = KeyedBlock("near", self.centres, (ONE.scaled(STEPS, 1), *self.design.scaled))
        return WeightedSums((block,), block.squared, self.most, source)

    def law(self, price: Price) -> RoundedGaussian:
        """The noise of each step."""
        limit = self.most**2 * STEPS**2 * (1 + len(self.design.numbers))
        return sums_law(limit, self.relation, price, Fraction(1, self.steps))

    def stages(self, price: Price) -> tuple[Stage, ...]:
        """A stage for each step; the last gives the model as JSON."""
        reader = SumsReader(self.rows_sql)

        def step(session: Session, bits: Bits, released: Sequence[bytes]) -> bytes:
            centres = self.path(read_sums(released), price)[-1]
            return reader.noisy(session, self.near(in_steps(centres)), self.law(price), bits).tobytes()

        def last(session: Session, bits: Bits, released: Sequence[bytes]) -> bytes:
            whole = read_sums([*released, step(session, bits, released)])
            rows = self._table(whole[-1])[:, 0] / (STEPS * (PARTS if self.design.is_many else 1))
            model = CentresModel.of(self.design, self.path(whole, price)[-1], rows)
            return json.dumps(model.fields()).encode()

        return (*[step] * (self.steps - 1), last)

    def path(self, released: Sequence[Integers], price: Price) -> list[Floats]:
        """The centres, scaled, after so many steps."""
        found = [first_centres(self.centres, len(self.design.numbers))]
        noise = self.law(price).width
        for sums in released:
            table = self._table(sums).astype(np.float64)
            counts = table[:, :1]
            means = np.clip(table[:, 1:] / np.maximum(counts, 1), -1, 1)
            found.append(np.where(counts > _SEEN * noise, means, found[-1]))
        return found

    def _table(self, sums: Integers) -> Integers:
        return sums.reshape(self.centres, -1)

    @property
    def training(self) -> ScaledDesign:
        return self.design

    @property
    def rows_sql(self) -> str:
        columns = ", ".join(f"x{place}" for place in range(len(self.design.numbers)))
        return weighted(self.design.kept_sql(), columns, self.most, self.design.is_many)

    @property
    def notes(self) -> str:
        learned = f"{self.centres} centres by {len(self.design.numbers)} columns, in {self.steps} steps"
        return f"{learned}. Hidden: {self.unit} ({self.relation}).{self.design.limit_words(self.rows_each)}"

    @property
    def claims(self) -> tuple[str, ...]:
        return ("a row's numbers are cut at bounds, and the weights of one person's rows add up to a limit",)

    @property
    def blocks(self) -> tuple[Mapping[str, str], ...]:
        counts = f"rows, and sums of columns, by nearest centre, {self.steps} times"
        return ({"counts": counts, "noise": "rounded Gaussian", "share": "1"},)

    @property
    def digest(self) -> str:
        said = f"{self.design.digest} {self.relation} {self.unit} {self.rows_each} {self.steps} {self.centres}"
        return hashlib.sha256(f"kmeans {said}".encode()).hexdigest()


def first_centres(many: int, dimension: int) -> Floats:
    """Public points that are spread over the middle half of a box from −1 to 1: multiples of a vector, modulo 1.

    The vector has powers of the root of x^(d+1) = x + 1, as Roberts (2018) has them.
    """
    root = 2.0
    for _ in range(64):
        root = (1 + root) ** (1 / (dimension + 1))
    powers = root ** -np.arange(1, dimension + 1)
    return np.asarray((0.5 + np.outer(np.arange(1, many + 1), powers)) % 1 - 0.5)


def in_steps(centres: Floats) -> Integers:
    """Centres in steps, as SQL has them."""
    return np.asarray(np.round(centres * STEPS), np.int64)


def check_numbers(design: ScaledDesign, what: str) -> None:
    """Refuse columns that are no numbers."""
    if design.keys:
        raise Refused(f"{design.keys[0].name} in {what}", "It is no number with bounds.", "numbers with min and max.")


@frozen
class KMeansSettings:
    """How many centres, how many steps, and how many rows one person counts for at most."""

    centres: int = 5
    steps: int = 6
    rows_each: int = 1


class KMeansKind:
    """k-means."""

    def fit(self, sql: str, target: str, catalogue: Catalogue, unit: Unit, settings: Mapping[str, Any]) -> KMeansPlan:
        chosen = settings_of(KMeansSettings, settings)
        refuse_target(target)
        design = read_design(sql, None, catalogue, "centres")
        return KMeansPlan(design, unit.relation, unit.hides, chosen.centres, chosen.steps, chosen.rows_each)

    def model(self, said: Mapping[str, Any]) -> CentresModel:
        return CentresModel.from_fields(said)


def refuse_target(target: str) -> None:
    """Refuse a target where all columns are alike."""
    if target:
        raise Refused(f"the target {target}", "All columns of the SELECT are alike.", "no target.")
