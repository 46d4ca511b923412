"""A verdict as one HTML page: the end, the worst pair, the picture, a row a stage. Nothing is loaded from elsewhere."""

from __future__ import annotations

from html import escape
from io import StringIO
from pathlib import Path

from tacit.audit.finding import Outcome
from tacit.audit.report.picture import draw_verdict
from tacit.audit.subject import Subject
from tacit.audit.verdict import Verdict

_STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:#222}
h1{font-size:1.4rem} svg{max-width:100%;height:auto} table{border-collapse:collapse;font-size:.9rem}
td,th{border-top:1px solid #ccc;padding:.4rem .6rem;text-align:left;vertical-align:top}
.broken{color:#a4243b;font-weight:600} .suspicious{color:#8a6100;font-weight:600}"""


def write_report(path: Path, verdict: Verdict, subject: Subject | None) -> None:
    """Write the page; without a subject to ask, as for a data set, it has no picture."""
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


def _picture(verdict: Verdict, subject: Subject | None) -> str:
    figure = None if subject is None else draw_verdict(verdict, subject)
    if figure is None:
        return ""
    drawn = StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None})
    image = drawn.getvalue()
    return f"<figure>{image[image.index('<svg') :]}</figure>"
