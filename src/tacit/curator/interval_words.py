"""The meaning of intervals in words: for all rows under an assumption, guaranteed, or for rows cut to the limits.

The kind of a released number is that of its stored column: a usual query uses at_most as its limit where that is near,
and its intervals are guaranteed there.
"""

from __future__ import annotations

from collections.abc import Mapping

from tacit.query.aggregates.aggregate import Measure, Part
from tacit.query.plans.limit import IntervalKind, Origin
from tacit.query.plans.plan import Plan
from tacit.query.sql.rows import Ownership
from tacit.release.release import IntervalWords

_ALL_ROWS = " for all rows that fit the description"
_NOBODY = "assuming that nobody has far more than the people that can be seen"
_GROUPS = "and that each group lost about its part of what limits cut off"
_SURE = ", guaranteed: they hold on all data"
_CUT = " for rows cut to the limits: the noise alone, not what limits cut off"
_TOO_FEW = "too few people can be seen above the noise to tell what limits cut off"
NEED = "With at_most declared, they could be guaranteed."


def planned_kinds(plan: Plan) -> Mapping[Part, IntervalKind]:
    """What the interval of each part will be about. What holds by construction, or as at_most, cuts nobody."""
    sure = {part for part in plan.question.parts if plan.is_whole(part)}
    return {part: IntervalKind.GUARANTEED if part in sure else plan.interval for part in plan.question.parts}


def interval_words(plan: Plan, kinds: Mapping[Part, IntervalKind], unknown: frozenset[Part]) -> IntervalWords:
    """The kind of a release, what follows "95% intervals", and further sentences.

    `unknown` are the parts in which no unit is visible above the noise, so that the clipping bias is unknown.
    """
    aggregates = plan.question.aggregates
    usual = [name for name, each in aggregates.items() if _is_of(each.parts, kinds, IntervalKind.USUAL)]
    if usual:
        hidden = [name for name in usual if not unknown.isdisjoint(aggregates[name].parts)]
        sure = [name for name in aggregates if name not in usual]
        return IntervalWords("usual", _usual(plan, usual, hidden, sure), (*_hidden(usual, hidden), *_need(plan, kinds)))
    if any(_is_of(each.parts, kinds, IntervalKind.BOUNDED) for each in aggregates.values()):
        return IntervalWords("bounded", _CUT)
    if not aggregates:
        return IntervalWords()
    return IntervalWords("guaranteed", _SURE + (", for rows cut to at_most" if _is_cut(plan, kinds) else ""))


def not_counted(plan: Plan) -> str:
    """The rows that the description excludes from every answer."""
    if not plan.question.aggregates:
        return ""
    left = [] if plan.question.rows.ownership is Ownership.EACH else ["rows without an owner"]
    left += [] if all(map(_is_of_rows, plan.question.parts)) else ["unreadable values", "what lies beyond bounds"]
    return f"Not counted: {', '.join(left)}." if left else ""


def _is_of_rows(part: Part) -> bool:
    """Whether only rows or units are counted, not values."""
    return isinstance(part, Measure) and (part.once or part.subject == "rows")


def _usual(plan: Plan, usual: list[str], hidden: list[str], sure: list[str]) -> str:
    besides = f"; {_named(sure)} {'is' if len(sure) == 1 else 'are'} guaranteed" if sure else ""
    if hidden == usual:
        return f"{_ALL_ROWS}: {_TOO_FEW}{besides}"
    groups = f", {_GROUPS}" if plan.question.keys else ""
    return f"{_ALL_ROWS}, {_NOBODY}{groups}{besides}"


def _hidden(usual: list[str], hidden: list[str]) -> tuple[str, ...]:
    return (f"Of {_named(hidden)}, {_TOO_FEW}.",) if hidden and hidden != usual else ()


def _need(plan: Plan, kinds: Mapping[Part, IntervalKind]) -> tuple[str, ...]:
    """The declaration that would make the intervals guaranteed, where it is missing.

    Sums of sub-queries are not covered.
    """
    open_ended = [part for part, kind in kinds.items() if kind is IntervalKind.USUAL and part not in plan.at_most]
    return (NEED,) if open_ended and plan.question.rows.ownership is Ownership.MANY else ()


def _is_of(parts: tuple[Part, ...], kinds: Mapping[Part, IntervalKind], kind: IntervalKind) -> bool:
    return any(kinds[part] is kind for part in parts)


def _is_cut(plan: Plan, kinds: Mapping[Part, IntervalKind]) -> bool:
    """Whether an at_most is used as a limit."""
    return any(plan.limits[part].origin is not Origin.CONSTRUCTION for part in kinds)


def _named(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
