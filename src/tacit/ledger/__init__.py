"""The ledger: one durable budget for each data set, the charges to it, and the signed certificates of releases."""

from tacit.ledger.account import BudgetAccount as BudgetAccount
from tacit.ledger.breaker import Breaker as Breaker
from tacit.ledger.history import Entry as Entry
from tacit.ledger.ledger import Ledger as Ledger
from tacit.ledger.places import default_places as default_places
from tacit.ledger.registry import AccountName as AccountName
from tacit.ledger.request import Charge as Charge
from tacit.ledger.request import Request as Request
from tacit.ledger.request import Stored as Stored
from tacit.ledger.request import Terms as Terms
from tacit.ledger.verification import Verification as Verification
