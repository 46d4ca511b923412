"""A process with a Spark of its own: it answers, is inspected while rows are on its disk, is killed, and answers again.

    python -m tests.engines.spark_alone FOLDER

prints what was seen as JSON. A test runs it, since its own process may have another Spark.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import duckdb
from pyspark import SparkContext

from tacit.errors import Failed
from tacit.query.engines.spark.engine import SparkEngine
from tacit.schema.description import Description
from tacit.schema.reader import read_description

CANARY = "ThisPatientHasAVeryRareDisease"
_SETTINGS = {
    "spark.driver.memory": "600m",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.shuffle.partitions": "2",
    "spark.shuffle.compress": "false",
    "spark.shuffle.spill.compress": "false",
    "spark.rdd.compress": "false",
}
_TOML = """\
[dataset]
name = "wards"
unit = { id = "person", hides = "one" }
budget = { rho = 1, delta = 1e-6 }
spark = "local[1]"
[tables.visits]
source = "visits.parquet"
[tables.visits.columns]
words = { type = "text" }
"""
_GROUPS = 'SELECT words AS k0, COUNT(*) AS y0 FROM "visits" GROUP BY words'


def described(folder: Path) -> Description:
    rows = f"SELECT i AS person, '{CANARY}' || i AS words FROM range(20000) r(i)"
    duckdb.execute(f"COPY ({rows}) TO '{folder / 'visits.parquet'}' (FORMAT parquet)")
    (folder / "wards.toml").write_text(_TOML)
    return read_description(folder / "wards.toml", lambda *_: [])


def looked(java: int, place: Path) -> dict[str, object]:
    """Modes of all that lies in a folder, whether rows can be read there, and where the process listens."""
    files = [path for path in place.rglob("*") if path.is_file()]
    return {
        "place": str(place),
        "place_mode": oct(place.stat().st_mode & 0o777),
        "modes": sorted({oct(path.stat().st_mode & 0o777) for path in files}),
        "files": len([path for path in files if path.stat().st_size]),
        "shown": [str(path) for path in files if CANARY.encode() in path.read_bytes()],
        "listens": listening(java),
    }


def listening(process: int) -> list[str]:
    """The addresses that a process listens on, in hex, as the kernel writes them."""
    own = {os.readlink(each) for each in Path(f"/proc/{process}/fd").iterdir() if each.is_symlink()}
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state, *rest = line.split()
            if state == "0A" and f"socket:[{rest[5]}]" in own:
                found.add(local.rpartition(":")[0])
    return sorted(found)


def main(folder: Path) -> dict[str, object]:
    engine, description = SparkEngine("local[1]", _SETTINGS), described(folder)
    headers = {table.name: dict(engine.header(table.source)) for table in description.sources}
    with engine.session(description, headers) as session:
        session.keep("__kept", 'SELECT person AS "__unit", words AS k0 FROM "visits"')
        session.kept[-1].unpersist(True)
        session.kept[-1].persist(_on_disk())
        session.run('SELECT k0, COUNT(*) AS y0 FROM "__kept" GROUP BY k0')
        place = Path(session.spark.sparkContext.getConf().get("spark.local.dir") or "")
        gateway = SparkContext._gateway
        assert gateway is not None
        seen = looked(gateway.proc.pid, place)
    gateway.proc.kill()
    gateway.proc.wait()
    answers: list[object] = []
    for _ in range(2):
        try:
            with engine.session(description, headers) as session:
                answers.append(session.run(_GROUPS).num_rows)
        except Failed:
            answers.append("Failed")
    return {**seen, "answers": answers}


def _on_disk() -> object:
    from pyspark.storagelevel import StorageLevel

    return StorageLevel.DISK_ONLY


if __name__ == "__main__":
    json.dump(main(Path(sys.argv[1])), sys.stdout)
