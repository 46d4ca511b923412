"""Too little memory for all people at once: shards of the people, with progress and interrupts, or none."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from time import sleep

import duckdb
import pytest
from tests.query.engines.parted_worlds import as_set

from tacit.errors import Refused
from tacit.query.engines.duckdb.engine import DuckDBEngine
from tacit.query.engines.duckdb.memory import Shard, can_be_cut, engine_memory, read_memory
from tacit.query.engines.duckdb.session import DuckDBSession
from tacit.schema.description import Description
from tacit.schema.reader import read_description

ROWS = "SELECT (i * 7919) % {people} AS writer, 'w' || hash(i) % 1000 AS word, i % 10 AS pages FROM range({rows}) r(i)"
TOTALS = 'SELECT writer AS "__unit", word AS k0, SUM(pages) AS v0 FROM letters GROUP BY ALL'
HELD = 'SELECT "__unit", COUNT(*) AS held FROM "__kept" GROUP BY ALL'
SUMS = f"""WITH "__totals" AS MATERIALIZED ({TOTALS}),
"__large" AS (SELECT "__unit", COUNT(*) AS held FROM "__totals" GROUP BY ALL)
SELECT k0, SUM(v0 // held)::BIGINT AS y0 FROM "__totals" JOIN "__large" USING ("__unit") GROUP BY ALL"""
KEPT_SUMS = f'SELECT k0, SUM(v0 // held)::BIGINT AS y0 FROM "__kept" JOIN ({HELD}) USING ("__unit") GROUP BY ALL'
SHORT = "10MB"  # the sums of so many people want about twice that
DESCRIPTION = """\
[dataset]
name = "letters"
unit = {{ id = "writer", hides = "one writer, all letters" }}
budget = {{ rho = 1, delta = 1e-6 }}
floor = 0
breaker = "off"

[tables.letters]
source = "letters.{ending}"
{table}
[tables.letters.columns]
word = {{ type = "text" }}
pages = {{ type = "int", min = 0, max = 9 }}
"""
TWO = """
[tables.stamps]
source = "stamps.parquet"
[tables.stamps.columns]
price = { type = "int", min = 0, max = 9 }
"""


@pytest.fixture
def letters(tmp_path: Path) -> Description:
    duckdb.execute(f"COPY ({ROWS.format(people=150_000, rows=300_000)}) TO '{tmp_path / 'letters.parquet'}'")
    return _described(tmp_path)


def _described(folder: Path, ending: str = "parquet", table: str = "", more: str = "") -> Description:
    (folder / "letters.toml").write_text(DESCRIPTION.format(ending=ending, table=table) + more)
    return read_description(folder / "letters.toml", DuckDBEngine().public_values)


@contextmanager
def asked(description: Description, memory: str | None = None) -> Iterator[DuckDBSession]:
    engine = DuckDBEngine(threads=1)
    headers = {table.name: dict(engine.header(table.source)) for table in description.sources}
    with engine.session(description, headers) as session:
        if memory is not None:
            session.connection.execute(f"SET memory_limit = '{memory}'")
        yield session


def test_where_memory_is_short_people_are_added_up_in_parts(letters: Description) -> None:
    """The same integers; and once people were cut, later statements begin with as many parts."""
    with asked(letters) as session:
        one = as_set(session.add_up(SUMS))
        assert session.course.parts == 1
    with asked(letters, SHORT) as session:
        assert as_set(session.add_up(SUMS)) == one
        assert session.course.parts > 1
        session.keep("__kept", TOTALS)
        assert as_set(session.add_up(KEPT_SUMS)) == one
        rows = session.run("SELECT COUNT(*) AS n FROM letters").column("n")[0].as_py()  # of everybody again
    assert rows == 300_000


def test_what_was_kept_of_everybody_is_cut_later(letters: Description) -> None:
    """What is kept while memory suffices is read in parts when it does not."""
    with asked(letters) as session:
        session.keep("__kept", TOTALS)
        one = as_set(session.add_up(KEPT_SUMS))
        session.course.parts = 4
        assert as_set(session.add_up(KEPT_SUMS)) == one


def test_progress_rises_over_the_parts(letters: Description) -> None:
    """One statement, from nothing to all of it: a part's share begins where the one before it ended."""
    seen, ended = [], Event()
    with asked(letters) as session:
        session.watch()
        session.course.parts = 16

        def look() -> None:
            while not ended.wait(0.002):
                seen.append((session.course.part, *session.progress()))

        watcher = Thread(target=look)
        watcher.start()
        session.add_up(SUMS)
        ended.set()
        watcher.join()
        assert session.progress()[0] == 1
    within = [(part, share) for part, finished, share in seen if finished == 0 and part.of == 16]
    assert len({part for part, _ in within}) >= 8
    assert all(0 <= share <= 1 for _, share in within)
    firsts = [next(share for each, share in within if each == part) for part in dict(within)]
    assert firsts == sorted(firsts)
    assert firsts[-1] > 0.5


def test_ctrl_c_within_a_part_ends_the_statement(letters: Description) -> None:
    """The driver catches the signal; it is raised again as KeyboardInterrupt."""
    with asked(letters) as session:
        session.course.parts = 256
        interrupter = Thread(target=lambda: (sleep(0.5), signal.raise_signal(signal.SIGINT)))
        interrupter.start()
        with pytest.raises(KeyboardInterrupt):
            session.add_up(SUMS)
        interrupter.join()
        assert session.course.finished == 0


def test_ctrl_c_between_parts_ends_the_statement(letters: Description, monkeypatch: pytest.MonkeyPatch) -> None:
    """No part is asked after it, and nothing is left of those before."""
    see = DuckDBSession._see

    def interrupted(session: DuckDBSession, part: Shard) -> None:
        if part.place == 2:
            raise KeyboardInterrupt
        see(session, part)

    monkeypatch.setattr(DuckDBSession, "_see", interrupted)
    with asked(letters) as session:
        session.course.parts = 4
        with pytest.raises(KeyboardInterrupt):
            session.add_up(SUMS)
        assert session.course.part == Shard(1, 4)
        own = session.connection
    with pytest.raises(duckdb.ConnectionException):
        own.execute("SELECT 1")


def test_people_are_cut_by_the_form_in_which_they_are_compared(letters: Description, tmp_path: Path) -> None:
    """In two types, or in letters that their column does not tell apart: everybody is in one part, with all rows."""
    duckdb.execute(f"COPY (SELECT 'a' AS writer, 1 AS price) TO '{tmp_path / 'stamps.parquet'}'")
    with duckdb.connect(str(tmp_path / "letters.duckdb")) as own:
        own.execute("CREATE TABLE t (writer VARCHAR COLLATE NOCASE, word VARCHAR, pages INTEGER)")
        rows = "SELECT 'w' || chr((65 + i % 4 + 32 * (i // 4 % 2))::INTEGER) AS writer, 'w', i FROM range(80) r(i)"
        own.execute(f"INSERT INTO t {rows}")
    two = _described(tmp_path, more=TWO)
    nocase = _described(tmp_path, "duckdb", 'table = "t"')
    for described, people in ((two, 150_000), (nocase, 8)):
        with asked(described) as session:
            assert can_be_cut(session.connection, session.tables)
            seen = []
            for place in range(3):
                session._see(Shard(place, 3))
                found = session.connection.execute(
                    'SELECT DISTINCT writer::VARCHAR COLLATE "C" FROM letters'
                ).fetchall()
                seen += [name for (name,) in found]
            assert len(seen) == len(set(seen)) == people


def test_rows_that_are_people_are_not_cut(letters: Description, tmp_path: Path) -> None:
    """There is nothing to add up by person, and no column to cut by."""
    text = (tmp_path / "letters.toml").read_text().replace('id = "writer"', "row = true")
    assert "row = true" in text
    (tmp_path / "rows.toml").write_text(text)
    with asked(read_description(tmp_path / "rows.toml", DuckDBEngine().public_values)) as session:
        assert not can_be_cut(session.connection, session.tables)


def test_a_limit_is_that_of_the_whole_process() -> None:
    """The engine is told less than the limit, by what it does not count; a limit that would not do is refused."""
    assert engine_memory(2_000_000_000) == 1_550_000_000
    assert engine_memory(500_000_000) == 250_000_000
    for written in (
        "499MB",
        "-2GB",
        "much",
        0.5,
        True,
        "0",
        "2GBs",
        "2GiBB",
        "2iB",
        "2Gi",
        "2GB or so",
        "9" * 400,
        b"2GB",
    ):
        with pytest.raises(Refused):
            read_memory(written)
    assert (
        read_memory("2GB") == read_memory(" 2 g ") == read_memory("16gbit") == read_memory(2 * 10**9) == 2_000_000_000
    )
    assert read_memory("1.5GiB") == 3 * 2**29
