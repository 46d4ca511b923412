"""Tables released together: what leaves is one table a grouping set, one price, and one certificate for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from pathlib import Path
from shutil import get_terminal_size

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.ledger.certificate import Certificate
from tacit.release.price import PriceWords
from tacit.release.release import IntervalWords, Release
from tacit.release.text import notes_text, table_text

FORMS = ("csv", "parquet")
_SHOWN = 12  # rows of a table, where all tables are printed


@frozen(eq=False)
class ReleasedTable:
    """One table of a publication: its title ("region, ward" or "total"), the name of its files, and its numbers.

    Its numbers are read when they are first asked for.
    """

    title: str
    name: str
    read: Callable[[], Release] = field(repr=False)

    @cached_property
    def release(self) -> Release:
        return self.read()


@frozen(eq=False)
class TablesRelease:
    """Several tables with one price. It prints a summary; `table("region", "ward")` is one of them.

    `margins` says how far margins agree, `optimality` how near the error is to the least that is possible.
    """

    tables: tuple[ReleasedTable, ...]
    margins: str
    optimality: str
    notes: tuple[str, ...]
    price: PriceWords
    intervals: IntervalWords
    certify: Callable[[TablesRelease, Mapping[str, bytes]], Certificate] | None = field(default=None, repr=False)

    def __iter__(self) -> Iterator[ReleasedTable]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    def table(self, *keys: str) -> Release:
        """The table by these keys, in any order; without keys, the total."""
        wanted = ", ".join(sorted(key.lower() for key in keys)) or "total"
        for each in self.tables:
            if ", ".join(sorted(each.title.lower().split(", "))) == wanted:
                return each.release
        raise Refused(f"a table by {', '.join(keys)}", "It was not asked for.", self._titles())

    def _titles(self) -> str:
        titles = [each.title for each in self.tables]
        return f"{'; '.join(titles[:_SHOWN])}{'; …' if len(titles) > _SHOWN else ''}."

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is to be known of all tables, and their price."""
        first = self.tables[0].release
        about = (f"{first.interval_words}.", *self.intervals.further) if first.interval_words else ()
        return self.margins, self.optimality, " ".join((*about, *self.notes)), str(self.price)

    def text(self, width: int | None = None, most: int | None = _SHOWN) -> str:
        """All tables, at most so many rows of each, and the remarks."""
        across = width or min(120, get_terminal_size((120, 24)).columns)
        parts = [f"{each.title}\n{table_text(each.release.rendered, most)}\n" for each in self.tables]
        return "\n".join([*parts, notes_text([remark for remark in self.remarks if remark], across)])

    def __str__(self) -> str:
        return self.text()

    def files(self, forms: Sequence[str] = FORMS) -> dict[str, bytes]:
        """The octets of every file of a publication by its name: each table in each format."""
        return {f"{each.name}.{form}": each.release.presented(form) for each in self.tables for form in forms}

    def write(self, folder: str | Path, forms: Sequence[str] = FORMS, page: bytes | None = None) -> list[Path]:
        """A folder with each table in each format, the page, and one certificate that is signed for all these files."""
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        files = self.files(forms) | ({} if page is None else {"index.html": page})
        if self.certify is not None:
            files["certificate.json"] = self.certify(self, files).to_json().encode()
        for name, octets in files.items():
            (place / name).write_bytes(octets)
        return [place / name for name in files]
