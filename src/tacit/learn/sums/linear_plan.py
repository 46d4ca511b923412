"""A plan of a linear regression: one release of sums of products, from which all coefficients are computed."""

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
from tacit.learn.model_kind import ModelFit, settings_of
from tacit.learn.sums.bounded_sums import BoundedSums
from tacit.learn.sums.design import ScaledDesign, check_rows, read_design
from tacit.learn.sums.found_levels import FoundLevels, fit_on_levels
from tacit.learn.sums.linear_model import LinearModel
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
class LinearPlan:
    """Sums of products of every two columns of a design, released once.

    Claim: the release costs μ² = `price.strength`. Proof: by `BoundedSums` one person's vector of sums has norm
    √limit at most, whatever their rows are, and `sums_law` has the noise for it. Ridge, coefficients and their errors
    are computed from the noisy sums and public numbers alone.

    A row whose numbers keep within `reach` of the way to their bounds is added up whole; a person with k such rows is
    scaled by `rows_each`/k at most. A smaller reach has less noise, and rows further out weigh less.
    """

    design: ScaledDesign
    relation: Relation
    unit: str
    rows_each: int
    reach: Fraction

    def __post_init__(self) -> None:
        check_rows(self.rows_each)
        if not 0 < self.reach <= 1:
            raise Refused(f"a reach of {shown(self.reach)}", "It is a part of the way to bounds.", "above 0, up to 1.")

    @cached_property
    def moments(self) -> Moments:
        return Moments(self.design, True)

    @property
    def limit(self) -> int:
        """The largest squared norm of one person's sums."""
        rows = self.rows_each if self.design.is_many else 1
        return rows**2 * self.moments.squared_norm_up(self.reach)

    @property
    def bounded(self) -> BoundedSums:
        return BoundedSums(self.moments.blocks, self.limit, self.design.is_many)

    def law(self, price: Price) -> RoundedGaussian:
        """The noise on every sum."""
        return sums_law(self.limit, self.relation, price)

    def stages(self, price: Price) -> tuple[Stage, ...]:
        """The one stage: the model as JSON."""

        def release(session: Session, bits: Bits, _: Sequence[bytes]) -> bytes:
            law = self.law(price)
            noisy = SumsReader(self.design.kept_sql()).noisy(session, self.bounded, law, bits)
            return json.dumps(LinearModel.fitted(self.moments, noisy, law.width).fields()).encode()

        return (release,)

    @property
    def training(self) -> ScaledDesign:
        return self.design

    @property
    def rows_sql(self) -> str:
        return self.design.kept_sql()

    @property
    def notes(self) -> str:
        columns = len(self.design.numbers) - 1 + len(self.design.keys)
        learned = f"Linear regression of {self.design.target.name} by {columns} columns, of complete rows"
        return f"{learned}. Hidden: {self.unit} ({self.relation}).{self.design.limit_words(self.rows_each)}"

    @property
    def claims(self) -> tuple[str, ...]:
        return (ONE_FACTOR,)

    @property
    def blocks(self) -> tuple[Mapping[str, str], ...]:
        return ({"counts": "sums of products of every two columns", "noise": "rounded Gaussian", "share": "1"},)

    @property
    def digest(self) -> str:
        said = f"linear {self.design.digest} {self.relation} {self.unit} {self.rows_each} {self.reach}"
        return hashlib.sha256(said.encode()).hexdigest()


@frozen
class LinearSettings:
    """How many rows one person counts for at most, and how far out numbers count whole, as a part of their bounds.

    `private` are columns whose keys are chosen privately first.
    """

    rows_each: int = 1
    reach: Number = "1/2"
    private: str = ""


class LinearKind:
    """Linear regressions."""

    def fit(self, sql: str, target: str, catalogue: Catalogue, unit: Unit, settings: Mapping[str, Any]) -> ModelFit:
        chosen = settings_of(LinearSettings, settings)
        reach = positive(chosen.reach, "reach")

        def make(found: FoundLevels) -> LinearPlan:
            design = read_design(sql, target, catalogue, found=found)
            return LinearPlan(design, unit.relation, unit.hides, chosen.rows_each, reach)

        return fit_on_levels(sql, chosen.private, catalogue, make)

    def model(self, said: Mapping[str, Any]) -> LinearModel:
        return LinearModel.from_fields(said)
