"""A count, a mean and a histogram of a small table, released privately: each with its error bar and its cost.

`make demo` runs this. The table is made up: 2,400 patients, one row each.
"""

from __future__ import annotations

import csv
import sys
import textwrap
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

from tacit import BoundedMean, Count, Histogram, Pure, Relation, compose, describe
from tacit.mechanisms.answer import Answer

HERE = Path(__file__).parent
REGIONS = ("north", "south", "east", "west")
HIDES = Relation.ADD_REMOVE  # nobody can tell whether one patient is in the table


def main(figure: Path) -> None:
    with (HERE / "patients.csv").open(newline="") as file:
        patients = list(csv.DictReader(file))
    smokers = [patient["smoker"] == "yes" for patient in patients]
    costs = [float(patient["cost"] or "nan") for patient in patients]
    regions = [patient["region"] for patient in patients]

    # Each mechanism knows its price before it sees a single row.
    count = Count(Pure("0.2"), HIDES)
    mean = BoundedMean(Pure("0.5"), HIDES, lower=0, upper=4000)
    histogram = Histogram(Pure("0.3"), HIDES, keys=REGIONS)

    answers = count.release(smokers), mean.release(costs), histogram.release(regions)
    for title, answer in zip(("Smokers", "Mean cost of a patient", "Patients by region"), answers, strict=True):
        print(f"{title}\n{_indented(answer)}\n")

    spent = compose(*(answer.loss for answer in answers))
    print(f"All three together\n{_indented(describe(spent))}\n")
    draw(figure, *answers)
    print(f"The picture: {figure}")


def _indented(text: object) -> str:
    lines = [part for line in str(text).splitlines() for part in textwrap.wrap(line, 100, break_long_words=False)]
    return "\n".join(f"  {line}" for line in lines)


def draw(figure: Path, smokers: Answer, cost: Answer, regions: Answer) -> None:
    """Bars and points with their 95% intervals."""
    canvas, (left, middle, right) = plt.subplots(
        1, 3, figsize=(10, 3.6), width_ratios=(1, 1, 2.4), layout="constrained"
    )
    for axes, answer, title, unit in (
        (left, smokers, "Smokers", "patients"),
        (middle, cost, "Mean cost of a patient", "euros"),
    ):
        low, high = answer.interval()
        axes.errorbar([0], [answer.value], [[answer.value - low], [high - answer.value]], fmt="o", capsize=8, lw=2)
        axes.set(title=title, ylabel=unit, xticks=[], ylim=(0, 1.25 * high))
    low, high = regions.interval()
    right.bar(REGIONS, regions.value, color="#9ecae1")
    right.errorbar(
        REGIONS, regions.value, [regions.value - low, high - regions.value], fmt="none", ecolor="black", capsize=6
    )
    right.set(title="Patients by region", ylabel="patients")
    for axes in (left, middle, right):
        axes.spines[["top", "right"]].set_visible(False)
    canvas.suptitle("Private answers with their 95% intervals", fontsize=13)
    canvas.savefig(figure, dpi=150)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("demo.png"))
