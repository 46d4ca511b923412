"""Principal components from one release of sums of products."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from tacit.errors import Refused
from tacit.exact import Number, positive
from tacit.frozen import frozen
from tacit.learn.model_kind import settings_of
from tacit.learn.sums.bounded_sums import BoundedSums
from tacit.learn.sums.components_model import ComponentsModel
from tacit.learn.sums.design import ScaledDesign, check_rows, read_design
from tacit.learn.sums.kmeans import check_numbers, refuse_target
from tacit.learn.sums.moments import Moments
from tacit.learn.sums.sums_stage import ONE_FACTOR, SumsReader, sums_law
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Bits
from tacit.noise.gaussian_law import RoundedGaussian
from tacit.query.engines.protocol import Session, Stage
from tacit.query.plans.price import Price
from tacit.schema.catalogue import Catalogue
from tacit.schema.description import Unit
from tacit.words import shown


@frozen(eq=False)
class PcaPlan:
    """The number of rows, sums of columns and sums of products, released once; every two columns share one draw.

    Claim: the release costs μ² = `price.strength`. Proof: by `BoundedSums` one person's vector has norm √limit at most,
    and `sums_law` has the noise for it. A product of two columns is added up once, so that the matrix with noise is
    symmetric as it is. Means, covariances and components are computed from the noisy sums alone.
    """

    design: ScaledDesign
    relation: Relation
    unit: str
    rows_each: int
    reach: Fraction

    def __post_init__(self) -> None:
        check_rows(self.rows_each)
        check_numbers(self.design, "principal components")
        if not 0 < self.reach <= 1:
            raise Refused(f"a reach of {shown(self.reach)}", "It is a part of the way to bounds.", "above 0, up to 1.")
        if len(self.design.numbers) < 2:
            raise Refused("principal components of one column", "It is its own.", "two columns or more.")

    @cached_property
    def moments(self) -> Moments:
        return Moments(self.design, False)

    @property
    def bounded(self) -> BoundedSums:
        rows = self.rows_each if self.design.is_many else 1
        return BoundedSums(self.moments.blocks, rows**2 * self.moments.squared_norm_up(self.reach), self.design.is_many)

    def law(self, price: Price) -> RoundedGaussian:
        """The noise on every sum."""
        return sums_law(self.bounded.limit, self.relation, price)

    def stages(self, price: Price) -> tuple[Stage, ...]:
        """The one stage: the model as JSON."""

        def release(session: Session, bits: Bits, _: Sequence[bytes]) -> bytes:
            law = self.law(price)
            noisy = SumsReader(self.rows_sql).noisy(session, self.bounded, law, bits)
            return json.dumps(ComponentsModel.of(self.moments, noisy, law.width).fields()).encode()

        return (release,)

    @property
    def training(self) -> ScaledDesign:
        return self.design

    @property
    def rows_sql(self) -> str:
        return self.design.kept_sql()

    @property
    def notes(self) -> str:
        learned = f"Principal components of {len(self.design.numbers)} columns, of complete rows"
        return f"{learned}. Hidden: {self.unit} ({self.relation}).{self.design.limit_words(self.rows_each)}"

    @property
    def claims(self) -> tuple[str, ...]:
        return (ONE_FACTOR,)

    @property
    def blocks(self) -> tuple[Mapping[str, str], ...]:
        return ({"counts": "rows, columns and their products", "noise": "rounded Gaussian", "share": "1"},)

    @property
    def digest(self) -> str:
        said = f"pca {self.design.digest} {self.relation} {self.unit} {self.rows_each} {self.reach}"
        return hashlib.sha256(said.encode()).hexdigest()


@frozen
class PcaSettings:
    """How many rows one person counts for at most, and how far out numbers count whole, as a part of their bounds."""

    rows_each: int = 1
    reach: Number = "1/2"


class PcaKind:
    """Principal components."""

    def fit(self, sql: str, target: str, catalogue: Catalogue, unit: Unit, settings: Mapping[str, Any]) -> PcaPlan:
        chosen = settings_of(PcaSettings, settings)
        refuse_target(target)
        design = read_design(sql, None, catalogue, "components")
        return PcaPlan(design, unit.relation, unit.hides, chosen.rows_each, positive(chosen.reach, "reach"))

    def model(self, said: Mapping[str, Any]) -> ComponentsModel:
        return ComponentsModel.from_fields(said)
