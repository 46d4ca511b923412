"""The reader of a description file: from TOML to the frozen types, or a refusal that names every key to change."""

from __future__ import annotations

import os
import tomllib
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from tacit.errors import Refused
from tacit.loss.families.loss import Relation
from tacit.schema.budgets import read_analysts, read_breaker, read_budget, read_floor
from tacit.schema.description import FLOOR, Description, Lookup, Source, Table, Unit
from tacit.schema.file_identity import file_names
from tacit.schema.file_models import CURES, DatasetFile, DescriptionFile, UnitFile, read_file
from tacit.schema.lookups import LookupKeys, ReadPublic, read_lookups
from tacit.schema.names import Problems, check_name, clashes
from tacit.schema.sources import is_database, read_master
from tacit.schema.tables import Place, read_tables


def read_description(path: Path | str, read_public: ReadPublic | None = None) -> Description:
    """The data set that a file describes. No private row is read, and no source needs to exist yet.

    `read_public` reads a column of a public table, for keys declared by a lookup.
    """
    place = Path(os.path.realpath(path))
    problems = Problems(place.name)
    written = _grammatical(_toml(place), problems)
    unit = _unit(written.dataset.unit, problems)
    budget, promise = read_budget(written.dataset.budget, problems)
    spark = problems.attempt(("dataset", "spark"), None, read_master, written.dataset.spark)
    here = Place(place.parent, written.dataset.name, spark)
    lookups = read_lookups(written.lookups, here, problems)
    keys = LookupKeys(lookups, read_public)
    tables = read_tables(written.tables, unit, here, keys.promise, problems)
    _check_together(tables, lookups, problems)
    description = Description(
        name=_name(written.dataset, problems),
        path=place,
        unit=unit,
        budget=budget,
        promise=promise,
        tables=tables,
        lookups=lookups,
        analysts=read_analysts(written.dataset.analysts, problems),
        ledger=_ledger(written.dataset.ledger, place.parent, problems),
        floor=problems.attempt(("dataset", "floor"), FLOOR, read_floor, written.dataset.floor),
        breaker=problems.attempt(("dataset", "breaker"), None, read_breaker, written.dataset.breaker),
    )
    problems.refuse_if_any()
    if not lookups:
        return description
    tables = read_tables(written.tables, unit, here, keys.read, problems)
    problems.refuse_if_any()
    return replace(description, tables=tables)


def _toml(path: Path) -> dict[str, object]:
    wanted = "a TOML file, as `tacit init` writes it."
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise Refused(str(path), "There is no such file.", wanted) from None
    except OSError:
        raise Refused(path.name, "The file cannot be read.", wanted) from None
    except tomllib.TOMLDecodeError as error:
        raise Refused(path.name, f"It is not TOML: {error}.", wanted) from None
    except (ValueError, RecursionError):
        raise Refused(path.name, "It is not TOML: a text, number or nesting in it cannot be read.", wanted) from None


def _grammatical(values: dict[str, object], problems: Problems) -> DescriptionFile:
    written = read_file(values, problems)
    problems.refuse_if_any()
    return written


def _unit(written: UnitFile, problems: Problems) -> Unit:
    place = ("dataset", "unit")
    if (written.id is None) == (written.row is None):
        problems.add(
            place, "It must name one column, or say that each row is a person.", 'id = "patient_id", or row = true.'
        )
    if written.id is not None:
        problems.attempt((*place, "id"), None, check_name, written.id)
    if not written.hides.strip():
        problems.add((*place, "hides"), "It is empty.", CURES[(*place, "hides")])
    return Unit(Relation(written.relation), written.hides, written.id)


def _name(written: DatasetFile, problems: Problems) -> str:
    problems.attempt(("dataset", "name"), None, check_name, written.name)
    return written.name


def _ledger(written: str | None, folder: Path, problems: Problems) -> Path | str | None:
    if written is None or is_database(written):
        return written
    if not written.strip() or not written.isprintable() or "://" in written:
        accepted = 'ledger = "ledger.sqlite", or "postgresql://host/database", or leave it out.'
        problems.add(("dataset", "ledger"), "It is not a path.", accepted)
    return Path(os.path.realpath(folder / written))


def _check_together(tables: dict[str, Table], lookups: dict[str, Lookup], problems: Problems) -> None:
    """Note names that two tables share, rows declared both private and public, and rows with two kinds of owner."""
    for name in tables.keys() & lookups.keys():
        problems.add(("lookups", name), "A private table has this name.", "another name.")
    for first, second in clashes([*tables, *lookups]):
        place = ("tables" if second in tables else "lookups", second)
        problems.add(place, f"To SQL it is the same name as {first}.", "names that differ by more than case.")
    private: dict[str, Table] = {}
    for table in tables.values():
        other = private.setdefault(table.source.identity, table)
        if other.owner != table.owner:
            why = f"The rows of {other.name} are the same, and there they belong to others."
            problems.add(("tables", table.name, "unit"), why, "the same unit for both.")
    for lookup in lookups.values():
        if any(_share_rows(lookup.source, table.source) for table in tables.values()):
            why = "These rows are private: a table has the same source."
            problems.add(("lookups", lookup.name, "source"), why, "a source that is public.")


def _share_rows(one: Source, other: Source) -> bool:
    """Whether two sources are the same, or one is a pattern that the other fits, or a file is of both."""
    paths = str(one.path), str(other.path)
    fits = fnmatchcase(paths[0], paths[1]) or fnmatchcase(paths[1], paths[0])
    if one.identity == other.identity or (one.format == other.format == "parquet" and fits):
        return True
    return not {*file_names(one)}.isdisjoint(file_names(other))
