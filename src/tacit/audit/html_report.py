"""The report of an audit: one HTML page with the verdict, the worst pair, a figure, and one row per stage.

The page loads nothing from elsewhere. The figure shows the answers about the worst pair of data sets, and what
distinguishes them.
"""

from __future__ import annotations

from collections import Counter
from html import escape
from io import StringIO
from math import exp, inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.audit.event_counts import Counted, numbers_of
from tacit.audit.subject import AuditSubject
from tacit.audit.verdict import AuditVerdict, Finding, Outcome
from tacit.noise.bits import ENTROPY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = ("#31688e", "#d1495b")
_ANSWERS, _COMMONEST, _BINS = 4_000, 8, 60


def draw_verdict(verdict: AuditVerdict, subject: AuditSubject) -> Figure | None:
    """The answers on the left, the evidence on the right; no figure where no stage has a pair."""
    from matplotlib.figure import Figure

    found = verdict.worst
    if found is None or found.pair is None:
        return None
    figure = Figure(figsize=(10, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    names = [_short(side) for side in found.pair]
    _draw_answers(left, [subject.answers(data, _ANSWERS, ENTROPY) for data in found.pair], names)
    _draw_evidence(right, found, subject, names)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle(_conclusion(verdict, names), fontsize=12)
    return figure


def _conclusion(verdict: AuditVerdict, names: list[str]) -> str:
    if verdict.fault is None:
        return f"No fault found in {verdict.subject}; the worst pair is {names[0]} and {names[1]}"
    return f"{verdict.grade.capitalize()}: {verdict.subject} tells {names[0]} from {names[1]}"


def _draw_answers(axes: Axes, sides: list[list[Any]], names: list[str]) -> None:
    numbers = [numbers_of(side) for side in sides]
    if all(each is not None and each.shape[1] == 1 and np.isfinite(each).any() for each in numbers):
        known = [each[np.isfinite(each)] for each in numbers if each is not None]
        together = np.concatenate(known)
        ends = np.quantile(together, [0.001, 0.999])
        whole = np.all(together == np.round(together)) and ends[1] - ends[0] < _BINS
        edges = np.arange(ends[0] - 0.5, ends[1] + 1) if whole else np.linspace(ends[0], ends[1], _BINS + 1)
        for each, name, colour in zip(known, names, _COLOURS, strict=True):
            axes.hist(each, edges.tolist(), histtype="step", linewidth=2, color=colour, label=f"about {name}")
        axes.set(xlabel="answer", ylabel=f"how many of {_ANSWERS:,} answers")
    else:
        counts = _counted(sides)
        common = [answer for answer, _ in (counts[0] + counts[1]).most_common(_COMMONEST)][::-1]
        for place, (count, name, colour) in enumerate(zip(counts, names, _COLOURS, strict=True)):
            at = np.arange(len(common)) + 0.2 - 0.4 * place
            axes.barh(at, [count[answer] for answer in common], 0.38, color=colour, label=f"about {name}")
        axes.set_yticks(range(len(common)), common)
        axes.set(xlabel=f"how many of {_ANSWERS:,} answers", ylim=(min(-0.6, len(common) - 4.6), len(common) - 0.4))
    axes.legend(framealpha=0.8, edgecolor="none", fontsize=9)
    axes.set_title("The answers", loc="left", fontsize=11)


def _counted(sides: list[list[Any]]) -> list[Counter[str]]:
    """The frequency of each answer; answers that occur once are merged."""
    shown = [[_short(answer) for answer in side] for side in sides]
    times = Counter(shown[0] + shown[1])
    return [Counter(answer if times[answer] > 1 else "a new one each time" for answer in side) for side in shown]


def _draw_evidence(axes: Axes, found: Finding, subject: AuditSubject, names: list[str]) -> None:
    """The frequencies of the distinguishing answers with exact 95% intervals; else the bound of ε beside the claim."""
    from matplotlib.ticker import PercentFormatter

    told = found.evidence or {}
    claimed = subject.claim.epsilon(found.delta)
    if {"hits", "runs", "strays", "others"} <= set(told):
        ours = Counted(told["hits"], told["runs"], told["hits"], told["runs"], 0.05)
        theirs = Counted(told["strays"], told["others"], told["strays"], told["others"], 0.05)
        shares = [told["hits"] / told["runs"], told["strays"] / told["others"]]
        low, high = [shares[0] - ours.hit, shares[1] - theirs.hit], [ours.stray - shares[0], theirs.stray - shares[1]]
        axes.bar([0, 1], shares, 0.6, yerr=[low, high], capsize=6, color=_COLOURS)
        most = exp(min(claimed, 700.0)) * theirs.stray + found.delta
        if most < 1:
            axes.axhline(most, color="black", linestyle="--", linewidth=1)
            axes.annotate(f"the most that {subject.claim} admits", (1.4, most), ha="right", va="bottom", fontsize=9)
        axes.set_xticks([0, 1], [f"about\n{name}" for name in names])
        axes.set(ylabel="share of fresh answers", xlim=(-0.6, 1.45))
        axes.yaxis.set_major_formatter(PercentFormatter(1))
        axes.set_title(_short(found.words.split(": in ")[0], 44), loc="left", fontsize=11)
        return
    bound = found.epsilon if found.epsilon is not None and found.epsilon < inf else None
    if bound is None:
        axes.axis("off")
        axes.text(0, 0.9, found.words[0].upper() + found.words[1:] + ".", va="top", wrap=True, fontsize=11)
        return
    bars = axes.bar([0, 1], [bound, claimed], 0.6, color=(_COLOURS[1 if bound > claimed else 0], "#bbbbbb"))
    axes.bar_label(bars, fmt="%.3g")
    axes.set_xticks([0, 1], ["at least,\nby the answers", "claimed"])
    axes.set(ylabel=f"ε at δ = {found.delta:g}" if found.delta else "ε", xlim=(-0.6, 1.6))
    axes.set_title("What the answers prove", loc="left", fontsize=11)


def _short(data: Any, most: int = 28) -> str:
    words = str(data)
    return words if len(words) <= most else words[: most - 1] + "…"


_STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:#222}
h1{font-size:1.4rem} svg{max-width:100%;height:auto} table{border-collapse:collapse;font-size:.9rem}
td,th{border-top:1px solid #ccc;padding:.4rem .6rem;text-align:left;vertical-align:top}
.broken{color:#a4243b;font-weight:600} .suspicious{color:#8a6100;font-weight:600}"""


def write_report(path: Path, verdict: AuditVerdict, subject: AuditSubject | None) -> None:
    """Write the page; without a subject to sample, as for a data set, it has no figure."""
    rows = "\n".join(
        f'<tr><td>{escape(each.stage)}</td><td class="{each.outcome.value.replace(" ", "-")}">{each.outcome.value}</td>'
        f"<td>{escape(each.words)}</td><td>{escape('' if each.is_fault else each.could_see)}</td></tr>"
        for each in verdict.findings
        if each.outcome is not Outcome.NOT_APPLICABLE
    )
    path.write_text(
        f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{escape(verdict.subject)}: {verdict.grade}</title><style>{_STYLE}</style></head>
<body>
<h1>{escape(verdict.subject)} <span class="{verdict.grade}">{verdict.grade}</span></h1>
<p>It claims {escape(verdict.claim)} ({escape(verdict.relation)}). {escape(verdict.headline)}</p>
<p>{escape(verdict.worst_pair)}</p>
{_picture(verdict, subject)}
<table>
<tr><th>stage</th><th>outcome</th><th>what it found</th><th>what it would have seen</th></tr>
{rows}
</table>
<p>A sound mechanism is called broken or suspicious with probability at most {verdict.alarm_rate:g}.</p>
</body>
</html>
""",
        "utf-8",
    )


def _picture(verdict: AuditVerdict, subject: AuditSubject | None) -> str:
    figure = None if subject is None else draw_verdict(verdict, subject)
    if figure is None:
        return ""
    drawn = StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None})
    image = drawn.getvalue()
    return f"<figure>{image[image.index('<svg') :]}</figure>"
