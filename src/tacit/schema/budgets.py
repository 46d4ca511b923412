"""The budget that a steward writes, as the promise it is and as the currency it is kept in."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from tacit.errors import Refused
from tacit.exact import positive, proper
from tacit.loss.calibration import budget_from
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.loss import Loss
from tacit.loss.families.zcdp import Zcdp
from tacit.schema.file_models import BudgetFile
from tacit.schema.numbers import number_from
from tacit.schema.problems import Problems

_PLACE = ("dataset", "budget")
_FORMS = "{ epsilon = 1, delta = 1e-7 }, { epsilon = 1 }, { rho = 0.1 } or { rho = 0.1, delta = 1e-9 }."


def read_budget(written: BudgetFile, problems: Problems) -> tuple[Loss, Loss]:
    """The budget in the account's currency, and the promise as written.

    (ε, δ) is kept as approximate zCDP unless the currency says sums; ε alone is pure, ρ is zCDP with its δ.
    """
    if (written.epsilon is None) == (written.rho is None):
        problems.add(_PLACE, "It must name epsilon or rho, and not both.", _FORMS)
    _check_currency(written, problems)
    delta = None if written.delta is None else _read(written.delta, "delta", _delta, problems)
    if written.rho is not None:
        concentrated = Zcdp(_read(written.rho, "rho", positive, problems), delta or 0)
        return concentrated, concentrated
    epsilon = Fraction(1, 2) if written.epsilon is None else _read(written.epsilon, "epsilon", positive, problems)
    if delta is None:
        return Pure(epsilon), Pure(epsilon)
    promise = Approx(epsilon, delta)
    return (promise if written.currency == "sums" else budget_from(epsilon, delta)), promise


def _check_currency(written: BudgetFile, problems: Problems) -> None:
    fitting = ["zcdp", "sums"]
    if written.rho is not None:
        fitting.remove("sums")
    elif written.delta is None:
        fitting.remove("zcdp")
    if written.currency is not None and written.currency not in fitting:
        problems.add(
            (*_PLACE, "currency"), "This budget cannot be kept in it.", f"{' or '.join(fitting)}; or leave it out."
        )


def _read(value: object, name: str, guard: Callable[[Fraction, str], Fraction], problems: Problems) -> Fraction:
    return problems.attempt((*_PLACE, name), Fraction(1, 2), _guarded, value, name, guard)


def _guarded(value: object, name: str, guard: Callable[[Fraction, str], Fraction]) -> Fraction:
    return guard(number_from(value, name), name)


def _delta(value: Fraction, name: str) -> Fraction:
    if value == 0:
        raise Refused(f"{name} = 0", "A delta of 0 is a pure budget.", "leave delta out, or 0 < delta < 1.")
    return proper(value, name)
