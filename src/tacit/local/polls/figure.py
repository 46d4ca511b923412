"""The findings of a poll as a picture: each share a dot, its interval a bar."""

from __future__ import annotations

from pathlib import Path

from tacit.errors import Refused
from tacit.exact import Number
from tacit.local.polls.finding import Finding
from tacit.local.polls.poll import Poll
from tacit.local.polls.share_words import misfit
from tacit.mechanisms.answer import percent


def draw_findings(path: Path, poll: Poll, found: dict[str, tuple[Finding, ...]], confidence: Number = "0.95") -> None:
    """Draw all questions under each other, with one axis of shares."""
    from textwrap import fill

    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    sizes = [len(found[question.name]) for question in poll.questions]
    figure = Figure(figsize=(7, 1.2 + sum(0.7 + 0.45 * size for size in sizes)), layout="constrained")
    axes = figure.subplots(len(sizes), 1, sharex=True, squeeze=False, height_ratios=[1 + size for size in sizes])
    for ax, question in zip(axes[:, 0], poll.questions, strict=True):
        findings = found[question.name]
        for place, finding in enumerate(findings):
            low, high = finding.estimate.interval(confidence)
            value = min(1.0, max(0.0, finding.estimate.value))
            if misfit(finding.estimate, (low, high)):
                ax.annotate("no share fits these reports", (0.5, place), ha="center", fontsize=9)
                continue
            ax.plot([low, high], [place, place], color="#31688e", linewidth=3, solid_capstyle="butt")
            ax.plot([value], [place], "o", color="#1b1b1b", markersize=6)
            ax.annotate(f"{value:.1%}", (value, place), (0, 7), textcoords="offset points", ha="center", fontsize=9)
        ax.set_yticks(range(len(findings)), [finding.option for finding in findings])
        ax.set_ylim(len(findings) - 0.4, -0.7)
        ax.set_title(fill(question.wording.text, 80), loc="left", fontsize=10)
        ax.grid(axis="x", alpha=0.3)
        for side in ("top", "right", "left"):
            ax.spines[side].set_visible(False)
    axes[-1, 0].set_xlim(0, 1)
    axes[-1, 0].xaxis.set_major_formatter(PercentFormatter(1))
    axes[-1, 0].set_xlabel(f"share of people, {percent(confidence)} intervals")
    try:
        figure.savefig(path, dpi=150)
    except (OSError, ValueError):
        why = "It cannot be written, or its ending is of no kind of picture."
        raise Refused(f"a figure at {path}", why, "a file ending in .png or .svg, in a folder that is there.") from None
