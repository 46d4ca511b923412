"""The privacy loss of shuffled reports: that of all of them together, for one person.

The inverse: the loosest report that, shuffled with others, costs at most a given loss.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

from tacit.errors import Refused
from tacit.exact import Number, nonnegative, probability, whole
from tacit.frozen import frozen
from tacit.local.randomizers.randomizer import Randomizer
from tacit.local.shuffle.privacy_profile import PrivacyProfile, crossing
from tacit.local.shuffle.randomizer_table import RandomizerTable, channel_of
from tacit.local.shuffle.scenes import Scene, attacks, bounds, clones, known_attacks
from tacit.loss.calibration import demand_function
from tacit.loss.families.approx import Pure
from tacit.loss.families.curve import float_down, float_up
from tacit.loss.families.loss import Loss, Relation, demand_one_relation
from tacit.loss.families.precision import Bracket, order_above_one
from tacit.words import shown

_CLOSE = 1e-4  # how near the search for ε comes, relatively
_POINTS, _FEW, _RARE = 24, 4, Fraction(1, 10**15)  # of the profile: up to the ε of this δ, and beyond it


@frozen(init=False, repr=False)
class ShuffledReports(Loss):
    """What a collector learns of one person from one report each of n people, shuffled by a trusted party.

    Claim, for the replacement of one person's answer by another (n is public): `epsilon` and `delta` bound it, and the
    lower ends of `epsilon_between` and `delta_between` are attained by an attack on some data set. It is assumed that -
    the shuffler hands on the reports alone, in an order that has nothing to do with who sent them, and informs no one
    else; an adversary who sees reports with their senders has the loss of one report, `local`; - `honest` of the n
    reports, the person's own among them, are drawn as the randomizer says, each from fresh
      randomness. The others may be anything that does not depend on these draws: they could be added afterwards, so the
      cost is that of `honest` reports alone;
    - a person sends one report. Several are several releases, and compose.

    `reports` is the randomizer; or a Pure(ε₀), for any and all ε₀-private randomizers (each person may have a different
    one), which costs more. A table too large to list is priced as Pure(ε₀) too.
    """

    reports: Randomizer[Any] | Pure
    people: int
    honest: int

    relation = Relation.REPLACE

    def __init__(self, reports: Randomizer[Any] | Pure, people: int, honest: int | None = None) -> None:
        if not isinstance(reports, Randomizer | Pure):
            asked = f"shuffled reports of a {type(reports).__name__}"
            raise Refused(asked, "It is no randomizer.", "a local randomizer, or Pure(ε₀) for any that is ε₀-private.")
        if isinstance(reports, Pure):
            demand_one_relation([reports], self.relation)
        object.__setattr__(self, "reports", reports)
        object.__setattr__(self, "people", whole(people, "people", 1))
        object.__setattr__(self, "honest", whole(people if honest is None else honest, "honest", 1))
        if not self.honest <= self.people:
            why = "There are not so many reports."
            raise Refused(f"{self.honest} honest reports of {self.people}", why, f"1 to {self.people}.")
        if not self.local.exact_epsilon > 0:
            raise Refused("shuffled reports of ε₀ = 0", "They tell nothing, shuffled or not.", "ε₀ > 0.")

    @property
    def relations(self) -> frozenset[Relation]:
        return frozenset({self.relation})

    @cached_property
    def local(self) -> Pure:
        """The cost of one report whose sender is known: a shuffled report never costs more."""
        if isinstance(self.reports, Pure):
            return Pure(self.reports.exact_epsilon, relation=self.relation)
        epsilon = self.reports.loss.epsilon(0)
        if not epsilon < math.inf:
            why = "Some reports prove the answer, and no shuffling hides them."
            raise Refused("shuffled reports without a pure ε", why, "a randomizer whose every report has a finite ε.")
        return Pure(Fraction(epsilon), relation=self.relation)

    @cached_property
    def _channel(self) -> RandomizerTable | None:
        return None if isinstance(self.reports, Pure) else channel_of(self.reports)

    @cached_property
    def _bounds(self) -> Sequence[Scene]:
        if self._channel is None:
            return clones(self.local.exact_epsilon, self.honest)
        return bounds(self._channel, self.honest)

    @cached_property
    def _attacks(self) -> Sequence[Scene]:
        if isinstance(self.reports, Pure):
            return known_attacks(self.local.exact_epsilon, self.honest)
        return () if self._channel is None else attacks(self._channel, self.honest)

    def delta(self, epsilon: Number) -> float:
        at = nonnegative(epsilon, "epsilon")
        if at >= self.local.exact_epsilon:
            return 0.0
        return min(self.local.delta(at), float_up(Fraction(max(_above(scene, at) for scene in self._bounds))))

    def delta_between(self, epsilon: Number) -> tuple[float, float]:
        at = nonnegative(epsilon, "epsilon")
        if at >= self.local.exact_epsilon:
            return 0.0, 0.0
        low = max((_below(scene, at) for scene in self._attacks), default=0.0)
        return low, self.delta(at)

    def epsilon(self, delta: Number) -> float:
        allowed = probability(delta, "delta")
        bound, top = float_down(allowed), float_up(self.local.exact_epsilon)
        if bound <= 0:
            return top
        found = 0.0
        for scene in self._bounds:  # one that is no worse than those before is passed over after one look
            if _above(scene, found) > bound:
                found = crossing(partial(_above, scene), bound, found, top, _CLOSE)[1]
        return min(self.local.epsilon(allowed), float_up(Fraction(found)))

    def epsilon_between(self, delta: Number) -> Bracket:
        """ε at δ: an attack shows that no ε below the lower end is valid."""
        allowed = probability(delta, "delta")
        bound, top = float_up(allowed), self.epsilon(allowed)
        found = 0.0
        for scene in self._attacks:
            if found < top and _below(scene, found) > bound:
                found = crossing(partial(_below, scene), bound, found, top, _CLOSE)[0]
        return Bracket(max(0.0, float_down(Fraction(found))), top)

    @cached_property
    def _profile(self) -> PrivacyProfile:
        """Points where δ matters, a few beyond, and (ε₀, 0), where it ends."""
        top, far = self.local.exact_epsilon, min(Fraction(self.epsilon(_RARE)), self.local.exact_epsilon)
        near = [far * part / _POINTS for part in range(_POINTS)]
        beyond = [far + (top - far) * part / _FEW for part in range(_FEW)] if far < top else []
        return PrivacyProfile((*((at, Fraction(self.delta(at))) for at in near + beyond), (top, Fraction(0))))

    def tradeoff(self, alpha: Number) -> float:
        at = probability(alpha, "alpha")
        return max(self.local.tradeoff(at), self._profile.tradeoff(at))

    def rdp(self, order: Number) -> float:
        return min(self.local.rdp(order), self._profile.rdp(order_above_one(order)))

    def group(self, people: int) -> Pure:
        """As if the group's reports were not shuffled at all."""
        return self.local.group(people)

    def __str__(self) -> str:
        honest = "" if self.honest == self.people else f", {self.honest:,} of them honest"
        return f"{self.people:,} shuffled reports{honest}, each ε = {shown(self.local.exact_epsilon)}"


def _above(scene: Scene, epsilon: Fraction | float) -> float:
    """The scene's upper bound; 1 where its law is too wide to be added up, as with hardly any randomness left in it."""
    try:
        return scene.delta_above(Fraction(epsilon))
    except Refused:
        return 1.0


def _below(scene: Scene, epsilon: Fraction | float) -> float:
    """The scene's lower bound; 0 where its law is too wide to be added up."""
    try:
        return scene.delta_below(Fraction(epsilon))
    except Refused:
        return 0.0


_CLOSE_ENOUGH = 1.001  # how near to the largest the search comes
_BEYOND = 4.0  # above ln n for local ε: coincidences that rare hide no one


def loosest_reports(
    people: int,
    epsilon: Number,
    delta: Number,
    reports_of: Callable[[Fraction], ShuffledReports] | None = None,
) -> ShuffledReports:
    """The reports with about the largest local ε₀ whose shuffle costs n people at most (ε, δ).

    `reports_of` makes the shuffled reports of an ε₀, such as `lambda local: ShuffledReports(KaryResponse.within(local,
    8), 1000)`; without it any randomizer may be used. The value returned was itself priced, so the promise is kept even
    if the cost did not grow with ε₀. ε₀ = ε always keeps it.
    """
    size, target, allowed = whole(people, "people", 1), nonnegative(epsilon, "epsilon"), probability(delta, "delta")
    if not target > 0:
        raise Refused("shuffled reports that cost ε = 0", "Only reports that tell nothing do.", "ε > 0.")
    if reports_of is not None:
        demand_function(reports_of)
    make = reports_of or (lambda local: ShuffledReports(Pure(local), size))

    def keeps(reports: ShuffledReports) -> bool:
        return Fraction(reports.delta(target)) <= allowed

    low = max(float_down(target), 1e-8)
    best = make(Fraction(low))
    if not keeps(best):
        raise Refused(f"shuffled reports that cost ε = {float(target):g}", "None do.", "a larger ε or δ.")
    high = max(low, math.log(size) + _BEYOND)
    while high > low * _CLOSE_ENOUGH:
        middle = math.sqrt(low * high)
        found = make(Fraction(middle))
        if keeps(found):
            low, best = middle, found
        else:
            high = middle
    return best
