"""The numeric accountant: what many releases cost together, as certified brackets."""

from tacit.loss.accountant.account import Account, account
from tacit.loss.accountant.plan_calibration import largest_rate, least_parameter, most_times
from tacit.loss.families.precision import Bracket

__all__ = ["Account", "Bracket", "account", "largest_rate", "least_parameter", "most_times"]
