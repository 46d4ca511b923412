"""Certificates: signed, checked offline, and no field can be changed unnoticed."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import Refused
from tacit.ledger.certificate import Certificate, Statement
from tacit.ledger.signature import SigningKey, fingerprint, key_beside, present, sign, verify, verify_table

STATEMENT = Statement(
    query="SELECT region, COUNT(*) FROM visits GROUP BY region -- Zoë",
    plan="a3f1",
    unit="one patient, all visits; add/remove",
    mechanisms=({"name": "rounded gaussian", "variance": "81/4", "columns": ["count"], "joint": True, "bound": None},),
    loss={"zcdp": {"rho": "1/200", "delta": "0/1"}},
    price="ε = 0.5 at δ = 1e-9; 1.6% of the budget",
    entry=12,
    chain="c0ffee",
    claims=("The noise is drawn exactly.", "At most 40 visits a patient count."),
    time="2026-11-15T10:02:00+00:00",
    asked="SELECT COUNT(*) FROM visits",
    ledger="9e9e5a",
    shown="d16e57",
    stored="5107ed",
)


@pytest.fixture
def key(tmp_path: Path) -> SigningKey:
    return SigningKey.open(key_beside(tmp_path / "share" / "ledger.sqlite"))


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every value in a JSON tree that is not a list or an object, with the way to it."""
    if isinstance(value, (dict, list)):
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, (*path, step))
    else:
        yield path, value


def changed(tree: Any, path: tuple[Any, ...], value: Any) -> Any:
    whole = copy.deepcopy(tree)
    inner = whole
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return whole


def is_accepted(tree: Any, public_key: bytes | None) -> bool:
    text = json.dumps(tree, sort_keys=True, indent=2) + "\n"
    try:
        return verify(Certificate.from_json(text), public_key).holds
    except Refused:
        return False


def test_a_certificate_is_genuine_until_any_leaf_is_changed(key: SigningKey) -> None:
    certificate = present(present(sign(STATEMENT, key), "csv", b"a,b\n", key), "parquet", b"PAR1", key)
    tree = json.loads(certificate.to_json())
    assert is_accepted(tree, key.public_key)
    found = list(leaves(tree))
    assert len(found) >= 28
    for path, value in found:
        others = [True, None, 0, "", "0" * 64, [], {}]
        if isinstance(value, str) and value:
            others += [value[:-1], value + " ", ("1" if value[0] != "1" else "2") + value[1:], value.upper()]
        elif isinstance(value, int):
            others += [value + 1, float(value), str(value)]
        for other in others:
            if other == value and type(other) is type(value):
                continue
            for expected in (key.public_key, None):
                assert not is_accepted(changed(tree, path, other), expected), (path, other)


def test_nothing_can_be_added_or_left_out(key: SigningKey) -> None:
    tree = json.loads(sign(STATEMENT, key).to_json())
    for whole, part in ((tree, "signature"), (tree, "public_key"), (tree, "statement")):
        assert not is_accepted({name: value for name, value in whole.items() if name != part}, None)
    for name in tree["statement"]:
        rest = {other: value for other, value in tree["statement"].items() if other != name}
        assert not is_accepted(tree | {"statement": rest}, None)
    assert not is_accepted(tree | {"rows": 412098}, None)
    assert not is_accepted(changed(tree, ("statement", "rows"), 412098), None)
    assert not is_accepted(changed(tree, ("statement", "mechanisms"), []), None)
    text = sign(STATEMENT, key).to_json()
    assert verify(Certificate.from_json(text.strip())).holds
    for spelled in (
        text.replace("\n", ""),
        text.replace('"entry"', '"entry": 1, "entry"'),
        text + "x",
        "",
        "[]",
        "1",
        "[" * 10**5,
    ):
        with pytest.raises(Refused, match="cannot be read"):
            Certificate.from_json(spelled)


def test_another_key_is_noticed(key: SigningKey, tmp_path: Path) -> None:
    other = SigningKey.open(tmp_path / "other.key")
    forged = sign(STATEMENT, other)
    verdict = verify(forged, key.public_key)
    assert not verdict.holds
    assert fingerprint(other.public_key) in verdict.sentence
    assert fingerprint(key.public_key) in verdict.sentence
    alone = verify(forged, None)
    assert alone.holds
    assert "compare" in str(alone)
    assert not verify(replace(forged, public_key=key.public_key), key.public_key).holds
    assert not verify(replace(forged, public_key=b"short"), None).holds
    assert "Genuine" in verify(sign(STATEMENT, key), key.public_key).sentence


def test_it_says_nothing_about_the_data() -> None:
    """The fields, one by one: none for a number of rows, none for a hash of data."""
    assert {field.name for field in fields(Statement)} == {
        *("version", "query", "plan", "unit", "mechanisms", "loss", "price", "entry", "chain", "claims", "time"),
        *("asked", "ledger", "shown", "stored"),  # of the answer that was shown, and of the noisy release
    }


@settings(max_examples=40)
@given(st.text(), st.dictionaries(st.text(), st.integers() | st.text() | st.booleans() | st.none(), max_size=4))
def test_it_survives_writing(query: str, mechanism: dict[str, Any]) -> None:
    statement = replace(STATEMENT, query=query, mechanisms=(mechanism, mechanism))
    certificate = Certificate(statement, b"\x01" * 32, b"\x02" * 64)
    assert Certificate.from_json(certificate.to_json()) == certificate


@pytest.mark.parametrize(
    "wrong",
    [
        {"query": 1},
        {"entry": "12"},
        {"entry": True},
        {"claims": "one"},
        {"mechanisms": ({"scale": float("nan")},)},
        {"mechanisms": ({"scale": object()},)},
        {"mechanisms": ("laplace",)},
        {"loss": None},
        {"version": 3},
        {"version": 1},
        {"version": True},
        {"shown": None},
        {"shown": 1},
    ],
)
def test_what_cannot_be_written_cannot_be_stated(wrong: dict[str, Any]) -> None:
    with pytest.raises(Refused, match="cannot be read"):
        replace(STATEMENT, **wrong)


def test_the_key_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "signing.key"
    key = SigningKey.open(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["signing.key"]
    assert SigningKey.open(path).public_key == key.public_key
    path.chmod(0o644)
    with pytest.raises(Refused, match="Others can read it"):
        SigningKey.open(path)
    path.chmod(0o600)
    for content in ("", "not a key", "tacit signing key 1 00ff", "é"):
        path.write_text(content)
        with pytest.raises(Refused, match="signing key"):
            SigningKey.open(path)
    with pytest.raises(Refused):
        SigningKey.open(tmp_path)


def test_a_statement_keeps_its_own_copy() -> None:
    mechanism = {"name": "laplace"}
    statement = replace(STATEMENT, mechanisms=(mechanism,))
    mechanism["name"] = "none"
    assert statement.mechanisms[0]["name"] == "laplace"


def test_a_file_is_the_answer_octet_by_octet(key: SigningKey, tmp_path: Path) -> None:
    certificate = present(sign(STATEMENT, key), "csv", b"region,count\nnorth,12\n", key)
    again = Certificate.from_json(certificate.to_json())
    assert verify(again, key.public_key).holds
    assert verify_table(again, b"region,count\nnorth,12\n", "answer.csv").holds
    for other in (b"region,count\nnorth,13\n", b"region,count\nnorth,12", b""):
        assert not verify_table(again, other, "answer.csv").holds
    assert not verify_table(sign(STATEMENT, key), b"region,count\nnorth,12\n", "answer.csv").holds
    stranger = SigningKey.open(tmp_path / "other.key")
    for forged in (
        present(sign(STATEMENT, key), "csv", b"mine", stranger),  # another's signature
        replace(sign(replace(STATEMENT, shown="0"), key), presentations=certificate.presentations),  # another answer's
        replace(certificate, presentations=(replace(certificate.presentations[0], format="json"),)),
    ):
        assert not verify(forged, key.public_key).holds


def test_a_certificate_of_version_1_holds_as_what_it_was() -> None:
    """One that was signed before numbers were bound; it cannot be dressed up as one that binds some."""
    text = (Path(__file__).parent / "version_1.json").read_text()
    old = Certificate.from_json(text)
    assert verify(old).holds
    assert old.to_json() == text
    assert not old.statement.binds_numbers
    verdict = verify_table(old, b"anything", "answer.csv")
    assert not verdict.holds
    assert "version 1" in str(verdict)
    tree = json.loads(text)
    for place, value in ((("presentations",), []), (("statement", "shown"), "0"), (("statement", "time"), "now")):
        with pytest.raises(Refused, match="cannot be read"):
            Certificate.from_json(json.dumps(changed(tree, place, value), sort_keys=True, indent=2))
    assert not is_accepted(changed(tree, ("statement", "version"), 2), None)
