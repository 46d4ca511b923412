"""The membership attack on a kind of model, trained on halves of the people of a table, and its report."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

import numpy as np

from tacit.audit.membership.attacked_models import AttackedModel
from tacit.audit.membership.attacked_table import AttackedTable
from tacit.audit.membership.exposed_people import Exposed, most_exposed
from tacit.audit.membership.found_members import MembersFound, find_members
from tacit.audit.membership.rounds import EpsilonBound, Played
from tacit.audit.membership.shadow_models import ShadowAttack, Watch, attack_training, bound_of_guesses
from tacit.exact import Number, probability, proper
from tacit.frozen import frozen
from tacit.words import counted

ALARMS: Final = ("0.01", "0.001")
_SHOWN: Final = 5
_ROWS_SHOWN: Final = 3


@frozen(eq=False)
class ModelAttack:
    """What attacks on a model found: by shadow models, by a threshold on the loss, by canaries with false labels.

    Claim: `bound` is above the ε of an (ε, δ)-private training with probability at most 1 − `confidence`. Proof: it is
    the highest of three bounds, each of which is with at most a third of that (`bound_of_guesses`). Intervals of rates
    (`find_members`) each miss with probability at most 1 − `confidence`, for independent rounds: the people of one
    model share its noise, and a person is in all targets, so that they are too narrow where the noise is large.
    """

    model: AttackedModel
    table: AttackedTable
    shadow: ShadowAttack
    canaries: Played
    delta: float
    confidence: Number

    @cached_property
    def played(self) -> dict[str, Played]:
        """The rounds of both attacks on members, by name."""
        return {"likelihood ratio": self.shadow.played, "threshold on the loss": self.shadow.by_threshold}

    @cached_property
    def found(self) -> dict[str, list[MembersFound]]:
        """What each finds at each rate of false alarms."""
        return {name: [find_members(played, most) for most in ALARMS] for name, played in self.played.items()}

    @cached_property
    def bounds(self) -> dict[str, EpsilonBound]:
        """The lower bound of ε by each attack; together they hold with the confidence that was asked for."""
        miss = (1 - proper(self.confidence, "confidence")) / 3
        found = {name: bound_of_guesses(played, self.delta, 1 - miss) for name, played in self.played.items()}
        half = self.canaries.scores.size // 2
        return found | {"canaries": bound_of_guesses(self.canaries, self.delta, 1 - miss, half)}

    @property
    def bound(self) -> float:
        """The audited lower bound of ε."""
        return max(bound.epsilon for bound in self.bounds.values())

    @property
    def refutes(self) -> bool:
        """Whether it contradicts the ε that is promised."""
        return self.model.epsilon is not None and self.bound > self.model.epsilon

    @cached_property
    def exposed(self) -> list[Exposed]:
        """Those who stand out, over all models that were trained."""
        saw = np.concatenate([self.shadow.shadows_saw, self.shadow.members])
        return most_exposed(saw, np.concatenate([self.shadow.shadows_told, self.shadow.told]))

    def fields(self) -> dict[str, Any]:
        """The report for JSON. It names rows of the file: for the steward alone."""
        exposed = [
            {"rows": self.table.rows_in_file(each.person), "score": round(each.score, 2)} for each in self.exposed
        ]
        return {
            "model": self.model.name,
            "people": self.table.people,
            "shadows": self.shadow.shadows,
            "targets": len(self.shadow.members),
            "confidence": float(proper(self.confidence, "confidence")),
            "found": {name: [each.fields(self.confidence) for each in found] for name, found in self.found.items()},
            "exposed_of_100": {name: found[0].of_a_hundred for name, found in self.found.items()},
            "audited_epsilon": self.bound,
            "bounds": {name: bound.epsilon for name, bound in self.bounds.items()},
            "delta": self.delta,
            "promised_epsilon": self.model.epsilon,
            "is_certified": self.model.is_certified,
            "is_refuted": self.refutes,
            "most_exposed": exposed,
        }

    def describe(self) -> str:
        shadows, aims = counted(self.shadow.shadows, "shadow model"), counted(len(self.shadow.members), "target")
        exposed = ", ".join(f"{found[0].of_a_hundred} by {name}" for name, found in self.found.items())
        lines = [
            f"{self.model.name}, attacked with {self.table.people:,} people, {shadows} and {aims}.",
            f"  Of 100 members exposed: {exposed}. So many score higher than 99 of 100 others.",
        ]
        for name, found in self.found.items():
            lines += [f"    By {name}, {each.describe(self.confidence)}." for each in found]
        return "\n".join([*lines, *self._epsilon_lines(), *self._exposed_lines()])

    def __str__(self) -> str:
        return self.describe()

    def _epsilon_lines(self) -> list[str]:
        parts = "; ".join(f"{bound.epsilon:.3g} by {name}" for name, bound in self.bounds.items())
        sure = float(proper(self.confidence, "confidence"))
        said = "certified" if self.model.is_certified else "claimed"
        promised = "the model promises none" if self.model.epsilon is None else f"{said} ≤ {self.model.epsilon:g}"
        lines = [
            f"  ε at δ = {self.delta:g}: audited ≥ {self.bound:.3g}, {promised}.",
            f"    At least {parts} ({self.canaries.scores.size:,} people with false labels, in one run). "
            f"All three hold with {sure:.4g} confidence.",
        ]
        refuted = f"    The {said} ε is refuted: this training is not what it claims."
        return [*lines, refuted] if self.refutes else lines

    def _exposed_lines(self) -> list[str]:
        if not self.exposed:
            return ["  Nobody stands out of what chance gives (by chance alone somebody would in 1 of 20 attacks)."]
        listed = "; ".join(f"{self._rows(each.person)}: {each.score:.1f}" for each in self.exposed[:_SHOWN])
        many = self.table.people
        return [
            f"  {len(self.exposed):,} of {many:,} people stand out of chance. The most exposed, by rows of "
            "the file and by how many deviations models that saw them are surer of them (for the steward alone):",
            f"    {listed}.",
        ]

    def _rows(self, person: int) -> str:
        rows = self.table.rows_in_file(person)
        more = f" and {len(rows) - _ROWS_SHOWN:,} more" if len(rows) > _ROWS_SHOWN else ""
        return f"row{'s' if len(rows) > 1 else ''} {', '.join(map(str, rows[:_ROWS_SHOWN]))}{more}"


def attack_on(
    model: AttackedModel,
    table: AttackedTable,
    shadows: int = 32,
    targets: int = 8,
    delta: Number = "1e-6",
    confidence: Number = "0.95",
    seed: int = 0,
    watch: Watch = lambda done, of: None,
) -> ModelAttack:
    """Train shadow models, targets, and one model with canaries; guess who was in each."""
    shadow = attack_training(lambda part: model.confidence(table, part), table.people, shadows, targets, seed, watch)
    slack = model.delta if model.epsilon is not None else float(probability(delta, "delta"))
    return ModelAttack(model, table, shadow, play_canaries(model, table, seed), slack, confidence)


def play_canaries(model: AttackedModel, table: AttackedTable, seed: int = 0) -> Played:
    """One training with half of the people as canaries, scored by how sure the model is of their labels.

    All rows of a canary get another class, which can only be known from their own rows; each is in by a coin of its
    own, and everybody else is in.
    """
    generator = np.random.default_rng([seed, 1])
    canaries = np.zeros(table.people, np.bool_)
    canaries[generator.permutation(table.people)[: table.people // 2]] = True
    coins = generator.integers(0, 2, table.people).astype(np.bool_)
    told = model.confidence(table.mislabelled(canaries, seed), coins | ~canaries)
    return Played.of(coins[canaries], told[canaries])
