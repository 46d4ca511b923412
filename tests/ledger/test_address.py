"""How a shared ledger is written: one name for each place, and no password anywhere."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.ledger.books import FILE_ONLY

from tacit.errors import Refused
from tacit.ledger import Ledger
from tacit.ledger.places import Address, beside_of, read_place, witness_of

pytestmark = FILE_ONLY  # nothing is opened


def address(written: str) -> Address:
    place = read_place(written)
    assert isinstance(place, Address)
    return place


@pytest.mark.parametrize(
    ("written", "place", "told"),
    [
        (
            "postgresql://db.example.org/books",
            "postgresql://db.example.org:5432/books",
            {"host": "db.example.org", "port": "5432", "dbname": "books"},
        ),
        (
            "postgres://ann@DB.example.org:6000/my%20books?sslmode=verify-full",
            "postgresql://db.example.org:6000/my%20books",
            {"host": "db.example.org", "port": "6000", "dbname": "my books", "user": "ann", "sslmode": "verify-full"},
        ),
        (
            "postgresql:///books?host=/run/postgresql",
            "postgresql:///books?host=/run/postgresql&port=5432",
            {"host": "/run/postgresql", "port": "5432", "dbname": "books"},
        ),
        ("postgresql://[::1]:99/b", "postgresql://[::1]:99/b", {"host": "::1", "port": "99", "dbname": "b"}),
        ("postgresql:///?service=books", "postgresql:///?service=books", {"service": "books"}),
    ],
)
def test_what_an_address_says(written: str, place: str, told: dict[str, str]) -> None:
    assert address(written).place == place
    assert address(written).parameters() == told


@pytest.mark.parametrize(
    "written",
    [
        "postgresql://",
        "postgresql:///books",
        "postgresql://host/",
        "postgresql://host/a/b",
        "postgresql://host:port/books",
        "postgresql://host/books?service=x",
        "postgresql://host/books?host=/tmp",
        "postgresql://host/books?options=-cfsync%3Doff",
        "postgresql://host/books?sslmode=a&sslmode=b",
        "postgresql://host/books#part",
        "mysql://host/books",
        Path("postgresql://host/books"),
    ],
)
def test_what_is_no_address_is_refused(written: str | Path) -> None:
    with pytest.raises(Refused):
        read_place(written)


@pytest.mark.parametrize(
    "written",
    ["postgresql://ann:s3cret@host/books", "postgresql://host/books?password=s3cret", "postgresql://:s3cret@h/b"],
)
def test_a_password_is_refused_and_not_repeated(written: str) -> None:
    with pytest.raises(Refused, match="PGPASSWORD") as refusal:
        Ledger.open(written)
    assert "s3cret" not in str(refusal.value)


def test_a_shared_ledger_has_its_own_witness_and_folder_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R41: named for the place, whoever logs in; so another ledger in that place meets the witness of the first."""
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "witness"))
    one, other = address("postgresql://host/one"), address("postgresql://host/other")
    assert witness_of(one) == witness_of(address("postgresql://ann@HOST:5432/one")) != witness_of(other)
    assert witness_of(one).parent == tmp_path
    assert beside_of(one).parent != beside_of(other).parent
    assert beside_of(one).parent.parent == tmp_path / "home"


def test_a_missing_driver_is_refused_with_the_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "tacit.ledger.postgres_database", raising=False)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(Refused, match=r"pip install .*tacit\[postgres\]"):
        Ledger.open("postgresql://host/books")


def test_a_server_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="could not be read or written"):
        Ledger.open(f"postgresql:///books?host={tmp_path}", tmp_path / "witness")
    assert not (tmp_path / "witness").exists()
