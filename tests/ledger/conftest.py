"""Every test of a ledger is one of both kinds of ledger, unless it says otherwise (`books.FILE_ONLY`)."""

from tests.ledger.both import kept_in as kept_in
from tests.ledger.both import ledger_server as ledger_server
from tests.ledger.both import nothing_left as nothing_left
