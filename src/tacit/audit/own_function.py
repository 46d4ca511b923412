"""A user's own function under audit: a black box from data to an answer.

The claim about it is given in words: `epsilon=1 delta=1e-5`, `rho=0.1`, `mu=0.5`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from tacit.audit.neighbours import RowLists
from tacit.audit.subject import AuditSubject, Raised
from tacit.errors import Refused
from tacit.exact import exact
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Loss, Relation
from tacit.loss.families.zcdp import Zcdp
from tacit.noise.bits import ENTROPY

_TRIES = 5


def find_function(named: str) -> Callable[[list[Any]], Any]:
    """The function that `module:function` names; modules of the working folder are found too."""
    module, _, name = named.partition(":")
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        found = getattr(import_module(module), name)
    except (Exception, SystemExit) as error:  # a module may raise anything while it is imported
        raise Refused(f"the function {named[:80]}", f"{type(error).__name__}: {error}.", "module:function.") from None
    if not callable(found):
        raise Refused(f"{named[:80]}", "It is no function.", "module:function.")
    whole: Callable[[list[Any]], Any] = found
    return whole


def read_values(words: str) -> tuple[float, ...]:
    """The possible values of rows, in order, such as `0,1`."""
    values = tuple(float(exact(word.strip(), "values")) for word in words.split(","))
    if len(set(values)) < 2:
        raise Refused(f"values “{words[:40]}”", "Neighbours must be able to differ.", "at least two, such as 0,1.")
    return tuple(int(value) if value.is_integer() else value for value in sorted(values))


def own_subject(named: str, claim: Loss, relation: Relation, values: Sequence[float], rows: int = 5) -> AuditSubject:
    """The function as a subject: lists of up to so many rows of these values, with all neighbours searched.

    Its ladder has longer lists, for the stages that use it.
    """
    function = find_function(named)
    domain = RowLists(tuple(values), relation, rows)
    return AuditSubject(
        named,
        claim,
        relation,
        lambda data, _: _plain(function(list(data))),
        domain.patterns(),
        universe=tuple(values),
        domain=domain,
        ladder=domain.ladder(),
    )


def raises_everywhere(subject: AuditSubject) -> Raised | None:
    """The error, if all of a few calls on every data set of its pairs raise one, so that nothing can be examined."""
    raised: Raised | None = None
    for data in (data for pair in subject.pairs for data in pair):
        for answer in subject.answers(data, _TRIES, ENTROPY):
            if not isinstance(answer, Raised):
                return None
            raised = answer
    return raised


def _plain(answer: Any) -> Any:
    """A frame of pandas, Polars or Arrow as a mapping of its columns to lists, a series as a list."""
    if hasattr(answer, "columns") and hasattr(answer, "to_dict"):
        return {str(name): list(answer[name].to_list()) for name in answer.columns}
    if hasattr(answer, "to_pydict"):
        return answer.to_pydict()
    if hasattr(answer, "to_pylist"):
        return answer.to_pylist()
    return answer.to_list() if hasattr(answer, "to_list") else answer


_ACCEPTED = '"epsilon=1", "epsilon=1 delta=1e-5", "rho=0.1" or "mu=0.5".'


def read_claim(words: str) -> Loss:
    """The claimed loss."""
    parts = [part.partition("=") for part in words.replace(",", " ").split()]
    given = {name.strip(): value.strip() for name, _, value in parts}
    if len(given) != len(parts) or not all(value for value in given.values()):
        raise Refused(f"a claim “{words[:60]}”", "It cannot be read.", _ACCEPTED)
    if set(given) == {"epsilon"}:
        return Pure(given["epsilon"])
    if set(given) == {"epsilon", "delta"}:
        return Approx(given["epsilon"], given["delta"])
    if set(given) == {"rho"}:
        return Zcdp(given["rho"])
    if set(given) == {"mu"}:
        return Gdp.from_mu(given["mu"])
    raise Refused(f"a claim “{words[:60]}”", "It names no loss.", _ACCEPTED)
