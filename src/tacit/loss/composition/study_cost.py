"""The total cost of a study that asks the same people in several ways."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tacit.errors import Refused
from tacit.exact import Number, probability
from tacit.frozen import frozen
from tacit.loss.composition.sequential import compose
from tacit.loss.families.loss import Loss, Relation, a_loss, demand_one_relation
from tacit.loss.interpretation import guess_probability
from tacit.words import percent_up, shown

_SAME = 1e-3


@frozen
class StudyPart:
    """One use of people's answers: its name, its loss, and the neighbour relation of the loss."""

    name: str
    loss: Loss
    relation: Relation


@frozen
class Study:
    """Polls, shuffled reports and central queries about the same people.

    Claim: two worlds that differ in one person, by that person's record being there or not (or replaced) in each part
    as its relation says, are as hard to tell apart as `total` says. Proof: in each part the two worlds are neighbours
    under that part's own relation, the parts' randomness is independent, and losses fixed in advance compose.
    """

    parts: tuple[StudyPart, ...]

    def __post_init__(self) -> None:
        if not (isinstance(self.parts, Sequence) and all(isinstance(part, StudyPart) for part in self.parts)):
            raise Refused("a study of something else", "Each part is a name, a loss and a relation.", "`StudyPart`s.")
        object.__setattr__(self, "parts", tuple(self.parts))
        for part in self.parts:
            a_loss(part.loss)
            if not isinstance(part.relation, Relation):
                raise Refused(f"the part {part.name}", "It does not say what it hides.", "a `Relation`.")
            demand_one_relation([part.loss], part.relation)

    @property
    def total(self) -> Loss:
        return compose(*(part.loss for part in self.parts))

    def describe(self, delta: Number = "1e-6") -> str:
        """One line for each part, then the total: ε at one δ."""
        level = probability(delta, "delta")
        width = max((len(part.name) for part in self.parts), default=0)
        lines = [f"  {part.name:{width}}  {_cost(part.loss, level)} ({part.relation})" for part in self.parts]
        together = self.total.epsilon(level)
        sure = percent_up(guess_probability(self.total))
        lines.append(f"  {'together':{width}}  ε = {together:.4g} at δ = {shown(level)}")
        lines.append(f"Of two equally likely stories about a person the true one is picked at most {sure} of the time.")
        return "\n".join(lines)


def _cost(loss: Loss, level: Fraction) -> str:
    """ε at this δ, or at δ = 0 where that is the same."""
    at, pure = loss.epsilon(level), loss.epsilon(0)
    return f"ε = {pure:.4g}" if pure <= at * (1 + _SAME) else f"ε = {at:.4g} at δ = {shown(level)}"
