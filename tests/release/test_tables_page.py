"""The page of a publication: safe whatever keys hold, whole by itself, and the same numbers as the files beside it."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from datetime import date
from fractions import Fraction
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from matplotlib.font_manager import findfont
from PIL import ImageFont

from tacit.query.post_noise.estimates import Estimates, Keys, OutputColumn, Rendered
from tacit.release.page_pictures import pictures
from tacit.release.price import PriceWords
from tacit.release.publication import Publication, publication_page
from tacit.release.release import IntervalWords, Release
from tacit.release.tables_release import ReleasedTable, TablesRelease
from tacit.schema.kind import Kind

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</title></style><svg onload=alert(1)>",
    "\x1b[2J\x00\u202egnorts",
    "javascript:alert(1)",
    "&lt;b&gt; ' onmouseover='alert(1)",
)
VOID = {"meta", "br", "img", "link", "input", "hr"}
LOADING = {"src", "href", "srcset", "data", "action", "poster", "xlink:href", "background", "formaction"}


class Structure(HTMLParser):
    """Every tag closed in order; the attributes that load or run something, and the identifiers."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.faults: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.faults += [f"{tag} {name}" for name, _ in attrs if name.startswith("on")]
        self.links += [value or "" for name, value in attrs if name in LOADING]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}>")


def parsed(page: str) -> Structure:
    found = Structure()
    found.feed(page)
    found.close()
    return found


def numbers(values: Sequence[float], half: float = 5.0) -> Estimates:
    value = np.array(values, np.float64)
    return Estimates(value, value - half, value + half)


def table(title: str, keys: dict[str, Keys], values: Sequence[float], name: str = "n", file: str = "") -> ReleasedTable:
    whole = tuple(max(0, round(value)) if value == value else 0 for value in values)
    columns = [OutputColumn(key, texts) for key, texts in keys.items()]
    columns += [
        OutputColumn(name, numbers(values)),
        OutputColumn(f"{name}_published", Keys(whole, Kind.INTEGER)),
    ]
    price = PriceWords("ε = 1", Fraction(1, 10), Fraction(9, 10), False)
    release = Release(
        Rendered(tuple(columns)), Fraction(19, 20), (), price, None, IntervalWords("guaranteed", ", sure")
    )
    return ReleasedTable(title, file or "table", lambda: release, len(values))


def released(*tables: ReleasedTable) -> TablesRelease:
    first = tables[0].release
    return TablesRelease(
        tables,
        "margins add up exactly.",
        HOSTILE[0],
        (HOSTILE[1],),
        first.price,
        first.intervals,
        dataset=HOSTILE[2],
        published=HOSTILE[3],
        meaning=HOSTILE[4],
    )


def hostile() -> TablesRelease:
    keys = Keys(HOSTILE, Kind.TEXT)
    pairs = [(one, other) for one in HOSTILE for other in HOSTILE]
    columns = (Keys(tuple(each), Kind.TEXT) for each in zip(*pairs, strict=True))
    names = HOSTILE[0], HOSTILE[1]
    return released(
        table(", ".join(names), dict(zip(names, columns, strict=True)), [-3.0, *range(35)], HOSTILE[5], "a"),
        table(names[0], {names[0]: keys}, [4.0, -2.0, np.nan, 1e12, 0.0, 3.5], HOSTILE[5], "b"),
        table("total", {}, [12.0], HOSTILE[5], "c"),
    )


def test_nothing_that_a_key_holds_is_obeyed() -> None:
    page = publication_page(hostile(), None, ("csv",))
    found = parsed(page)
    assert found.faults == []
    assert found.open == []
    assert not {"script", "img", "iframe", "object", "link", "form", "base"} & set(found.tags)
    assert all(mark.isprintable() or mark == "\n" for mark in page)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_a_page_that_escapes_nothing_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checks above see a page whose texts stand as they are."""
    monkeypatch.setattr("tacit.release.publication.html_text", str)
    found = parsed(publication_page(hostile(), None, ("csv",)))
    assert "script" in found.tags
    assert any(fault.endswith("onerror") for fault in found.faults)


def test_the_page_loads_nothing_and_links_to_what_is_beside_it() -> None:
    release = hostile()
    files = Publication(folder=Path("unused"), forms=("csv", "parquet")).files(release)
    found = parsed(files["index.html"].decode())
    assert "default-src 'none'" in files["index.html"].decode()
    for link in found.links:
        assert link in files or (link.startswith("#") and link[1:] in found.ids), link
    assert {link for link in found.links if not link.startswith("#")} == set(files) - {"index.html"}
    assert len(found.ids) == len(set(found.ids))
    style = files["index.html"].decode().partition("<style>")[2].partition("</style>")[0]
    assert "url(" not in style
    assert "@import" not in style


def test_the_numbers_of_the_page_are_those_of_its_files() -> None:
    """Every row of a short table, and the count of those that a long one leaves out."""
    keys = {"region": Keys(("east", "west", None), Kind.TEXT)}
    long = {"day": Keys(tuple(range(100)), Kind.INTEGER)}
    release = released(
        table("region", keys, [1234.0, -7.0, np.nan], file="region"), table("day", long, range(100), file="day")
    )
    files = Publication(folder=Path("unused"), forms=("csv",)).files(release)
    page = files["index.html"].decode()
    cells = [re.sub(r"<[^>]+>", "|", row) for row in re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL)]
    for row in csv.DictReader(io.StringIO(files["region.csv"].decode())):
        (shown,) = [each for each in cells if each.startswith(f"|{row['region'] or 'NULL'}|")]
        if row["n"]:
            assert f"{float(row['n']):,.1f}" in shown or f"{float(row['n']):,.0f}" in shown
            assert f"|{int(row['n_published']):,}|" in shown
    assert "The first 40 of 100 cells; all are in the file." in page
    assert sum(bool(re.match(r"\|\d+\|", each)) for each in cells) == 40


def test_tables_by_one_or_two_keys_are_drawn() -> None:
    days = {"day": Keys(tuple(date(2025, 1, 1 + i) for i in range(20)), Kind.DATE)}
    (line,) = pictures(table("day", days, range(20)).release.rendered)
    assert "<polyline" in line
    assert ">2025-01-01<" in line
    regions = {"region": Keys(("east", "west"), Kind.TEXT)}
    (bars,) = pictures(table("region", regions, [3.0, -4.0]).release.rendered)
    assert bars.count('class="bar"') == 2
    pairs = {"region": Keys(("east", "east", "west", "west"), Kind.TEXT), "sex": Keys(("f", "m") * 2, Kind.TEXT)}
    (heat,) = pictures(table("region, sex", pairs, [100.0, 2.0, 50.0, -20.0]).release.rendered)
    assert heat.count('class="heat"') == 4
    assert heat.count("<circle") == 2  # where the interval holds 0
    for picture in (line, bars, heat):
        assert "n by " in picture
        assert not re.search(r"\b(nan|inf)\b", picture)
    three = {**pairs, "more": Keys(("a",) * 4, Kind.TEXT)}
    assert pictures(table("three", three, [1.0] * 4).release.rendered) == []
    assert pictures(table("region", regions, [np.nan, np.nan]).release.rendered) == []


@pytest.mark.parametrize("values", [[0.0, 0.0], [-5.0, -9.0], [1e-12, 2e-12], [1e18, -1e18], [7.0, np.nan]])
def test_pictures_of_any_numbers_are_finite(values: list[float]) -> None:
    regions = {"region": Keys(("east", "west"), Kind.TEXT)}
    drawn = "".join(pictures(table("region", regions, values).release.rendered))
    places = [float(each) for each in re.findall(r' (?:x|y|x1|x2|y1|y2|width)="([^"]+)"', drawn)]
    assert places
    assert all(-1 <= each <= 2000 for each in places)


def test_tables_beyond_the_sixtieth_are_linked_only() -> None:
    many = [table(f"k{i}", {f"k{i}": Keys(("a",), Kind.TEXT)}, [1.0], file=f"k{i}") for i in range(70)]
    found = parsed(publication_page(released(*many), None, ("parquet",)))
    assert len([each for each in found.ids if each.startswith("table-")]) == 60
    assert "k69.parquet" in found.links


def test_signs_and_numbers_stay_on_one_line() -> None:
    assert "cost ε&nbsp;=&nbsp;1, which" in publication_page(hostile(), None, ("csv",))


def test_labels_lie_within_the_picture() -> None:
    """In a wide font, at the size of the style sheet: of bars, and at both sides of a heat map."""
    font = ImageFont.truetype(findfont("DejaVu Sans"), 13)
    words = ("maternity", "MM", "Çeşme <b>", "educ BETWEEN 12 AND 16", "NULL", "Wmwm" * 8, "illicit")
    (bars,) = pictures(table("word", {"word": Keys(words, Kind.TEXT)}, range(7)).release.rendered)
    pairs = [(word, other) for word in words for other in words[:3]]
    both = {name: Keys(tuple(each), Kind.TEXT) for name, each in zip("ab", zip(*pairs, strict=True), strict=True)}
    (heat,) = pictures(table("a, b", both, range(21)).release.rendered)
    for drawn in (bars, heat):
        ends = re.findall(r'<text x="([\d.]+)" y="[\d.]+" text-anchor="end">([^<]+)<', drawn)
        assert len(ends) == len(words)
        assert all(font.getlength(unescape(label)) <= float(x) for x, label in ends)
    for x, y, head in re.findall(r"translate\(([\d.]+) ([\d.]+)\) rotate\(-45\)\">([^<]+)<", heat):
        assert font.getlength(unescape(head)) * 0.71 <= min(float(y), 440 - float(x))
    heads = tuple(f"{n} are too long to be beside one another" for n in range(24))
    crowded = {"a": Keys(tuple(n for n in range(24) for _ in heads)), "b": Keys(heads * 24)}
    assert pictures(table("a, b", crowded, range(576)).release.rendered) == []
