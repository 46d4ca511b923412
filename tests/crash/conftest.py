"""Processes are killed with a ledger of either kind."""

from tests.ledger.both import kept_in as kept_in
from tests.ledger.both import ledger_server as ledger_server
from tests.ledger.both import nothing_left as nothing_left
