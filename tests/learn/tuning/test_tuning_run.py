"""A whole tuning by a random number of runs, enumerated: its law over neighbours keeps the price that is claimed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, cast

import pytest
from tests.divergence import hockey_stick
from tests.learn.patients import SQL, TYPES, described

from tacit.learn.model_kind import ModelFit
from tacit.learn.tuning.candidates import settings_in
from tacit.learn.tuning.held_out_score import HeldOutScore, held_out_score
from tacit.learn.tuning.tuning_plan import SCORE_SHARE, TuningPlan, runs_among
from tacit.learn.tuning.tuning_run import TuningRun
from tacit.loss.composition.best_of_runs import BestOfRuns
from tacit.loss.families.approx import Approx
from tacit.loss.families.zcdp import Zcdp
from tacit.noise.bits import Bits, Scripted
from tacit.noise.capped_geometric import CappedGeometric
from tacit.query.engines.protocol import Session, Stage
from tacit.query.plans.price import Price
from tacit.schema.catalogue import Catalogue

WORLDS = (0, 1)
LEVELS = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
Law = Mapping[Any, float]


class Toy:
    """A fit of a two-valued model: 1 with one chance of four in one world, three in the other."""

    def __init__(self, name: int, world: int) -> None:
        self.digest, self._bound = str(name), (1, 3)[world]

    def stages(self, price: Price) -> tuple[Stage, ...]:
        return self._first, self._last

    def _first(self, session: Session, bits: Bits, _: Sequence[bytes]) -> bytes:
        return bits.octets(1).tobytes()

    def _last(self, session: Session, bits: Bits, released: Sequence[bytes]) -> bytes:
        return json.dumps(int(released[0][0] % 4 < self._bound)).encode()


class ToyScore:
    """The model's value or one more: the noise is a coin."""

    digest = ""

    def draw(self, model: Any, strength: Fraction, session: Session, bits: Bits) -> int:
        return int(model) + int(bits.octets(1)[0] % 2)


def plan_of(world: int, runs: CappedGeometric | None) -> TuningPlan:
    fits = cast(tuple[ModelFit, ...], tuple(Toy(name, world) for name in (0, 1)))
    price = Price(Fraction(1), False, Approx(1, "1e-6"), Approx(1, "1e-6"))
    return TuningPlan(fits, ({"bins": 1}, {"bins": 2}), cast(HeldOutScore, ToyScore()), runs, Fraction(1), price)


RUNS = CappedGeometric("1/2", 2)
ONE_RUN = (range(2), range(4), range(2))  # a candidate, a fit, a score: each octet by what is read of it


@cache
def tuned_law(world: int) -> Law:
    """The law of what the stage gives, over all octets that differ in what is read of them."""
    (stage,) = TuningRun(plan_of(world, RUNS), cast(Any, lambda said: said)).stages
    found: Counter[bytes] = Counter()
    letters = [range(3), *(RUNS.most * ONE_RUN)]  # K is an octet's third
    for octets in product(*letters):
        bits = Scripted(octets)
        found[stage(cast(Session, None), bits, [])] += 1
        assert bits.taken == len(octets)  # as many draws whatever K is
    return {output: many / found.total() for output, many in found.items()}


def run_law(world: int) -> dict[Any, float]:
    """The law of one run with its score."""
    run, found = TuningRun(plan_of(world, RUNS), cast(Any, lambda said: said)), Counter[Any]()
    for octets in product(*ONE_RUN):
        found[run._run(cast(Session, None), Scripted(octets))] += 1
    return {output: many / found.total() for output, many in found.items()}


class OfRun:
    """The loss of one run: its two laws' own."""

    def delta(self, epsilon: Any) -> float:
        return spent([run_law(world) for world in WORLDS], float(epsilon)) + 1e-15


def spent(laws: Sequence[Law], level: float) -> float:
    one, other = laws
    return max(hockey_stick(one, other, level), hockey_stick(other, one, level))


def best_law(world: int, *, is_number_shown: bool = False, is_score_shown: bool = False) -> Law:
    """The law by the masses of K and of a run; twins show what must not leave, or may."""
    found: Counter[Any] = Counter()
    for k in range(1, RUNS.most + 1):
        for runs in product(run_law(world).items(), repeat=k):
            best = max(output for output, _ in runs)
            mass = float(RUNS.share(k))
            for _, each in runs:
                mass *= each
            found[(best if is_score_shown else best[1], k if is_number_shown else 0)] += mass
    return found


def test_the_stage_has_the_law_of_the_best_run() -> None:
    for world in WORLDS:
        expected = {output: mass for (output, _), mass in best_law(world).items()}
        assert tuned_law(world) == pytest.approx(expected, abs=1e-12)


def test_the_law_over_neighbours_keeps_the_price() -> None:
    priced, base = BestOfRuns(RUNS), cast(Any, OfRun())
    for level in LEVELS:
        most = priced.delta(base, level) + 1e-12
        assert spent([tuned_law(world) for world in WORLDS], level) <= most
        assert spent([best_law(world, is_score_shown=True) for world in WORLDS], level) <= most


def test_a_price_that_is_too_low_is_caught() -> None:
    """Broken twins: the price of one run; the number of runs is released at that price times E[K]."""
    base, laws = OfRun(), [tuned_law(world) for world in WORLDS]
    assert any(spent(laws, level) > base.delta(level) + 1e-9 for level in LEVELS)
    shown = [best_law(world, is_score_shown=True, is_number_shown=True) for world in WORLDS]
    assert any(spent(shown, level) > float(RUNS.mean) * base.delta(level) + 1e-9 for level in LEVELS)


@pytest.mark.parametrize("many", [2, 3, 4, 8, 32])
def test_the_way_is_chosen_from_public_numbers(tmp_path: Path, many: int) -> None:
    score = held_out_score(
        SQL, SQL, Catalogue(described(tmp_path), {"visits": TYPES}), described(tmp_path).unit.relation
    )
    fits = cast(tuple[ModelFit, ...], tuple(Toy(name, 0) for name in range(many)))
    settings = settings_in({"bins": range(2, 2 + many)}, {})
    promise = Approx(4, "1e-7")
    sums = TuningPlan.priced(fits, settings, score, promise, promise, 1, None)
    assert sums.runs == runs_among(many)
    assert sums.price.charge == Approx(1, "1e-9")
    assert BestOfRuns(runs_among(many)).delta(_gdp(sums.run_strength), 1) <= 1e-9
    rho = TuningPlan.priced(fits, settings, score, Zcdp("0.26", "1e-8"), promise, 1, None)
    assert rho.runs is None
    assert rho.run_strength * many == rho.price.strength
    assert cast(Zcdp, rho.price.charge).rho == rho.price.strength / 2
    assert sums.run_strength > rho.run_strength
    for plan in (sums, rho):  # a fit and a score cost a run
        assert plan.fit_price.strength + plan.score_strength == plan.run_strength
        assert plan.score_strength == plan.run_strength * SCORE_SHARE
        variance = score.law(plan.score_strength).variance
        assert Fraction(99, 100) * plan.score_strength < Fraction(score.norm) ** 2 / variance <= plan.score_strength
    assert sums.digest != rho.digest != replace(rho, settings=settings[::-1]).digest


def _gdp(strength: Fraction) -> Any:
    from tacit.loss.families.gdp import Gdp

    return Gdp(strength)


def test_all_candidates_have_their_stages() -> None:
    run = TuningRun(plan_of(0, None), cast(Any, lambda said: said))
    released: list[bytes] = []
    for octets, stage in zip([[0], [], [1], [3], [], [0]], run.stages, strict=True):
        released.append(stage(cast(Session, None), Scripted(octets), released))
    assert json.loads(released[-1]) == {"candidate": 0, "model": 1}  # scores are 2 and 0
    assert int.from_bytes(released[2], "little", signed=True) == 2
