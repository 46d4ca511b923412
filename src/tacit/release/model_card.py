"""The card of a model: one HTML page that says what it predicts, whom it hides, how good it is, and what it rests on.

It is made of public things only: the model, its certificate, and released measures. Every text in it is escaped.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Final

from tacit.learn.additive_model import AdditiveModel
from tacit.learn.evaluation.score_bins import scored
from tacit.learn.model_kind import ModelData
from tacit.ledger.certificate import Certificate, Statement
from tacit.ledger.signature import fingerprint
from tacit.release.measures_read import ReadMeasures
from tacit.release.page_pictures import pictures
from tacit.release.term_pictures import level_names, term_pictures, term_words
from tacit.release.text import html_page, html_text
from tacit.words import glued

_LISTED: Final = 60  # levels of a feature in the table
_NOT_PROTECTED: Final = (
    "Bounds, keys, bins and the SELECT: they are public, and stand on this page.",
    "That the model was trained, and when: it stands in the ledger.",
    "What the model says of groups of people, by all of them together: that is what it is for. It may be right about "
    "somebody who is not in the data at all.",
    "The rows that predictions are made for: whoever predicts sees them.",
)


def model_card(model: ModelData, signed: Certificate, measures: ReadMeasures | None) -> str:
    """The page of a model, with its certificate and, if there is one, an evaluation."""
    title = f"Model of {model.target.name}"
    parts = [f"<h1>{html_text(title)}</h1>", f"<p>{_said(_predicts(model))}</p>", _facts(model, signed.statement)]
    parts += [_measures(measures)] if measures is not None else [_unmeasured()]
    terms = model if isinstance(model, AdditiveModel) else scored(model)
    parts += [_terms(terms), _features(terms)] if isinstance(terms, AdditiveModel) else []
    parts += [_bare(), _certificate(signed)]
    return html_page(title, "\n".join(parts))


def _said(text: str) -> str:
    return glued(html_text(text), "&nbsp;")


def _predicts(model: ModelData) -> str:
    target = model.target
    if target.values is not None:
        return f"It predicts which value {target.name} has: {', '.join(map(str, target.values))}."
    least, most = target.bounds or (0.0, 0.0)
    return f"It estimates {target.name}, a number between {least:,.6g} and {most:,.6g}."


def _facts(model: ModelData, said: Statement) -> str:
    fields = model.fields()
    trained = "; ".join(_mechanism(each) for each in said.mechanisms)
    cut = f" Residuals are cut at {fields['clip']:g}." if isinstance(fields.get("clip"), float) else ""
    facts = (
        ("Kind", str(fields.get("kind", ""))),
        ("Whom it hides", f"{said.unit}."),
        ("Price", f"{said.price}, for all steps together."),
        ("How it was trained", f"{trained}.{cut}"),
    )
    listed = "".join(f"<dt>{html_text(name)}</dt>\n<dd>{_said(words)}</dd>\n" for name, words in facts if words)
    return f"<dl>\n{listed}</dl>"


def _mechanism(each: Mapping[str, object]) -> str:
    """What was counted, with its noise and its share of the price."""
    noise = f", {each['noise']} noise" if "noise" in each else ""
    share = f", {each['share']} of the price" if "share" in each else ""
    return f"{each.get('counts', 'sums')}{noise}{share}"


def _measures(measures: ReadMeasures) -> str:
    head = "".join(f'<th scope="col"{_right(is_key)}>{html_text(name)}</th>' for name, is_key in measures.head)
    rows = "".join(f"<tr>{''.join(map(_cell, row))}</tr>\n" for row in measures.rows())
    drawn = "".join(figure for shown in measures.calibration() for figure in pictures(shown))
    remarks = " ".join(measures.remarks)
    return f"""<section id="measures">
<h2>How good it is</h2>
{f'<div class="pictures">{drawn}</div>' if drawn else ""}
<div class="scroll" tabindex="0" role="region" aria-label="Measures"><table>
<thead><tr>{head}</tr></thead>
<tbody>
{rows}</tbody>
</table></div>
<p class="quiet">{_said(remarks)}</p>
</section>"""


def _cell(cell: tuple[str, bool]) -> str:
    text, is_key = cell
    return f"<td{_right(is_key)}>{html_text(text)}</td>"


def _right(is_key: bool) -> str:
    return "" if is_key else ' class="value"'


def _unmeasured() -> str:
    return '<section id="measures">\n<h2>How good it is</h2>\n<p>No evaluation was given.</p>\n</section>'


def _terms(model: AdditiveModel) -> str:
    return f"""<section id="terms">
<h2>What each feature adds</h2>
<p>{_said(term_words(model))} A level with few rows is near 0. Bars have no interval: noise of all steps is in them.</p>
<div class="pictures">{"".join(term_pictures(model))}</div>
</section>"""


def _features(model: AdditiveModel) -> str:
    rows = []
    for feature in (each for each in model.features if each.name):
        names = level_names(feature)
        more = f", … {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
        listed = f"{', '.join(names[:_LISTED])}{more}"
        cells = (html_text(feature.name), f"<code>{html_text(feature.item)}</code>", html_text(listed))
        first, second, third = cells
        rows.append(f"<tr><td>{first}</td><td>{second}</td><td>{third}</td></tr>")
    return f"""<section id="features">
<h2>Features, as they were declared</h2>
<p>Levels are bins of declared bounds and declared values. None was found in the rows.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Features"><table class="levels">
<thead><tr><th scope="col">feature</th><th scope="col">computed as</th><th scope="col">levels</th></tr></thead>
<tbody>
{"".join(rows)}
</tbody>
</table></div>
</section>"""


def _bare() -> str:
    listed = "".join(f"<li>{_said(each)}</li>\n" for each in _NOT_PROTECTED)
    return f'<section id="not-protected">\n<h2>What is not protected</h2>\n<ul>\n{listed}</ul>\n</section>'


def _certificate(signed: Certificate) -> str:
    said = signed.statement
    claims = "".join(f"<li>{_said(claim)}</li>\n" for claim in said.claims)
    asked = said.query if said.asked is None else said.asked
    return f"""<section id="certificate">
<h2>Certificate</h2>
<p>{_said(f"Charged as entry {said.entry:,} of the ledger, {said.time}.")} The model file is signed for every number of
the model: <code>tacit verify</code> with its name says whether one was changed. The key that signed is
{html_text(fingerprint(signed.public_key))}; compare that with what its owner tells you elsewhere. This page is made
from that file, and is not signed itself. The digest of the model is <code>{escape(str(said.shown))}</code>.</p>
<p>It rests on:</p>
<ul>
{claims}</ul>
<p>What was asked:</p>
<pre>{html_text(asked)}</pre>
</section>"""
