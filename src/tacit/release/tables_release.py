"""Tables released together: one table per grouping set, with one price and one certificate for all."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from pathlib import Path
from shutil import get_terminal_size

import numpy as np

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.ledger.certificate import Certificate
from tacit.mechanisms.mechanism import percent
from tacit.printable import printable
from tacit.query.post_noise.estimates import Estimates
from tacit.release.cells import canonical_digest
from tacit.release.price import PriceWords
from tacit.release.release import IntervalWords, Release
from tacit.release.text import html_text, notes_text, release_html, table_text
from tacit.words import counted, number

TOTAL = "total"
"""The title of the table without keys."""
_SHOWN = 12  # the most rows of a table, and tables of a list, that are printed in full
_WHOLE = 8  # the most tables that are printed with their rows; more are listed


@frozen(eq=False)
class ReleasedTable:
    """One table of a publication: its title ("region, ward" or "total"), the name of its files, and its numbers.

    Its numbers are computed at the first access. `known_as` is its title with other spellings of its keys.
    """

    title: str
    name: str
    read: Callable[[], Release] = field(repr=False)
    size: int = 1
    known_as: str = ""

    @cached_property
    def release(self) -> Release:
        return self.read()

    @property
    def error(self) -> str:
        """The error of its first number with a known interval, the median over its cells, as "± 61"."""
        for column in self.release.rendered.columns:
            if isinstance(column.values, Estimates):
                half = (column.values.high - column.values.low) / 2
                if np.isfinite(half).any():
                    middle = float(np.median(half[np.isfinite(half)]))
                    return f"± {number(middle, middle)}"
        return ""

    @property
    def described(self) -> str:
        """The number of its cells, and their error."""
        cells = counted(self.size, "cell")
        return f"{cells}, {self.error}" if self.error else cells

    def is_by(self, wanted: Sequence[str]) -> bool:
        """Whether it is the table by these keys, which are sorted and in lower case."""
        return wanted in (_sorted(self.title), _sorted(self.known_as or self.title))


@frozen(eq=False)
class TablesRelease:
    """Several tables with one price. It prints a summary; `found["region, ward"]` is one of them.

    `margins` says how closely margins agree, `published` describes the column for publication or why there is none,
    `optimality` compares the error with the least possible, `meaning` explains the price for one unit.
    """

    tables: tuple[ReleasedTable, ...]
    margins: str
    optimality: str
    notes: tuple[str, ...]
    price: PriceWords
    intervals: IntervalWords
    certify: Callable[[TablesRelease, Mapping[str, bytes]], Certificate] | None = field(default=None, repr=False)
    dataset: str = ""
    published: str = ""
    meaning: str = ""  # of the price
    free: str = ""  # the answers that are free from now on

    def __iter__(self) -> Iterator[ReleasedTable]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    def __getitem__(self, keys: str) -> Release:
        return self.table(keys)

    def table(self, *keys: str) -> Release:
        """The table by these keys, in any order, as separate arguments or as "region, ward".

        Without keys, the total.
        """
        wanted = _sorted(", ".join(keys) or TOTAL)
        for each in self.tables:
            if each.is_by(wanted):
                return each.release
        titles = [each.title for each in self.tables]
        listed = f"{'; '.join(titles[:_SHOWN])}{'; …' if len(titles) > _SHOWN else ''}."
        raise Refused(f"a table by {', '.join(keys) or 'no key'}", "It was not asked for.", listed)

    @cached_property
    def digest(self) -> str:
        """The digest of all tables in their canonical spelling."""
        releases = (each.release for each in self.tables)
        digests = sorted(canonical_digest(each.rendered, each.confidence) for each in releases)
        return hashlib.sha256("\n".join(digests).encode("ascii")).hexdigest()

    @property
    def interval_words(self) -> str:
        """The confidence of the intervals and what they cover."""
        return next((words for each in self.tables if (words := each.release.interval_words)), "")

    @property
    def remarks(self) -> tuple[str, ...]:
        """The remarks on all tables, and their price."""
        about = (f"{self.interval_words}.", *self.intervals.further) if self.interval_words else ()
        return self.summary, " ".join((*about, *self.notes)), str(self.price)

    @property
    def summary(self) -> str:
        """The number of tables and cells, their errors, and a comparison with the least possible error."""
        largest = max(self.tables, key=lambda each: each.size)
        least = min(self.tables, key=lambda each: (each.size, each.title != TOTAL))
        sure = percent(largest.release.confidence)
        where = " in the largest table" if len(self.tables) > 1 else ""
        errors = f"{largest.error}{where}" if largest.error else ""
        if least.error and least is not largest:
            errors += f"{', ' if errors else ''}{least.error} in {_where(least)}"
        return " ".join(
            part for part in (self.margins, errors and f"{errors} ({sure}).", self.optimality, self.free) if part
        )

    def text(self, width: int | None = None, most: int | None = _SHOWN) -> str:
        """All tables, each with at most this many rows, or a list of them where there are many; then the remarks."""
        across = width or min(120, get_terminal_size((120, 24)).columns)
        parts = [f"{printable(each.title)}\n{table_text(each.release.rendered, most)}\n" for each in self._whole]
        said = [each for each in (*self._beside, *self.remarks) if each]
        return "\n".join([*parts, *self._listed(), notes_text(said, across)])

    @property
    def _whole(self) -> tuple[ReleasedTable, ...]:
        return self.tables if len(self.tables) <= _WHOLE else ()

    @property
    def _beside(self) -> list[str]:
        """What columns for publication are, where tables that have them are printed."""
        shown = [each.release.rendered for each in self._whole]
        named = {column.name: None for one in shown for column in one.columns if one.is_published(column)}
        about = "for print: whole numbers, none negative, that add up exactly; biased, without ±."
        return [f"{', '.join(named)}: {about}"] if named else []

    def _listed(self) -> list[str]:
        """One line per table, for the first ones, where there are too many to print."""
        if self._whole:
            return []
        lines = [f" {printable(each.title)}: {each.described}" for each in self.tables[:_SHOWN]]
        return [*lines, f" … and {len(self.tables) - _SHOWN:,} more tables\n"] if len(self.tables) > _SHOWN else lines

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        heads = (f"<h4>{html_text(each.title)}</h4>" for each in self._whole)
        shown = (release_html(each.release.rendered, (), _SHOWN) for each in self._whole)
        listed = "".join(f"<div>{html_text(line)}</div>" for line in (*self._listed(), *self.remarks) if line)
        return "".join(part for pair in zip(heads, shown, strict=True) for part in pair) + f"<div>{listed}</div>"

    def write(self, folder: str | Path, forms: Sequence[str] = ("csv", "parquet")) -> list[Path]:
        """Write a new folder with each table in each format, a page, and one certificate for all files."""
        from tacit.release.publication import Publication

        return Publication.checked(folder, forms).write(self)


def _where(table: ReleasedTable) -> str:
    return "the total" if table.title == TOTAL else "the smallest"


def _sorted(title: str) -> list[str]:
    return sorted(" ".join(part.split()) for part in title.lower().split(","))
