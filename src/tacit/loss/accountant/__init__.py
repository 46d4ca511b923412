"""The numeric accountant: what many releases cost together, as certified brackets."""

from tacit.loss.accountant.account import Account, account
from tacit.loss.accountant.bracket import Bracket

__all__ = ["Account", "Bracket", "account"]
