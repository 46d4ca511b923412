"""Clones: what shuffling hides of any ε₀-private report, whoever made the randomizer."""

from __future__ import annotations

from fractions import Fraction

from tacit.local.randomizers.kary import KaryResponse
from tacit.local.shuffle.cell import Cell
from tacit.local.shuffle.channel import channel_of
from tacit.local.shuffle.crowd import Crowd
from tacit.local.shuffle.rounding import exponential_up
from tacit.local.shuffle.scene import Scene
from tacit.local.shuffle.worlds import attacks


def clones(epsilon: Fraction, people: int) -> tuple[Crowd]:
    """The dominating pair of n shuffled reports, each from an ε₀-private randomizer, one report a person.

    Claim (replace, n public; Feldman, McMillan and Talwar 2020, arXiv 2012.12803). Of n−1 others, C ~ Bin(n−1, e^−ε₀)
    are clones, A ~ Bin(C, 1/2) of them of the first kind; the person is of the first kind with odds e^ε₀ : 1 in the one
    world and 1 : e^ε₀ in the other. Seeing how many are of each kind is at least as telling as the shuffled reports.
    Proof. As one report is ε₀-private, its laws in the two worlds are P = αU+(1−α)V and Q = (1−α)U+αV for some laws
    U, V and α = e^ε₀/(1+e^ε₀) (Kairouz, Oh and Viswanath 2015). Any other person's law R has R ≥ e^−ε₀·P and
    R ≥ e^−ε₀·Q, so R ≥ e^−ε₀(P+Q)/2 = e^−ε₀(U+V)/2: with probability e^−ε₀ the report is a clone, from U or V by a
    fair coin. Shuffled reports are made from the kinds by drawing from U and V and, for who is no clone, from what R
    leaves. This is a `Crowd` with ω the fair coin and γ = e^−ε₀. e^ε₀ is rounded up, which only widens the claim.
    The later "stronger clones" count more of them; an erratum restricts that theorem to some randomizers, so it is not
    used here.
    """
    odds = exponential_up(epsilon)
    true, false, clone = odds / (1 + odds), 1 / (1 + odds), 1 / (2 * odds)
    return (Crowd((Cell(true, false, clone), Cell(false, true, clone)), people),)


def known_attacks(epsilon: Fraction, people: int) -> tuple[Scene, ...]:
    """Attacks on ε₀-private reports: those on K-ary response of 2 and of 3 options, the worst randomizers known."""
    channels = [channel_of(KaryResponse.within(epsilon, options)) for options in (2, 3)]
    return tuple(attack for channel in channels if channel for attack in attacks(channel, people))
