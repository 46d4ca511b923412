"""Permute-and-flip: the law of report noisy max, by coins instead of noise."""

from __future__ import annotations

from tacit.frozen import frozen
from tacit.mechanisms.selection.noisy_max import NoisyMax
from tacit.noise.bits import Bits, Integers
from tacit.noise.selection_draws import permute_and_flip


@frozen
class PermuteAndFlip(NoisyMax):
    """Visits the candidates in random order and takes the first whose coin of bias e^(−rate·(best − score)) falls on 1.

    Claim: ε-private if neighbours under `relation` move each score by at most Δ; the rate is ε/2Δ, or ε/Δ if
    monotonic. Proof: it selects each candidate with the same probability as `NoisyMax` (Ding, Kifer, Steinke, Wang,
    Xiao and Zhang 2021), whose claims and error are therefore its own.
    """

    def select(self, steps: Integers, bits: Bits) -> int:
        return permute_and_flip(steps, self.rate, bits)
