"""The share of people recovered, with a figure: against noise and number of answers, with the ledger on and off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import ArrayLike

from tacit.audit.reconstruction.counting_queries import AnswerFunction, Counts, Subsets, laplace_noise, secret_bits
from tacit.audit.reconstruction.linear_reconstruction import reconstruct
from tacit.audit.reconstruction.tacit_counts import TacitCounts, open_people
from tacit.exact import Number, positive
from tacit.frozen import frozen


@frozen
class Recovery:
    """The shares recovered along one axis, under one name."""

    name: str
    places: tuple[float, ...]
    shares: tuple[float, ...]


def study_noise(
    secrets: ArrayLike,
    factors: Sequence[int] = (1, 2, 4, 8),
    deviations: Sequence[float] = (0.0625, 0.125, 0.25, 0.5, 1, 2, 4, 8),
    method: str = "l1 program",
    seed: int = 0,
) -> tuple[Recovery, ...]:
    """For each number of answers per person: the share recovered at each deviation of Laplace noise, in units of √n."""
    bits = secret_bits(secrets)

    def at(factor: int, deviation: float) -> float:
        noise = laplace_noise(deviation * float(np.sqrt(bits.size)), seed)
        subsets = Subsets.hashed(bits.size, factor * bits.size, seed)
        return reconstruct(Counts(bits, noise), bits, subsets, method).recovered

    return tuple(
        Recovery(
            "n counts" if factor == 1 else f"{factor}n counts",
            tuple(map(float, deviations)),
            tuple(at(factor, deviation) for deviation in deviations),
        )
        for factor in factors
    )


def study_ledger(
    secrets: ArrayLike,
    counts: Sequence[int],
    epsilon: Number = 1,
    method: str = "l1 program",
    seed: int = 0,
    watch: Callable[[str], None] = lambda _: None,
) -> tuple[Recovery, Recovery]:
    """The share recovered after so many answers: each at ε without a ledger; and with ε for all together.

    The second uses Tacit's own door, on a temporary data set.
    """
    bits, level = secret_bits(secrets), float(positive(epsilon, "epsilon"))

    def guarded(count: int) -> float:
        with TemporaryDirectory() as folder, open_people(bits, Path(folder), epsilon) as data:
            watch(f"{count:,} counts through Tacit, for the figure")
            return share(TacitCounts(data, count), count)

    def unguarded(count: int) -> float:
        return share(Counts(bits, laplace_noise(np.sqrt(2) / level, seed)), count)

    def share(answer: AnswerFunction, count: int) -> float:
        return reconstruct(answer, bits, Subsets.hashed(bits.size, count, seed), method).recovered

    def along(name: str, at: Callable[[int], float]) -> Recovery:
        return Recovery(name, tuple(map(float, counts)), tuple(at(count) for count in counts))

    return along(f"ε = {level:g} for each answer, no ledger", unguarded), along(f"ε = {level:g} in all, Tacit", guarded)


_COLOURS = ("#31688e", "#35b779", "#b5a20b", "#440154", "#d1495b")


def draw_recovery(
    path: Path, shown: tuple[int, int], blind: float, by_noise: Sequence[Recovery], by_ledger: tuple[Recovery, Recovery]
) -> None:
    """Two panels side by side; the dotted line is the share for guessing the more common value for everybody.

    `shown` has the number of people of the curves, and the number they were sampled from.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, PercentFormatter

    figure = Figure(figsize=(10, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    panels = (
        (left, by_noise, "noise of a count (standard deviation over √n)"),
        (right, by_ledger, "number of answers"),
    )
    for axes, curves, label in panels:
        for colour, curve in zip(_COLOURS, curves, strict=False):
            axes.plot(curve.places, curve.shares, "o-", color=colour, linewidth=2, markersize=4, label=curve.name)
        name = f"guessing the commoner value for all ({blind:.0%})"
        axes.axhline(blind, color="black", linestyle=":", linewidth=1.5, label=name)
        lowest = min(0.5, blind, *(share for each in (*by_noise, *by_ledger) for share in each.shares))
        axes.set(xscale="log", xlabel=label, ylim=(max(0.0, lowest - 0.08), 1.02))
        axes.set_xticks(sorted({place for curve in curves for place in curve.places}), minor=False)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda place, _: f"{place:g}"))
        axes.minorticks_off()
        axes.yaxis.set_major_formatter(PercentFormatter(1))
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize=9)
    left.set_ylabel("people whose secret is recovered")
    left.set_title("Every count noised alone", loc="left", fontsize=11)
    right.set_title("With the ledger off and on", loc="left", fontsize=11)
    people, attacked = shown
    without, guarded = (round(each.shares[-1] * people) for each in by_ledger)
    blindly = round(blind * people)
    than = "as many as" if guarded == blindly else "fewer than" if guarded < blindly else "more than"
    which = f"{people:,}" if people == attacked else f"{people:,} (of the {attacked:,})"
    title = f"{without:,} of {which} people exposed without a ledger; with one, {guarded:,}"
    figure.suptitle(f"{title}: {than} the {blindly:,} that guessing gets", fontsize=12)
    figure.savefig(path, dpi=150)
