"""One ledger in PostgreSQL, several curators: one budget, each with a witness of its own."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import psycopg
import pytest
from tests.ledger.books import NAME, SHARED_ONLY, bodies, places, request, spent
from tests.ledger.kept import InPostgres

from tacit.errors import Refused
from tacit.ledger import Charge, Ledger, Stored
from tacit.ledger.store import Unavailable
from tacit.loss import Pure, Relation

pytestmark = SHARED_ONLY
GRANTS = (
    "GRANT USAGE ON SCHEMA tacit_ledger TO curators",
    "GRANT SELECT ON ALL TABLES IN SCHEMA tacit_ledger TO curators",
    "GRANT INSERT ON tacit_ledger.entries, tacit_ledger.payloads TO curators",
    "GRANT UPDATE ON tacit_ledger.turn TO curators",
)


def joined(folder: Path, machine: str) -> Ledger:
    """The ledger as a new machine opens it, with the steward's word where it has entries."""
    place, witness = places(folder)[0], folder / machine / "witness"
    if not witness.exists():
        Ledger.accept_witness(place, witness)
    return Ledger.open(place, witness)


def test_curators_see_each_others_charges_and_free_repeats(tmp_path: Path) -> None:
    """R41, R43."""
    with Ledger.open(places(tmp_path)[0], tmp_path / "first" / "witness") as ours:
        account = ours.account(NAME, Pure(1))
        charge = account.charge(request("q", Pure("0.6")))
        assert isinstance(charge, Charge)
        account.store(charge, b"answer")
        with joined(tmp_path, "second") as theirs:
            same = theirs.account(NAME, Pure(1))
            assert same.id == account.id
            assert same.filter().spent == Pure("0.6", relation=Relation.ADD_REMOVE)
            free = same.charge(request("q", Pure("0.6"), analyst="bob"))
            assert isinstance(free, Stored)
            assert free.payload == b"answer"
            with pytest.raises(Refused, match="is left"):
                same.charge(request("other", Pure("0.5"), analyst="bob"))
            same.charge(request("other", Pure("0.4"), analyst="bob"))
            assert theirs.keyed("size 3") == ours.keyed("size 3")
        assert account.filter().spent == Pure(1, relation=Relation.ADD_REMOVE)
    assert spent(tmp_path, account.id) == {"epsilon": Fraction(1)}


def test_a_machine_that_joins_needs_the_stewards_word(tmp_path: Path) -> None:
    """R41: it has no witness, so it cannot know whether these are all the entries."""
    place, witness = places(tmp_path)[0], tmp_path / "second" / "witness"
    with Ledger.open(place, tmp_path / "first" / "witness") as ours:
        ours.account(NAME, Pure(1))
    with pytest.raises(Refused, match="new to the ledger"):
        Ledger.open(place, witness)
    assert not witness.exists()
    assert Ledger.accept_witness(place, witness).holds
    Ledger.open(place, witness).close()


def test_a_restored_ledger_is_refused_by_every_curator_that_saw_more(tmp_path: Path, kept_in: InPostgres) -> None:
    """R41: a curator that saw no more than was restored cannot know; those that did, do."""
    place = places(tmp_path)[0]
    Ledger.open(place, tmp_path / "first" / "witness").close()
    for machine in ("first", "second", "third"):
        with joined(tmp_path, machine) as ledger:
            ledger.account(NAME, Pure(1)).charge(request(machine, Pure("0.1")))
        if machine == "second":
            backup = kept_in.back_up(tmp_path)
    joined(tmp_path, "first").close()
    kept_in.restore(tmp_path, backup)
    for machine in ("first", "third"):
        with pytest.raises(Refused, match="restored from a backup"):
            joined(tmp_path, machine)
    joined(tmp_path, "second").close()


def test_curators_need_few_rights_and_get_no_others(tmp_path: Path, kept_in: InPostgres) -> None:
    """R41: whoever may add to the ledger may not change it, nor switch its guards off."""
    database, witness = kept_in.database(tmp_path), places(tmp_path)[1]
    for statement in ("DROP ROLE IF EXISTS curator", "DROP ROLE IF EXISTS curators", "CREATE ROLE curators"):
        kept_in.execute(tmp_path, statement)
    kept_in.execute(tmp_path, "CREATE ROLE curator LOGIN IN ROLE curators")
    place = kept_in.server.address(database, "curator")
    with pytest.raises(Unavailable, match="CREATE on the database"):
        Ledger.open(place, witness)
    assert not kept_in.exists(tmp_path)
    Ledger.open(places(tmp_path)[0], witness).close()
    with pytest.raises(Unavailable, match="USAGE on the schema tacit_ledger"):
        Ledger.open(place, witness)
    for statement in GRANTS:
        kept_in.execute(tmp_path, statement)
    with Ledger.open(place, witness) as ledger:
        account = ledger.account(NAME, Pure(1))
        charge = account.charge(request("q", Pure("0.1")))
        assert isinstance(charge, Charge)
        assert account.store(charge, b"answer").payload == b"answer"
        assert ledger.verify().holds
    with psycopg.connect(host=str(kept_in.server.folder), dbname=database, user="curator", autocommit=True) as role:
        for statement in (
            "UPDATE tacit_ledger.entries SET hash = ''",
            "DELETE FROM tacit_ledger.payloads",
            "TRUNCATE tacit_ledger.meta",
            "INSERT INTO tacit_ledger.meta VALUES ('secret2', '')",
            "ALTER TABLE tacit_ledger.entries DISABLE TRIGGER ALL",
            "DROP TRIGGER entries_stay ON tacit_ledger.entries",
            "DROP SCHEMA tacit_ledger CASCADE",
            "CREATE TABLE tacit_ledger.mine ()",
            "SET session_replication_role = replica",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                role.execute(statement)
    kept_in.execute(tmp_path, "DROP OWNED BY curators")
    assert len(bodies(tmp_path, "charge")) == 1


def test_a_server_that_does_not_wait_for_its_disk_is_refused(tmp_path: Path, kept_in: InPostgres) -> None:
    """R33: durable means durable; a role or database that asks for less is overruled."""
    database = kept_in.database(tmp_path)
    kept_in.execute(tmp_path, f"ALTER DATABASE {database} SET synchronous_commit = off")
    with Ledger.open(*places(tmp_path)) as ledger, ledger._chain.database.reading() as connection:
        assert connection.execute("SHOW synchronous_commit").fetchone() == ("on",)
    kept_in.execute(tmp_path, f"ALTER DATABASE {database} RESET synchronous_commit")
    try:
        kept_in.execute(tmp_path, "ALTER SYSTEM SET fsync = off")
        kept_in.found(tmp_path, "SELECT pg_reload_conf(), pg_sleep(0.2)")
        with pytest.raises(Refused, match="fsync = off"):
            Ledger.open(*places(tmp_path))
    finally:
        kept_in.execute(tmp_path, "ALTER SYSTEM RESET fsync")
        kept_in.found(tmp_path, "SELECT pg_reload_conf(), pg_sleep(0.2)")
    Ledger.open(*places(tmp_path)).close()


def test_a_schema_that_is_no_ledger_is_refused(tmp_path: Path, kept_in: InPostgres) -> None:
    for statements in (
        ["CREATE SCHEMA tacit_ledger"],
        ["CREATE TABLE tacit_ledger.meta (name text, value text)"],
        ["INSERT INTO tacit_ledger.meta VALUES ('version', '0')"],
    ):
        for statement in statements:
            kept_in.execute(tmp_path, statement)
        with pytest.raises(Refused, match="no ledger, or one of another version"):
            Ledger.open(*places(tmp_path))
    assert not places(tmp_path)[1].exists()
