"""An account is bound to the neighbour relation of its unit, whatever is charged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.ledger.books import account_of, bodies, let_go, request

from tacit import Histogram
from tacit.errors import Refused
from tacit.ledger import AccountName, Charge
from tacit.loss import Accounted, Pure, Relation, Zcdp, fixed_size, poisson, zcdp_of

ADDED = AccountName(("csv:/a",), "each row, add/remove")
REPLACED = AccountName(("csv:/b",), "person_id, replace")
UNNAMED = AccountName(("csv:/c",), "row")


def test_a_loss_of_the_other_relation_is_refused_and_writes_nothing(tmp_path: Path) -> None:
    for name, own, other in ((ADDED, poisson, fixed_size), (REPLACED, fixed_size, poisson)):
        account = account_of(tmp_path, Pure(1), name)
        before = len(bodies(tmp_path, "charge"))
        direct, plan = other(Pure(1), "0.1"), [(other(Pure("0.1"), "0.1"), 2)]
        converted = direct.approx(0), direct.zcdp(), direct.gdp(), zcdp_of([(other(Pure(1), "0.1"), 2)], "1e-6")
        for wrong in (direct, Accounted.of(plan), *converted):
            with pytest.raises(Refused, match="do not add up"):
                account.charge(request("wrong", wrong))
        assert len(bodies(tmp_path, "charge")) == before
        right = own(Pure(1), "0.1")
        for digest, loss in (("direct", right), ("converted", right.approx(0))):
            charge = account.charge(request(digest, loss))
            assert isinstance(charge, Charge)
            assert charge.loss == Pure(right.approx(0).exact_epsilon)  # an amount: entries are written as they were
        with pytest.raises(Refused, match="not stated under any relation"):
            account.charge(request("plain", Pure("0.1"), relation=None))
        hidden = account.filter().relation
        assert isinstance(account.charge(request("plain", Pure("0.1"), relation=hidden)), Charge)


def test_a_mechanism_s_loss_is_charged_only_with_its_relation(tmp_path: Path) -> None:
    """A histogram costs ε when a person is added and 2ε when one is replaced, and its loss does not say which."""
    account, told = account_of(tmp_path, Pure(3), REPLACED), Relation.ADD_REMOVE
    loss = Histogram(Pure(1), told, ("a", "b")).loss
    for relation in (None, told):
        with pytest.raises(Refused, match="do not add up"):
            account.charge(request("q", loss, relation=relation))
    assert bodies(tmp_path, "charge") == []


def test_a_request_that_says_another_relation_is_refused(tmp_path: Path) -> None:
    account = account_of(tmp_path, Zcdp(1), ADDED)
    with pytest.raises(Refused, match="stated under replace"):
        account.charge(replace(request("q", Zcdp("0.1")), relation=Relation.REPLACE))
    assert isinstance(account.charge(replace(request("q", Zcdp("0.1")), relation=Relation.ADD_REMOVE)), Charge)


def test_an_account_without_a_relation_takes_no_loss_that_is_proven_for_one(tmp_path: Path) -> None:
    account = account_of(tmp_path, Pure(1), UNNAMED)
    with pytest.raises(Refused, match="names no neighbour relation"):
        account.charge(request("q", poisson(Pure(1), "0.1")))
    assert isinstance(account.charge(request("q", Pure("0.1"), relation=None)), Charge)


def test_the_relation_is_read_again_from_a_ledger_that_was_closed(tmp_path: Path) -> None:
    """Entries are as they were before relations were checked: the unit's words hold it."""
    account_of(tmp_path, Pure(1), ADDED)
    assert set(bodies(tmp_path, "open")[0]) == {
        "account", "budget", "kind", "number", "previous", "sources", "time", "unit",
    }  # fmt: skip
    found = account_of(tmp_path, Pure(1), ADDED)
    assert found.filter().relation is Relation.ADD_REMOVE
    with pytest.raises(Refused, match="do not add up"):
        found.charge(request("wrong", fixed_size(Pure(1), "0.1")))


def test_a_budget_that_states_its_own_relation_is_not_written(tmp_path: Path) -> None:
    """An entry has no place for it: the unit's words hold it."""
    for relation in Relation:
        with pytest.raises(Refused, match="its own neighbour relation"):
            account_of(tmp_path, Pure(1, relation=relation), ADDED)
    assert bodies(tmp_path, "open") == []


def test_a_charge_is_found_again_by_its_amount(tmp_path: Path) -> None:
    """A run that died is taken up again where the loss has a relation of its own, as where it has none."""
    account = account_of(tmp_path, Pure(1), ADDED)
    wanted = request("q", poisson(Pure(1), "0.1").approx(0))
    first = account.charge(wanted)
    assert isinstance(first, Charge)
    let_go(account, first)
    again = account.charge(wanted)
    assert isinstance(again, Charge)
    assert len(bodies(tmp_path, "charge")) == 1
