"""The designs by the names that a poll's file calls them, with the numbers that each takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.local.polls.asking import Wording
from tacit.local.polls.designs.at_least_one import AtLeastOne, Triangular
from tacit.local.polls.designs.crosswise import Crosswise
from tacit.local.polls.designs.design import Design
from tacit.local.polls.designs.forced import Forced
from tacit.local.polls.designs.kuk import Kuk
from tacit.local.polls.designs.list_experiment import ListExperiment
from tacit.local.polls.designs.one_of_many import OneOfMany
from tacit.local.polls.designs.set_of_many import SetOfMany
from tacit.local.polls.designs.unrelated import Unrelated, UnrelatedEstimated
from tacit.local.polls.designs.warner import Warner


@frozen
class Entry:
    """A design's maker, and which numbers it is made from: any one of the lists."""

    make: Callable[[Wording, Mapping[str, Any]], Design]
    takes: tuple[tuple[str, ...], ...]


def _entry(
    plain: Callable[..., Design], numbers: tuple[str, ...], within: Callable[..., Design] | None = None
) -> Entry:
    def make(wording: Wording, given: Mapping[str, Any]) -> Design:
        if "epsilon" in given and within is not None:
            return within(given["epsilon"])
        return plain(*(given[name] for name in numbers))

    return Entry(make, (numbers, *([("epsilon",)] if within else [])))


def _kary(given: Mapping[str, Any], options: int) -> Design:
    if "truth" in given:
        return OneOfMany.truthful(given["truth"], options)
    return OneOfMany.within(given["epsilon"], options)


CATALOGUE: Final[Mapping[str, Entry]] = {
    "warner": _entry(Warner, ("truth",), Warner.within),
    "forced": _entry(Forced, ("truth", "yes", "no"), Forced.within),
    "kuk": _entry(Kuk, ("red_if_yes", "red_if_no")),
    "crosswise": _entry(Crosswise, ("prevalence",)),
    "triangular": _entry(Triangular, ("prevalence",)),
    "unrelated": _entry(Unrelated, ("sensitive", "prevalence")),
    "unrelated-estimated": _entry(UnrelatedEstimated, ("sensitive",)),
    "at-least-one": _entry(AtLeastOne, ()),
    "list": Entry(lambda wording, _: ListExperiment(len(wording.items)), ((),)),
    "kary": Entry(lambda wording, given: _kary(given, len(wording.options)), (("truth",), ("epsilon",))),
    "subset": Entry(lambda wording, given: SetOfMany.within(given["epsilon"], len(wording.options)), (("epsilon",),)),
}


_EXAMPLES: Final = {
    "truth": "4/6",
    "yes": "1/6",
    "no": "1/6",
    "red_if_yes": "80%",
    "red_if_no": "20%",
    "sensitive": "2/3",
    "prevalence": "1/4",
    "epsilon": '"ln 3"',
}


def design_of(name: str, wording: Wording, given: Mapping[str, Any]) -> Design:
    """The design of this name from these numbers; too many, too few or others are refused."""
    entry = CATALOGUE.get(name)
    if entry is None:
        raise Refused(f"design = “{name[:40]}”", "There is no such design.", f"one of {', '.join(CATALOGUE)}.")
    if set(given) not in [set(names) for names in entry.takes]:
        wanted = "; or ".join(" ".join(map(_example, names)) if names else "no number" for names in entry.takes)
        has = " and ".join(map(_option, given)) if given else "no number"
        raise Refused(f"the design {name} with {has}", "It is made from other numbers.", f"{wanted}.")
    return entry.make(wording, given)


def _option(number: str) -> str:
    """A number as the command calls it; a poll's file has _ for - and no dashes before."""
    return f"--{number.replace('_', '-')}"


def _example(number: str) -> str:
    return f"{_option(number)} {_EXAMPLES[number]}"
