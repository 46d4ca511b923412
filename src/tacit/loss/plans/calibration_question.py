"""A calibration question: a release with one parameter left open."""

from __future__ import annotations

from fractions import Fraction

from tacit.errors import Refused
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.loss.accountant.plan_calibration import largest_rate, least_parameter, most_times
from tacit.loss.families.loss import Loss
from tacit.loss.plans.release_expression import Term, family_of, loss_of

_NOISE = ("sigma", "scale")
WITHIN = Fraction(1, 10**4)


@frozen
class CalibrationQuestion:
    """One release, and the name of the parameter to find: sigma, scale, q or times."""

    term: Term
    name: str

    @classmethod
    def of(cls, term: Term, find: str | None) -> CalibrationQuestion:
        """The question that a term leaves open, or that `find` names."""
        family = family_of(term)
        missing = [name for name in family.required if name not in term.arguments]
        name = find or (missing[0] if len(missing) == 1 else "")
        if missing not in ([], [name]):
            why = f"{' and '.join(missing)} are missing, and one thing can be found at a time."
            raise term.refusal(term.family, why, family.form(term.family) + " with one of them left out.")
        findable = [
            *(known for known in _NOISE if known in family.required),
            *(["q"] if "q" in family.optional else []),
            "times",
        ]
        if name not in findable:
            why = "Nothing is left open." if not name else f"{name} cannot be found for {term.family}."
            raise term.refusal(term.family, why, " or ".join(f"--find {known}" for known in findable) + ".")
        if name in term.arguments or (name == "times" and term.times is not None):
            raise term.refusal(name, f"{name} is given and asked for.", f"the release without {name}.")
        return cls(term, name)

    @property
    def extreme(self) -> str:
        """The value found in words, such as "the least noise"."""
        return {"q": "the largest sampling rate", "times": "the largest number of releases"}.get(
            self.name, "the least noise"
        )

    def plan(self, value: Fraction | int) -> list[tuple[Loss, int]]:
        """The releases once the parameter is chosen."""
        if self.name == "times":
            return [(loss_of(self.term), int(value))]
        return [(loss_of(self.term, **{self.name: Fraction(value)}), self.term.times or 1)]

    def solve(self, epsilon: Number, delta: Number) -> Fraction | int:
        """The value that keeps (ε, δ), on the safe side; the search stops where at most `WITHIN` of ε is left."""
        if self.name == "times":
            found = most_times(self.plan, epsilon, delta, WITHIN)
            if found < 1:
                raise Refused(
                    "a number of releases", "Not even one keeps this promise.", "more noise, or a larger ε or δ."
                )
            return found
        return (largest_rate if self.name == "q" else least_parameter)(self.plan, epsilon, delta, WITHIN)

    def around(self, found: Fraction | int) -> list[Fraction | int]:
        """Values to draw on both sides of the one found."""
        if self.name == "times":
            return sorted({max(1, round(found * share / 8)) for share in range(1, 17)})
        values = [found * Fraction(step, 10) for step in range(6, 21)]
        return [value for value in values if self.name != "q" or value <= 1]
