"""The only thing that leaves the curator: an answer with its intervals, its price and its certificate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from fractions import Fraction
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.ledger.certificate import Certificate
from tacit.mechanisms.answer import percent
from tacit.query.post_noise.estimates import Rendered
from tacit.release.cells import is_exact
from tacit.release.price import PriceWords
from tacit.release.text import bounded_text, notes_text, release_html, table_text

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure

_SHOWN = 60  # rows, unless all are asked for


@frozen
class IntervalWords:
    """What intervals are about: their kind, what follows "95% intervals", and further sentences."""

    kind: str = ""
    about: str = ""
    further: tuple[str, ...] = ()


@frozen(eq=False)
class Release:
    """A table of answers. It prints with ±, and gives its numbers to whoever computes further.

    `certificate` says what was asked, what it cost, which claims it rests on, and that these are the numbers.
    """

    rendered: Rendered
    confidence: Fraction
    notes: tuple[str, ...]
    price: PriceWords
    certify: Callable[[Release, Sequence[str]], Certificate] | None = field(default=None, repr=False)  # the curator's
    intervals: IntervalWords = IntervalWords()

    @cached_property
    def certificate(self) -> Certificate | None:
        """The signed certificate of this answer; None where no curator gave it."""
        return self.certified()

    def certified(self, *forms: str) -> Certificate | None:
        """The same with a signed line for the answer as it is written in each format: "csv", "json", "parquet"."""
        return None if self.certify is None else self.certify(self, forms)

    @cached_property
    def table(self) -> pa.Table:
        """The Arrow table: typed keys, and each number `c` with `c_low` and `c_high`, and `c_bounded` if usual."""
        from tacit.release.export import arrow_table

        return arrow_table(self.rendered)

    def __getstate__(self) -> dict[str, Any]:
        """A copy goes without its curator, and takes the certificate along."""
        return {**self.__dict__, "certificate": self.certificate, "certify": None}

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is to be known about the numbers, their bounded intervals if they are others, and their price."""
        about = (f"{self.interval_words}.", *self.intervals.further) if self.interval_words else ()
        return " ".join((*about, *self.notes)), bounded_text(self.rendered), str(self.price)

    @property
    def interval_words(self) -> str:
        """How sure the intervals are and what they are about; nothing where every number is exact."""
        exact = all(is_exact(column) for column in self.rendered.columns)
        return "" if exact else f"{percent(self.confidence)} intervals{self.intervals.about}"

    def text(self, width: int | None = None, most: int | None = None) -> str:
        """The table, at most so many rows of it, and the remarks, wrapped to a width or to the terminal's."""
        across = width or min(120, get_terminal_size((120, 24)).columns)
        remarks = [remark for remark in self.remarks if remark]
        return f"{table_text(self.rendered, most)}\n{notes_text(remarks, across)}"

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return self.text(most=_SHOWN)

    def _repr_html_(self) -> str:
        return release_html(self.rendered, [remark for remark in self.remarks if remark], _SHOWN)

    def to_arrow(self) -> pa.Table:
        """The Arrow table."""
        return self.table

    def to_pandas(self) -> Any:
        """A pandas DataFrame."""
        _library("pandas")
        return self.table.to_pandas()

    def to_polars(self) -> Any:
        """A Polars DataFrame."""
        return _library("polars").from_arrow(self.table)

    def to_csv(self, path: str | Path | None = None) -> str:
        """CSV text, written to the path if there is one."""
        return self._written("csv", path).decode()

    def to_json(self, path: str | Path | None = None) -> str:
        """JSON text, written to the path if there is one."""
        return self._written("json", path).decode()

    def to_parquet(self, path: str | Path) -> None:
        """A Parquet file."""
        self._written("parquet", path)

    def presented(self, form: str) -> bytes:
        """The octets of the answer in a format: "table", as it prints, "csv", "json" or "parquet"."""
        if form == "table":
            return f"{self.text()}\n".encode()
        from tacit.release.export import written

        return written(self, form)

    def _written(self, form: str, path: str | Path | None) -> bytes:
        octets = self.presented(form)
        if path is not None:
            Path(path).write_bytes(octets)
        return octets

    def plot(self, path: str | Path | None = None) -> Figure:
        """Bars with error bars, or lines with their bands over dates and numbers; saved if there is a path."""
        from tacit.release.plot import draw

        drawing = draw(self)
        if path is not None:
            drawing.savefig(path)
        return drawing


def _library(name: str) -> Any:
    if find_spec(name) is None:
        raise Refused(f"to_{name}()", f"{name} is not installed.", f"`pip install {name}`, or to_arrow().")
    return import_module(name)
