"""Rows that Spark reads, from the way a steward writes it: `spark = "spark://host:7077"` in [dataset]."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from tacit.errors import Refused
from tacit.schema.description import Source
from tacit.schema.names import check_name

SPARK = "spark"
MASTERS = 'spark = "spark://host:7077", the address of a master; or "local[4]", for four cores of this machine.'
_MASTER = re.compile(r"spark://[\w.\-\[\]:]+:\d+(,[\w.\-\[\]:]+:\d+)*|local(\[(\d+|\*)\])?|yarn|k8s://[\w.\-:/\[\]]+")
_CATALOGUE = 'source = "spark" with table = "database.visits", for a table of Spark\'s catalogue.'


def read_master(written: str | None) -> str | None:
    """The cluster that reads the tables; None where the data set is not Spark's to read."""
    if written is not None and not _MASTER.fullmatch(written):
        raise Refused("a Spark master", "It is not the address of one.", MASTERS)
    return written


def read_catalogue_source(master: str | None, table: str | None, delimiter: str | None) -> Source:
    """The source `"spark"`: a table of the catalogue, by its name with its database."""
    if master is None:
        raise Refused('"spark" as a source', "The data set does not say which cluster.", f"in [dataset], {MASTERS}")
    parts = (table or "").split(".")
    if len(parts) != 2 or delimiter is not None:
        raise Refused("a table of Spark's catalogue", "It is named with its database, and no more.", _CATALOGUE)
    for part in parts:
        check_name(part)
    return Source(SPARK, Path("catalogue"), table=".".join(parts).lower(), host=master)


def read_by_spark(source: Source, master: str) -> Source:
    """A source of files, to be read by the cluster: the rows, and so the account, are the same."""
    if source.format != "parquet":
        raise Refused(
            f"a source of the format {source.format}",
            "Spark reads Parquet files and tables of its catalogue here.",
            f"a Parquet file or folder that every worker sees under the same path; or {_CATALOGUE}",
        )
    return replace(source, host=master)
