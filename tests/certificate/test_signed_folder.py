"""A folder under one certificate: any change, removal, addition or exchange of files is detected."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.certificate.test_certificate import STATEMENT

from tacit.ledger.certificate import Certificate
from tacit.ledger.signature import (
    FOLDER,
    SigningKey,
    is_of_folder,
    present,
    present_folder,
    sign,
    verify,
    verify_folder,
)

FILES = {"region.csv": b"region,n\nnorth,12\n", "ward.csv": b"ward,n\na,7\n", "index.html": b"<!DOCTYPE html>"}


@pytest.fixture
def key(tmp_path: Path) -> SigningKey:
    return SigningKey.open(tmp_path / "signing.key")


@pytest.fixture
def signed(key: SigningKey) -> Certificate:
    return present_folder(sign(STATEMENT, key), FILES, key)


@pytest.fixture
def place(tmp_path: Path, signed: Certificate) -> Path:
    """The folder as written; the path of its certificate."""
    folder = tmp_path / "publication"
    folder.mkdir()
    for name, octets in FILES.items():
        (folder / name).write_bytes(octets)
    (folder / "certificate.json").write_text(signed.to_json(), encoding="utf-8")
    return folder / "certificate.json"


def verdict(place: Path) -> tuple[bool, str]:
    """The verdict for a reader who has only the folder."""
    certificate = Certificate.from_json(place.read_text(encoding="utf-8"))
    if not verify(certificate).holds:
        return False, "not genuine"
    found = verify_folder(certificate, place)
    return found.holds, found.sentence


def test_a_folder_as_it_was_written_holds(place: Path) -> None:
    assert verdict(place) == (True, "All 3 files beside it are as they were written, byte for byte; no others.")
    place.rename(place.with_name("signed.json"))
    assert verdict(place.with_name("signed.json"))[0]
    place.with_name(".DS_Store").write_bytes(b"a file browser was here")
    assert verdict(place.with_name("signed.json"))[0]


def test_what_was_changed_taken_off_or_added_is_named(place: Path) -> None:
    place.with_name("region.csv").write_bytes(b"region,n\nnorth,13\n")
    place.with_name("ward.csv").unlink()
    place.with_name("more").mkdir()
    holds, sentence = verdict(place)
    assert not holds
    assert sentence == "Not as it was signed: region.csv (changed); ward.csv (missing); more (not signed for)."


@pytest.mark.parametrize("name", FILES)
def test_every_octet_of_every_file_counts(place: Path, name: str) -> None:
    octets = bytearray(FILES[name])
    for spot in range(len(octets)):
        changed = bytes([*octets[:spot], octets[spot] ^ 1, *octets[spot + 1 :]])
        place.with_name(name).write_bytes(changed)
        assert not verdict(place)[0]
    place.with_name(name).write_bytes(octets)
    assert verdict(place)[0]


def test_files_that_change_places_are_seen(place: Path) -> None:
    place.with_name("region.csv").write_bytes(FILES["ward.csv"])
    place.with_name("ward.csv").write_bytes(FILES["region.csv"])
    assert "region.csv, ward.csv (changed)" in verdict(place)[1]


def test_a_file_taken_off_together_with_its_line_is_seen(place: Path, signed: Certificate) -> None:
    """The signature over the statement does not cover the lines: the one for their list does."""
    for gone in (("ward.csv",), ("ward.csv", FOLDER), (FOLDER,)):
        lines = tuple(line for line in signed.presentations if line.format not in gone)
        place.write_text(replace(signed, presentations=lines).to_json(), encoding="utf-8")
        place.with_name("ward.csv").unlink(missing_ok=True)
        holds, sentence = verdict(place)
        assert not holds
        assert "lines of this certificate were taken off" in sentence


def test_lines_of_two_publications_of_one_release_do_not_mix(place: Path, signed: Certificate, key: SigningKey) -> None:
    other = present_folder(sign(STATEMENT, key), {**FILES, "ward.csv": b"ward,n\na,8\n"}, key)
    mixed = tuple(
        theirs if ours.format == "ward.csv" else ours
        for ours, theirs in zip(signed.presentations, other.presentations, strict=True)
    )
    place.write_text(replace(signed, presentations=mixed).to_json(), encoding="utf-8")
    place.with_name("ward.csv").write_bytes(b"ward,n\na,8\n")
    assert "taken off" in verdict(place)[1]


def test_names_that_lead_elsewhere_are_not_followed(place: Path, key: SigningKey) -> None:
    for name in ("../signing.key", "/etc/hostname", "a/b.csv", ".."):
        certificate = present_folder(sign(STATEMENT, key), {name: b"x"}, key)
        assert not verify_folder(certificate, place).holds


def test_a_certificate_alone_says_that_its_files_are_elsewhere(tmp_path: Path, signed: Certificate) -> None:
    (tmp_path / "alone").mkdir()
    found = verify_folder(signed, tmp_path / "alone" / "certificate.json")
    assert not found.holds
    assert found.sentence == "None of its 3 files is beside it: --table FILE checks one by itself."


def test_certificates_of_answers_are_of_no_folder(signed: Certificate, key: SigningKey) -> None:
    answer = present(sign(STATEMENT, key), "csv", b"a\n", key)
    assert not is_of_folder(answer)
    assert not is_of_folder(sign(STATEMENT, key))
    assert is_of_folder(signed)
