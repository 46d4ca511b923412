"""Entries that were read before are checked again: what an open handle remembers never hides an edit."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.ledger.books import account_of, request
from tests.ledger.kept import Kept

from tacit.errors import Refused
from tacit.loss import Pure


def test_an_edit_behind_an_open_handle_is_noticed_when_the_entry_is_read_again(tmp_path: Path, kept_in: Kept) -> None:
    """R41: the same handle read the entry before the edit, and read it well."""
    account = account_of(tmp_path, Pure(1))
    account.charge(request("a", Pure("0.1")))
    (read,) = account.history()
    assert read.analyst == "ann"
    kept_in.edit(tmp_path, "UPDATE entries SET body = replace(body, '\"ann\"', '\"bob\"') WHERE number = 2")
    with pytest.raises(Refused, match="not what its hash says"):
        account.history()
