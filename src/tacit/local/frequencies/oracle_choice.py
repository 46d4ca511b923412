"""The choice of an oracle: the most accurate one within limits on messages and decoding."""

from __future__ import annotations

from fractions import Fraction

from tacit.errors import Refused
from tacit.exact import Number, whole
from tacit.frozen import frozen
from tacit.local.frequencies.block_design import KaryOracle
from tacit.local.frequencies.hadamard import HadamardOracle
from tacit.local.frequencies.hashing import HashingOracle
from tacit.local.frequencies.oracle import Oracle
from tacit.local.frequencies.projective import AffineOracle, ProjectiveOracle
from tacit.local.frequencies.set_reports import SubsetOracle, UnaryOracle

_CLOSE = Fraction(1001, 1000)
KINDS = (KaryOracle, HadamardOracle, SubsetOracle, ProjectiveOracle, AffineOracle, HashingOracle, UnaryOracle)


@frozen
class OracleChoice:
    """The chosen oracle, all candidates, and the limits on a message and on decoding."""

    oracle: Oracle
    weighed: tuple[Oracle, ...]
    optimum: Fraction
    people: int
    most_bits: int
    most_steps: int

    @property
    def excess(self) -> float:
        """The chosen oracle's exact mean variance over the least that any ε-private report can have (`least_noise`)."""
        return float(self.oracle.mean_variance / self.optimum)

    def affords(self, oracle: Oracle) -> bool:
        """Whether the oracle keeps within the limits."""
        return oracle.message_bits <= self.most_bits and oracle.decoding_steps(self.people) <= self.most_steps

    def __str__(self) -> str:
        lines = [f"{'oracle':<18}  variance / optimum  message, bits  decoding, steps"]
        for oracle in self.weighed:
            ratio, steps = float(oracle.mean_variance / self.optimum), oracle.decoding_steps(self.people)
            mark = "← chosen" if oracle is self.oracle else "" if self.affords(oracle) else "beyond a limit"
            name = type(oracle).__name__
            lines.append(f"{name:<18}  {ratio:18.4f}  {oracle.message_bits:13,}  {steps:15.2g}  {mark}".rstrip())
        lines.append(
            f"{type(self.oracle).__name__}: of those within {self.most_bits:,} bits a message and {self.most_steps:.2g}"
            f" steps to decode {self.people:,} reports, the shortest message within a thousandth of the least variance."
        )
        lines.append(self.oracle.optimality)
        return "\n".join(lines)


def best(
    epsilon: Number, options: int, *, people: int = 10**6, most_bits: int = 4096, most_steps: int = 3 * 10**10
) -> OracleChoice:
    """The oracle of the least exact mean variance among those within the limits; its text gives the reasons.

    Of those within a thousandth of the least, the one with the shortest message, then with the fastest decoding.
    Without limits the least is always that of subset selection, the exact optimum (K-ary response is the same for sets
    of one). With the default limits it is so for up to 4,096 options, and more where ε is large; beyond,
    projective geometry (and an affine one, where e^ε is near 1.5) costs a factor of about (√x + 1/√x)²/4, where x is
    the ratio of e^ε to the nearest order of a field less one: 1.0025 at ε = 1, and for up to 10⁶ options never above
    1.012.
    """
    weighed = tuple(kind.within(epsilon, options) for kind in KINDS)
    optimum = next(oracle.mean_variance for oracle in weighed if isinstance(oracle, SubsetOracle))
    limits = whole(people, "people", 1), whole(most_bits, "most_bits", 1), whole(most_steps, "most_steps", 1)
    choices = [OracleChoice(oracle, weighed, optimum, *limits) for oracle in weighed]
    affordable = [choice for choice in choices if choice.affords(choice.oracle)]
    if not affordable:
        raise Refused(
            f"an oracle for {options:,} options within {most_bits} bits and {most_steps} steps",
            "There is none.",
            f"most_bits ≥ {weighed[0].message_bits}, most_steps ≥ {weighed[0].decoding_steps(people)}.",
        )
    least = min(choice.oracle.mean_variance for choice in affordable)
    close = [choice for choice in affordable if choice.oracle.mean_variance <= _CLOSE * least]
    return min(close, key=lambda choice: (choice.oracle.message_bits, choice.oracle.decoding_steps(people)))
