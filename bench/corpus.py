"""Three hundred questions as people and programs write them: which of them are answered, and why not the others.

`tests/corpus` has five data sets, a description and sixty questions of each, written down before it was looked up which
of them have an answer. Each question has a verdict: `answered`, or `refused` with what justifies it: two neighbouring
databases between which every answer would tell, or what the description would have to declare, or what is not built.
A question is planned, priced and explained, over tables without rows: public tables are those of PyPI's packages.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

import tacit
from bench.flights import PACKAGE
from tacit.curator.dataset import Dataset
from tacit.errors import Refused

FOLDER = Path(__file__).parent.parent / "tests" / "corpus"
EXAMPLE = Path(__file__).parent.parent / "examples" / "clinic.toml"
SCHEMAS = ("flights", "adult", "survey", "orders", "clinic")
TYPES = {"int": "BIGINT", "money": "DECIMAL(15, 2)", "float": "DOUBLE", "text": "VARCHAR", "bool": "BOOLEAN"}
EPSILON = 1
ANSWERED = "answered"
_HEADER = re.compile(r"^-- (\w+):(.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Asked:
    """A question of the corpus, and its verdict."""

    name: str
    verdict: str
    sql: str

    @property
    def is_answered(self) -> bool:
        return self.verdict == ANSWERED


def questions(schema: str) -> list[Asked]:
    """The questions of one data set, in their order."""
    pieces = _HEADER.split((FOLDER / f"{schema}.sql").read_text(encoding="utf-8"))[1:]
    return [
        Asked(name, verdict.strip(), sql.strip().removesuffix(";"))
        for name, verdict, sql in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True)
    ]


def opened(schema: str, folder: Path) -> Dataset:
    """A data set in a folder, with its public tables; its private ones have no rows."""
    source = FOLDER / f"{schema}.toml"
    text = (source if source.exists() else EXAMPLE).read_text(encoding="utf-8")
    (folder / f"{schema}.toml").write_text(text, encoding="utf-8")
    described = tomllib.loads(text)
    for name, table in described["tables"].items():
        columns = {described["dataset"]["unit"].get("id", "unit"): "BIGINT"}
        columns |= {name: _sql_type(column) for name, column in table["columns"].items()}
        listed = ", ".join(f"{name} {written}" for name, written in columns.items())
        path = folder / table["source"]
        with duckdb.connect(path if path.suffix == ".duckdb" else ":memory:") as connection:
            connection.execute(f"CREATE TABLE {name} ({listed})")
            if path.suffix == ".parquet":
                connection.execute(f"COPY {name} TO '{path}'")
    for lookup in described.get("lookups", {}).values():
        _public(folder / lookup["source"])
    return tacit.open(folder / f"{schema}.toml", ledger=folder / f"{schema}.sqlite")


def refusal(dataset: Dataset, sql: str) -> Refused | None:
    """Why the question is refused, or None where it has an answer."""
    try:
        dataset.explain(sql, epsilon=EPSILON)
    except Refused as refused:
        return refused
    return None


def judged(schema: str) -> Iterator[tuple[Asked, Refused | None]]:
    """Every question of a data set with what Tacit says of it now."""
    with TemporaryDirectory() as name, opened(schema, Path(name)) as dataset:
        for asked in questions(schema):
            yield asked, refusal(dataset, asked.sql)


def _sql_type(column: dict[str, object]) -> str:
    written = str(column["type"])
    return TYPES.get(written) or (f"DECIMAL(15, {column['scale']})" if written == "decimal" else written)


def _public(path: Path) -> None:
    """Put a public table there: one of flights, or of TPC-H at a thousandth of its size."""
    if path.exists():
        return
    found = find_spec(PACKAGE)
    ours = found and found.submodule_search_locations and Path(found.submodule_search_locations[0], "data", path.name)
    if ours and ours.exists():
        shutil.copy(ours, path)
    else:
        command = [Path(sys.executable).with_name("tpchgen-cli"), "csv", "-s", "0.001"]
        tables = "nation,region,supplier,part"
        subprocess.run([*command, f"--tables={tables}", f"--output-dir={path.parent}"], check=True)


def main() -> None:
    """What is answered, by data set, and each refusal; with `-v`, all it says."""
    answered = 0
    for schema in SCHEMAS:
        found = list(judged(schema))
        those = [asked for asked, refused in found if refused is None]
        for asked, refused in found:
            if refused is not None:
                print(f"{asked.name}  {refused}")
            elif not asked.is_answered:
                print(f"{asked.name}  answered; its verdict: {asked.verdict or 'none'}")
        print(f"{schema}: {len(those)} of {len(found)} answered")
        answered += len(those)
    print(f"{answered} of 300 answered, {answered / 3:.1f}%")
