"""The stages of a tuning: fits, scores, and the choice."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tacit.learn.model_kind import ModelData
from tacit.learn.tuning.tuning_plan import TuningPlan
from tacit.noise.bits import Bits
from tacit.noise.capped_geometric import CappedGeometric
from tacit.noise.uniform import UniformBelow
from tacit.query.engines.protocol import Session, Stage

_LENGTH = 9  # octets of a score


class TuningRun:
    """The stages of a plan; the last gives the chosen model's fields, and which candidate it is.

    Where all candidates are paid for, each has the stages of its fit and one for its score, which are stored. A random
    number of runs is one stage, of which only the best run is stored: a process that dies within it has failed, and
    nothing of it is left. That stage makes as many runs as K may be, so that its work is the same whatever K is.
    """

    def __init__(self, plan: TuningPlan, read: Callable[[Mapping[str, Any]], ModelData]) -> None:
        self._plan, self._read = plan, read

    @property
    def stages(self) -> tuple[Stage, ...]:
        runs = self._plan.runs
        if runs is not None:
            return (lambda session, bits, _: self._best_of(runs, session, bits),)
        found: list[Stage] = []
        last = len(self._plan.fits) - 1
        for place, fit in enumerate(self._plan.fits):
            begin = len(found)
            found += [_behind(begin, stage) for stage in fit.stages(self._plan.fit_price)]
            found.append(self._choose if place == last else self._score)
        return tuple(found)

    def _score(self, session: Session, bits: Bits, released: Sequence[bytes]) -> bytes:
        return self._draw(released[-1], session, bits).to_bytes(_LENGTH, "little", signed=True)

    def _choose(self, session: Session, bits: Bits, released: Sequence[bytes]) -> bytes:
        scored = [*released, self._score(session, bits, released)]
        found, end = [], 0
        for place, fit in enumerate(self._plan.fits):
            end += len(fit.stages(self._plan.fit_price)) + 1
            found.append((int.from_bytes(scored[end - 1], "little", signed=True), _payload(place, scored[end - 2])))
        return max(found)[1]

    def _best_of(self, runs: CappedGeometric, session: Session, bits: Bits) -> bytes:
        """The best of the first K of all runs, by the score and then by the octets of what is released."""
        counted = runs.draw_one(bits)
        made = [self._run(session, bits) for _ in range(runs.most)]
        return max(made[:counted])[1]

    def _run(self, session: Session, bits: Bits) -> tuple[int, bytes]:
        place = UniformBelow(len(self._plan.fits)).draw_integer(bits)
        released: list[bytes] = []
        for stage in self._plan.fits[place].stages(self._plan.fit_price):
            released.append(stage(session, bits, released))
        return self._draw(released[-1], session, bits), _payload(place, released[-1])

    def _draw(self, model: bytes, session: Session, bits: Bits) -> int:
        return self._plan.score.draw(self._read(json.loads(model)), self._plan.score_strength, session, bits)


def _behind(begin: int, stage: Stage) -> Stage:
    """A stage of a fit that begins behind so many others."""
    return lambda session, bits, released: stage(session, bits, released[begin:])


def _payload(place: int, model: bytes) -> bytes:
    return json.dumps({"candidate": place, "model": json.loads(model)}).encode()
