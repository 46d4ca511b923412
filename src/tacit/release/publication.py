"""The folder of a publication: every table in each format, a page to read, and one certificate for all files.

The folder is written under another name and renamed when it is complete. Existing files are never replaced. The page is
one HTML file that works from a disk: it has no script, loads nothing, and links only to the files beside it. Every text
in it is escaped, since keys are user input.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.ledger.certificate import Certificate
from tacit.ledger.signature import CERTIFICATE, fingerprint
from tacit.mechanisms.mechanism import percent
from tacit.query.post_noise.estimates import PUBLISHED, Estimates, Keys, OutputColumn, Rendered
from tacit.release.cells import Cell, cells_of
from tacit.release.page_pictures import pictures
from tacit.release.text import html_page, html_text
from tacit.words import glued

if TYPE_CHECKING:
    from tacit.release.tables_release import ReleasedTable, TablesRelease


FORMS: Final = ("csv", "parquet")
_KNOWN: Final = (*FORMS, "json")
PAGE: Final = "index.html"


@frozen
class Publication:
    """The folder of a publication, and its formats."""

    folder: Path
    forms: tuple[str, ...]

    @classmethod
    def checked(cls, folder: str | Path, forms: Sequence[str] = FORMS) -> Publication:
        """The publication; refused where the folder cannot be written or has other files."""
        place = Path(folder)
        unknown = [form for form in forms if form not in _KNOWN]
        if unknown or not forms:
            asked = f"tables as {', '.join(unknown) or 'no format'}"
            raise Refused(
                asked, "The format is not one of tables.", ", ".join(_KNOWN) + "; csv and parquet if you do not say."
            )
        if place.exists() and not place.is_dir():
            raise Refused(f"to write tables to {place}", "It is a file.", "a new folder, or an empty one.")
        try:
            is_full = place.exists() and any(place.iterdir())
            draft = _draft(place)
            draft.mkdir()
            draft.rmdir()
        except OSError as error:
            accepted = "a new folder in one that can be written to."
            raise Refused(f"to write {place}", f"It cannot be made there ({error.strerror}).", accepted) from None
        if is_full:
            why = "There are other files in it, which would be lost or mixed with the tables."
            raise Refused(f"to write tables to {place}", why, "a new folder, or an empty one.")
        return cls(place, tuple(forms))

    def write(self, release: TablesRelease) -> list[Path]:
        """All files of a release, in the folder; the certificate is the last."""
        files = self.files(release)
        draft = _draft(self.folder)
        try:
            draft.mkdir()
            for name, octets in files.items():
                (draft / name).write_bytes(octets)
            os.replace(draft, self.folder.resolve())
        finally:
            rmtree(draft, ignore_errors=True)
        return [self.folder / name for name in files]

    def files(self, release: TablesRelease) -> dict[str, bytes]:
        """The octets of every file by its name."""
        files = {f"{each.name}.{form}": each.release.presented(form) for each in release.tables for form in self.forms}
        signed = None if release.certify is None else release.certify(release, {})
        files[PAGE] = publication_page(release, signed, self.forms).encode()
        if release.certify is not None:
            files[CERTIFICATE] = release.certify(release, files).to_json().encode()
        return files


def _draft(folder: Path) -> Path:
    """A new name beside a folder."""
    place = folder.resolve()
    return place.with_name(f".{place.name}.{secrets.token_hex(8)}")


_ROWS: Final = 40  # rows shown of a table; the rest is in its file
_WHOLE: Final = 60  # tables shown; the others have links


def publication_page(release: TablesRelease, signed: Certificate | None, forms: Sequence[str]) -> str:
    """The page for a release, with its certificate and the formats of the files beside it."""
    title = f"Tables of {release.dataset}" if release.dataset else "Tables"
    heads = [f"table-{place}" if place <= _WHOLE else "" for place in range(1, len(release.tables) + 1)]
    shown = zip(heads[:_WHOLE], release.tables, strict=False)
    return html_page(
        title,
        f"""<h1>{html_text(title)}</h1>
<p>{_said(f"{release.margins} {release.price.cost}")}</p>
{_facts(release)}
<nav aria-label="Tables">
<h2>Tables</h2>
<ul>
{_contents(release, heads, forms)}
</ul>
</nav>
{"".join(_table(head, each, forms) for head, each in shown)}
{_signature(signed)}""",
    )


def _facts(release: TablesRelease) -> str:
    """The remarks for readers, each with its heading."""
    sure = percent(release.tables[0].release.confidence)
    about = f"{release.interval_words}." if release.interval_words else ""
    facts = (
        ("Whom it protects", release.meaning),
        (f"What ± means ({sure})", " ".join((_chance(sure), about, *release.intervals.further)) if about else ""),
        ("The column for publication", release.published),
        ("How near the best", release.optimality),
        ("To be known", " ".join(release.notes)),
        ("Free from now on", release.free),
    )
    listed = "".join(f"<dt>{html_text(name)}</dt>\n<dd>{_said(words)}</dd>\n" for name, words in facts if words)
    return f"<dl>\n{listed}</dl>"


def _said(text: str) -> str:
    return glued(html_text(text), "&nbsp;")


def _chance(sure: str) -> str:
    return (
        f"Each number was made a little wrong on purpose, so that nobody can be found in it. Its interval was made by "
        f"a rule that holds what it estimates in {sure} of all cases."
    )


def _contents(release: TablesRelease, heads: Sequence[str], forms: Sequence[str]) -> str:
    lines = []
    for head, each in zip(heads, release.tables, strict=True):
        place = f"#{head}" if head else _file(each, forms[0])
        lines.append(f'<li><a href="{place}">{html_text(each.title)}</a> <span class="quiet">{_size(each)}</span></li>')
    return "\n".join(lines)


def _size(table: ReleasedTable) -> str:
    return html_text(table.described)


def _file(table: ReleasedTable, form: str) -> str:
    return quote(f"{table.name}.{form}")


def _table(head: str, table: ReleasedTable, forms: Sequence[str]) -> str:
    rendered = table.release.rendered
    links = " · ".join(f'<a href="{_file(table, form)}">{_file(table, form)}</a>' for form in forms)
    hidden = rendered.size - min(_ROWS, rendered.size)
    more = f"The first {_ROWS} of {rendered.size:,} cells; all are in the file. " if hidden else ""
    drawn = "".join(pictures(rendered))
    return f"""<section id="{head}">
<h2>{html_text(table.title)}</h2>
{f'<div class="pictures">{drawn}</div>' if drawn else ""}
<div class="scroll" tabindex="0" role="region" aria-label="{html_text(table.title)}">{_cells(rendered)}</div>
<p class="quiet">{more}{links}</p>
</section>
"""


def _cells(rendered: Rendered) -> str:
    first = rendered.first(_ROWS)
    beside = [first.is_published(column) for column in first.columns]
    head = "".join(_head(column, is_beside) for column, is_beside in zip(first.columns, beside, strict=True))
    columns = zip(first.columns, cells_of(first), beside, strict=True)
    texts = [[_cell(cell, column, is_beside) for cell in read] for column, read, is_beside in columns]
    rows = "".join(f"<tr>{''.join(row)}</tr>\n" for row in zip(*texts, strict=True))
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>"


def _head(column: OutputColumn, is_beside: bool) -> str:
    if is_beside:
        return f'<th scope="col" class="value">{html_text(column.name.removesuffix(PUBLISHED))} for publication</th>'
    span = ' class="value"' if isinstance(column.values, Estimates) else ""
    after = "<th></th>" if span else ""
    return f'<th scope="col"{span}>{html_text(column.name)}</th>{after}'


def _cell(cell: Cell, column: OutputColumn, is_beside: bool) -> str:
    if is_beside:
        return f'<td class="value">{html_text(cell.value)}</td>'
    if isinstance(column.values, Keys):
        day = ' class="day"' if column.values.type.is_time else ""
        return f"<td{day}>{html_text(cell.value)}</td>"
    if cell.is_words:
        return f'<td colspan="2" class="words">{html_text(str(cell))}</td>'
    return f'<td class="value">{html_text(cell.value)}</td><td class="rest">{html_text(cell.rest.strip())}</td>'


def _signature(signed: Certificate | None) -> str:
    """The certificate of the page and its tables, and how to check it."""
    if signed is None:
        return ""
    said = signed.statement
    rests = "".join(f"<li>{html_text(claim)}</li>" for claim in said.claims)
    asked = said.query if said.asked is None else said.asked
    return f"""<section id="certificate">
<h2>Certificate</h2>
<p><a href="certificate.json">certificate.json</a> is signed for this page and for every file beside it, byte for byte:
<code>tacit verify certificate.json</code> in this folder says whether one was changed, is missing or was added. The key
that signed is {html_text(fingerprint(signed.public_key))}; compare that with what its owner tells you elsewhere.</p>
<p>{_said(f"Charged as entry {said.entry:,} of the ledger, {said.time}; {said.price}; hides {said.unit}.")}
It rests on:</p>
<ul>{rests}</ul>
<p>What was asked:</p>
<pre>{_lines(asked)}</pre>
</section>"""


def _lines(text: str) -> str:
    """The HTML of a text of several lines."""
    return "\n".join(html_text(line.expandtabs(4)) for line in text.splitlines())
