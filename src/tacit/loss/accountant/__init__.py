"""The numeric accountant: what many releases cost together, as certified brackets."""

from tacit.loss.accountant.account import Account, account
from tacit.loss.accountant.bracket import Bracket
from tacit.loss.accountant.calibrate import largest_rate, least_parameter, most_times

__all__ = ["Account", "Bracket", "account", "largest_rate", "least_parameter", "most_times"]
