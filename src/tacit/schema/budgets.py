"""The budget that a steward writes: promise, currency, analysts' shares, the least price and the breaker.

The least price and the breaker bound leaks through faults that are not yet known. A failure is an answer that no price
covers: if one unit's rows could make some query fail, its analyst learns one bit. So every query costs something, and
after several failures the steward must look at them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final

from tacit.errors import Refused
from tacit.exact import positive, proper
from tacit.loss.calibration import budget_from
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.loss import Loss
from tacit.loss.families.zcdp import Zcdp
from tacit.schema.description import FLOOR, FailureLimits
from tacit.schema.file_models import BudgetFile
from tacit.schema.names import Problems, check_name, clashes, letters, number_from, share_from, whole_from

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


STEWARD = "steward"


def read_analysts(written: Mapping[str, object], problems: Problems) -> dict[str, Fraction]:
    """The shares by name. They may add up to more than one: the budget of the data bounds all of them together."""
    place = ("dataset", "analysts")
    for first, second in clashes(written):
        problems.add((*place, second), f"It looks like {first}.", "names that differ by more than case.")
    for name in written:
        problems.attempt((*place, name), None, _check_analyst, name)
    return {
        name: problems.attempt((*place, name), Fraction(1), share_from, share, name) for name, share in written.items()
    }


def who_asks(named: str | None) -> str:
    """The analyst, from the name given: the steward only where no name is given, or exactly that name.

    The steward has no share, so no other name may look like it, neither here nor to readers of the ledger.
    """
    if named is None or named == STEWARD:
        return STEWARD
    _check_analyst(named if isinstance(named, str) else "")
    return named


def _check_analyst(name: str) -> None:
    check_name(name)
    if name == STEWARD:
        raise Refused(name, "The steward is no analyst, and is not limited here.", "another name.")
    if name != name.strip() or not letters(name):
        raise Refused(f"the name {name!r}", "It has no letter, or begins or ends with a space.", "a name as alice.")
    if letters(name) == STEWARD:
        raise Refused(f"the name {name}", f"It would be taken for {STEWARD}.", f"another name, or {STEWARD} itself.")


_FAILURE_FORMS: Final = '{ analyst = 3, dataset = 10 }, or "off", which leaves failures unbounded.'


def read_floor(written: object) -> Fraction:
    """The part of the budget that every new question costs at least; 0 where the steward sets none."""
    if written is None:
        return FLOOR
    if isinstance(written, (int, float)) and not isinstance(written, bool) and written == 0:
        return Fraction(0)
    try:
        return share_from(written, "floor")
    except Refused as refusal:
        raise Refused(
            "floor", refusal.why, 'a part of the budget, such as 0.0001 or "0.01%"; or 0, for none.'
        ) from None


def read_breaker(written: object) -> FailureLimits | None:
    """The number of failures allowed; None where the steward says "off"."""
    if written is None:
        return FailureLimits()
    if written == "off":
        return None
    if not (isinstance(written, Mapping) and written.keys() <= {"analyst", "dataset"}):
        raise Refused("breaker", "It does not say how many failures are borne.", _FAILURE_FORMS)
    return FailureLimits(**{name: whole_from(value, f"breaker.{name}", 1) for name, value in written.items()})
