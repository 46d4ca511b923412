"""Whole questions over a million rows in PostgreSQL: Tacit against an aggregate written by hand.

By hand, in two levels: add up each person (and group), cut each total, add up people. That bounds a person in each
group but not over all of them, which the promise needs; so there is a second form with at most five groups per person,
by a window. Tacit's time is that of the whole answer: planning, translating, the charge, a connection of its own, the
norm over all groups, and the noise. Measured in seconds of the processor, of the server and of this process, one worker
each.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time, sleep

import duckdb
from tests.engines.postgres_server import PostgresUnderTest, running_server

from bench.claims import Claim, report
from bench.events import MEDIUM, QUESTIONS, REGIONS, events
from tacit.curator.dataset import Dataset, open_dataset

ROUNDS = 5
TARGET = 1.3
ROWS = 5
_LISTED = ", ".join(f"'{region}'" for region in REGIONS)
_AMOUNT = "least(greatest(amount, 0), 500)"
_CUT = f"sum(least(rows, {ROWS})), sum(least(total, {ROWS * 500}))"


def _people(key: str, where: str = "") -> str:
    """Each person's totals, in each group."""
    return (
        f"SELECT user_id{key}, count(*) AS rows, sum({_AMOUNT}) AS total FROM events "
        f"WHERE user_id IS NOT NULL{where} GROUP BY user_id{key}"
    )


_PEOPLE = {
    "W1": ("", _people("")),
    "W2": ("region", _people(", region", f" AND region IN ({_LISTED})")),
    "W3": ("category", _people(", category")),
}


def two_levels(name: str) -> str:
    """Totals of people, cut, added up by group."""
    key, people = _PEOPLE[name]
    return f"SELECT {key + ', ' if key else ''}{_CUT}, count(*) FROM ({people}) AS p" + (
        f" GROUP BY {key}" if key else ""
    )


def with_few_groups(name: str) -> str:
    """The same with at most so many groups per person."""
    key, people = _PEOPLE[name]
    place = f"row_number() OVER (PARTITION BY user_id ORDER BY md5({key})) AS place"
    ranked = f"SELECT *, {place} FROM ({people}) AS p"
    return f"SELECT {key}, {_CUT}, count(*) FROM ({ranked}) AS r WHERE place <= {ROWS} GROUP BY {key}"


_DESCRIPTION = """\
[dataset]
name = "events"
unit = {{ id = "user_id", hides = "one person, all events" }}
budget = {{ rho = 100000, delta = 1e-4 }}
floor = 0
[tables.events]
source = "{address}"
table = "public.events"
limits = {{ rows = {rows} }}
[tables.events.columns]
region = {{ type = "text", keys = [{regions}], nullable = false }}
category = {{ type = "text", nullable = false }}
amount = {{ type = "money", min = 0, max = 500, nullable = false }}
"""


def load(server: PostgresUnderTest) -> None:
    """The events as a table with the types that a database would have."""
    with tempfile.NamedTemporaryFile(suffix=".csv") as file, server.connect() as connection:
        source = str(events(MEDIUM))
        duckdb.execute(
            f"COPY (SELECT user_id, region, category, amount FROM '{source}') TO '{file.name}' (HEADER false)"
        )
        connection.execute("CREATE TABLE events (user_id bigint, region text, category text, amount numeric(10, 2))")
        with connection.cursor().copy("COPY events FROM STDIN (FORMAT csv)") as copy, open(file.name, "rb") as lines:
            while block := lines.read(1 << 20):
                copy.write(block)
        connection.execute("GRANT SELECT ON events TO reader")
        connection.execute("VACUUM ANALYZE events")


@contextmanager
def opened(server: PostgresUnderTest, folder: Path) -> Iterator[Dataset]:
    regions = ", ".join(f'"{region}"' for region in REGIONS)
    file = folder / "events.toml"
    file.write_text(_DESCRIPTION.format(address=server.address, rows=ROWS, regions=regions))
    with open_dataset(file, ledger=folder / "ledger.sqlite") as dataset:
        yield dataset


@dataclass(frozen=True)
class Processor:
    """The seconds that a server's processes took, those that ended included, and this one's."""

    server: PostgresUnderTest

    @property
    def _postmaster(self) -> int:
        return int((self.server.socket / "data" / "postmaster.pid").read_text().splitlines()[0])

    def seconds(self) -> float:
        ended = Path(f"/proc/{self._postmaster}/stat").read_text().rpartition(")")[2].split()[13:15]
        return sum(map(int, ended)) / os.sysconf("SC_CLK_TCK") + process_time()

    def of(self, run: Callable[[], object]) -> float:
        """The median of some rounds, after one to warm up; a connection ends with its round, and is then counted."""
        run()
        taken = []
        for _ in range(ROUNDS):
            sleep(0.2)
            start = self.seconds()
            run()
            sleep(0.2)
            taken.append(self.seconds() - start)
        return median(taken)


def asking(dataset: Dataset, sql: str) -> Callable[[], object]:
    return lambda: dataset.query(sql, epsilon=1, interval="bounded", fresh=True)


def by_hand(server: PostgresUnderTest, sql: str) -> Callable[[], object]:
    def run() -> object:
        with server.connect() as connection:
            connection.execute("SET work_mem = '128MB'")
            return connection.execute(sql).fetchall()

    return run


def main() -> None:
    with tempfile.TemporaryDirectory() as place, running_server() as server:
        os.environ |= {"TACIT_HOME": place, "TACIT_WITNESS": f"{place}/witness", "PGUSER": "reader"}
        os.environ["PGOPTIONS"] = "-c max_parallel_workers_per_gather=0"
        load(server)
        processor, claims = Processor(server), []
        with opened(server, Path(place)) as dataset:
            for name in _PEOPLE:
                sql = QUESTIONS[name]
                ours = processor.of(asking(dataset, sql))
                hands = {"two levels": two_levels(name)} | (
                    {"few groups": with_few_groups(name)} if name != "W1" else {}
                )
                for words, text in hands.items():
                    theirs = processor.of(by_hand(server, text))
                    detail = f"{ours:.2f} s against {theirs:.2f} s"
                    claims.append(Claim(f"Tacit / by hand, {words}, {name}", ours / theirs, TARGET, True, detail))
        report("PostgreSQL", claims)


if __name__ == "__main__":
    main()
