"""Every wrong accountant is found, no right one is: by enumeration, or by sampled losses at a stated rate."""

from __future__ import annotations

import pytest
from tests.audit.accounting.broken import BROKEN_ACCOUNTANTS
from tests.audit.accounting.sound import SOUND_ACCOUNTANTS

from tacit.audit.auditor import Effort
from tacit.audit.stages.accountants import Accounting, check_accountant
from tacit.audit.verdict import Outcome

EFFORT = Effort(1e-6, 200_000)


@pytest.mark.parametrize("accounting", BROKEN_ACCOUNTANTS, ids=lambda accounting: accounting.name)
def test_wrong_accountants_are_found(accounting: Accounting) -> None:
    found = check_accountant(accounting, EFFORT)
    assert found.is_broken
    assert found.evidence is not None
    assert found.evidence["delta at least"] > found.evidence["claimed delta"]


@pytest.mark.parametrize("accounting", SOUND_ACCOUNTANTS, ids=lambda accounting: accounting.name)
def test_right_accountants_pass(accounting: Accounting) -> None:
    found = check_accountant(accounting, EFFORT)
    assert found.outcome is Outcome.PASSED
    assert found.could_see
