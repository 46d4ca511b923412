"""δ alone: above 1/2n it publishes somebody's row, below 1/2n it lets nothing through. The hybrid argument, run.

From a data set of all zeros to one of all ones there are n replacements of one row. A (0, δ)-private mechanism moves no
event's probability by more than δ at each step, so by at most nδ in all. So whoever must tell the two ends apart (their
means are 0 and 1) fails on one of them with probability at least (1 − nδ)/2: more than a quarter where δ < 1/2n.

This is tight. `tell_row` picks a row at random with probability nδ and says what it holds; else it says 0 or 1 by a
fair coin. It is (0, δ)-private, and it fails with exactly (1 − nδ)/2. At δ = 1/2n every second answer is somebody's
row.

What is shown is about ε = 0. With ε > 0 the chain moves by a factor e^ε at each step besides, and n factors are as many
as it needs: then δ may, and should, lie far below 1/n.

    python examples/small_delta.py            a table, and the figure small_delta.png
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from tacit.loss.families.loss import Relation
from tacit.mechanisms.additive.laplace import Laplace

PEOPLE = 1000
PARTS = (100, 4, 2, 1)  # δ is 1/n over each
EPSILON = Fraction(1, 10)


def tell_row(rows: Sequence[int], delta: Fraction) -> Fraction:
    """The probability that the answer is 1."""
    told = len(rows) * delta
    return told * Fraction(sum(rows), len(rows)) + (1 - told) / 2


def noisy_majority(ones: int, people: int, epsilon: Fraction) -> Fraction:
    """The same for an ε-private mechanism, with δ = 0: whether the count plus Laplace noise is above n/2."""
    noise = Laplace.for_epsilon(epsilon, 1, Relation.REPLACE).law
    return Fraction(float(noise.tail(people // 2 + 1 - ones)))


def chain(people: int, delta: Fraction) -> list[Fraction]:
    """The probability of the answer 1 from all zeros to all ones, one replacement after the other."""
    return [tell_row([1] * ones + [0] * (people - ones), delta) for ones in range(people + 1)]


def failure(at_zeros: Fraction, at_ones: Fraction) -> Fraction:
    """How often the worse end is answered wrongly."""
    return max(at_zeros, 1 - at_ones)


def least_failure(people: int, delta: Fraction) -> Fraction:
    """What no (0, δ)-private mechanism is below."""
    return max(Fraction(0), (1 - people * delta) / 2)


def name_of(part: int) -> str:
    return f"ε = 0, δ = 1/{part}n" if part > 1 else "ε = 0, δ = 1/n"


def draw(people: int, path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for part in PARTS:
        steps = [float(each) for each in chain(people, Fraction(1, part * people))]
        axes.plot(steps, lw=1.8, label=name_of(part))
    steep = [float(noisy_majority(ones, people, EPSILON)) for ones in range(people + 1)]
    axes.plot(steep, lw=1.8, ls="--", label=f"ε = {EPSILON}, δ = 0")
    axes.set(xlabel="rows that are 1, of all", ylabel="probability of the answer 1")
    axes.set_title("One replacement after the other: δ alone hardly moves the answer", loc="left", fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main(path: Path, people: int = PEOPLE) -> dict[str, float]:
    print(f"{people:,} rows, all 0 or all 1: how often the answer is wrong, at the worse end")
    print("mechanism".ljust(24) + "wrong".rjust(8) + "at least".rjust(10) + "  somebody's row is told")
    found = {}
    for part in PARTS:
        delta, name = Fraction(1, part * people), name_of(part)
        ends = chain(people, delta)
        found[name] = float(failure(ends[0], ends[-1]))
        least, told = float(least_failure(people, delta)), float(people * delta)
        print(f"{name:<24}{found[name]:>8.3f}{least:>10.3f}  in {told:.0%} of all runs")
    name = f"ε = {EPSILON}, δ = 0"
    found[name] = float(failure(noisy_majority(0, people, EPSILON), noisy_majority(people, people, EPSILON)))
    print(f"{name:<24}{found[name]:>8.1g}{'':>10}  never")
    draw(people, path)
    print(f"figure: {path}")
    return found


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "small_delta.png"))
