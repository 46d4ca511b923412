"""A release: the answer to a query, with its intervals, its price and its certificate."""

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
from tacit.mechanisms.mechanism import percent
from tacit.query.post_noise.estimates import Rendered
from tacit.release.cells import is_exact
from tacit.release.price import PriceWords
from tacit.release.text import bounded_text, notes_text, release_html, table_text

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure

_SHOWN = 60  # the number of rows printed by default


@frozen
class IntervalWords:
    """The meaning of intervals: their kind, the text after "95% intervals", and further sentences."""

    kind: str = ""
    about: str = ""
    further: tuple[str, ...] = ()


@frozen(eq=False)
class Release:
    """A table of answers. It prints with ±, and exports its numbers for further computation.

    `certificate` states the question, the cost, the claims it rests on, and the digest of the numbers.
    """

    rendered: Rendered
    confidence: Fraction
    notes: tuple[str, ...]
    price: PriceWords
    certify: Callable[[Release, Sequence[str]], Certificate] | None = field(default=None, repr=False)  # the curator's
    intervals: IntervalWords = IntervalWords()

    @cached_property
    def certificate(self) -> Certificate | None:
        """The signed certificate of this answer; None for a release without a curator."""
        return self.certified()

    def certified(self, *forms: str) -> Certificate | None:
        """The certificate with a signed line for the file of the answer in each format: "csv", "json", "parquet"."""
        return None if self.certify is None else self.certify(self, forms)

    @cached_property
    def table(self) -> pa.Table:
        """The Arrow table: typed keys, and each number `c` with `c_low` and `c_high`, and `c_bounded` if usual."""
        from tacit.release.export import arrow_table

        return arrow_table(self.rendered)

    def __getstate__(self) -> dict[str, Any]:
        """A pickled copy has the certificate, but not the curator."""
        return {**self.__dict__, "certificate": self.certificate, "certify": None}

    @property
    def remarks(self) -> tuple[str, ...]:
        """The remarks on the numbers, on bounded intervals if they differ, and the price."""
        about = (f"{self.interval_words}.", *self.intervals.further) if self.interval_words else ()
        return " ".join((*about, *self.notes)), bounded_text(self.rendered), str(self.price)

    @property
    def interval_words(self) -> str:
        """The confidence of the intervals and what they cover; empty where every number is exact."""
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
        """CSV text; also written to the path if one is given."""
        return self._written("csv", path).decode()

    def to_json(self, path: str | Path | None = None) -> str:
        """JSON text; also written to the path if one is given."""
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
        """Bars with error bars, or lines with their bands over dates and numbers; saved if a path is given."""
        from tacit.release.plot import draw

        drawing = draw(self)
        if path is not None:
            drawing.savefig(path)
        return drawing


def _library(name: str) -> Any:
    if find_spec(name) is None:
        raise Refused(f"to_{name}()", f"{name} is not installed.", f"`pip install {name}`, or to_arrow().")
    return import_module(name)
