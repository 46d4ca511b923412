"""The membership game: a fair coin decides which world is released, and an attack guesses which."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.audit.membership.rounds import Played, Reals
from tacit.exact import Number, whole
from tacit.frozen import frozen
from tacit.loss.families.approx import Approx
from tacit.loss.interpretation import guess_probability

Outputs = NDArray[Any]


@frozen(eq=False)
class Game:
    """Two neighbouring worlds behind a release, and an attack that scores what comes out.

    `release(member, count)` makes so many independent outputs, one a row, of the world with the person or without;
    `score` gives each a number, higher where it points to "with". Claim (002 §5): if the release is (ε, δ)-private, no
    score is right more often than (e^ε+δ)/(1+e^ε), for any knowledge of the attacker about all others. Proof: the
    outputs that are guessed "with" have probability p in one world and q in the other, p ≤ e^ε·q + δ and 1−q ≤
    e^ε·(1−p) + δ; adding up, (1+e^ε)(p + 1 − q) ≤ 2(e^ε + δ), and the success rate is (p + 1 − q)/2.
    """

    release: Callable[[bool, int], Outputs]
    score: Callable[[Outputs], Reals]

    def play(self, rounds: int, seed: int = 0) -> Played:
        """So many rounds, each with a coin of its own."""
        coins = np.random.default_rng(seed).integers(0, 2, whole(rounds, "rounds", least=1)).astype(np.bool_)
        scores = np.empty(coins.size)
        for world in (False, True):
            places = np.flatnonzero(coins == world)
            if places.size:
                scores[places] = self.score(self.release(world, places.size))
        return Played.of(coins, scores)


def best_success(epsilon: Number, delta: Number = 0) -> float:
    """The most often that any attack on an (ε, δ)-private release can be right."""
    return guess_probability(Approx(epsilon, delta))


def one_by_one(release: Callable[[bool], Any]) -> Callable[[bool, int], Outputs]:
    """A release that makes one output at a time, for a game."""
    return lambda member, count: np.asarray([release(member) for _ in range(count)])
