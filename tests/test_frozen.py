"""`frozen` is equivalent to `dataclass(frozen=True)`: the same classes, made both ways, behave the same."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from typing import Any

import pytest

from tacit.frozen import frozen

WAYS: dict[str, Callable[..., Any]] = {"frozen": frozen, "dataclass": lambda **how: dataclass(frozen=True, **how)}


@frozen
class Point:
    """At the top, where pickle finds it."""

    x: int
    names: dict[str, int] = field(default_factory=dict)


def _family(way: Callable[..., Any]) -> tuple[Any, ...]:
    @way()
    class Base:
        """The base."""

        a: int
        b: tuple[int, ...] = (1,)
        hidden: float = field(default=0.5, compare=False, repr=False)

    @way()
    class Derived(Base):
        """One more field, and a check."""

        made: list[int] = field(default_factory=list, compare=False)
        named: str = field(kw_only=True)

        def __post_init__(self) -> None:
            if self.a < 0:
                raise ValueError("negative")

    @way(eq=False)
    class Itself(Base):
        """Compared as its base is."""

        more: int = 3

    @way(repr=False)
    class Silent(Base):
        """Written as its base is."""

    @way()
    class OwnWords:
        """Its own methods stay; a hash is made where only equality is its own."""

        a: float

        def __eq__(self, other: object) -> bool:
            return isinstance(other, OwnWords) and self.a == other.a

        def __repr__(self) -> str:
            return "own"

    @way()
    class Empty:
        """No field."""

    @way(init=False)
    class OwnInit:
        """Its own arguments."""

        a: int

        def __init__(self, twice: int) -> None:
            object.__setattr__(self, "a", twice // 2)

    return Base, Derived, Itself, Silent, OwnWords, Empty, OwnInit


def _told(way: Callable[..., Any]) -> list[object]:
    """Everything observable about the family."""
    base, derived, itself, silent, own, empty, own_init = _family(way)
    nan = float("nan")
    one, other = derived(1, named="n"), derived(1, (1,), 9.0, [7], named="n")
    matched = None
    match one:
        case derived(a, b):
            matched = (a, b)
    return [
        [[(each.name, each.kw_only, each.compare) for each in fields(cls)] for cls in _family(way)],
        [repr(value) for value in (base(1), one, itself(1), silent(2), own(1), empty())],
        [one == other, one != derived(2, named="n"), base(1) == itself(1), itself(1) == itself(1), one == 1],
        [hash(one) == hash(other), len({one, other, base(1), base(1)}), hash(own(1.0)) == hash(own(1))],
        [own(nan) == own(nan), base(nan) == base(nan), empty() == empty(), hash(empty()), hash(base(3))],
        [one.made is not other.made, one.made, one.named, replace(one, a=5).a, own_init(8).a, matched],
        [base.__match_args__, derived.__match_args__, copy.deepcopy(other) == other, copy.copy(one).made is one.made],
    ]


def _complaint(way: Callable[..., Any], wrong: Callable[[Any], object]) -> tuple[type, str]:
    with pytest.raises((TypeError, ValueError, AttributeError)) as caught:
        wrong(_family(way)[1])
    return type(caught.value), str(caught.value)


def test_nobody_can_tell_them_apart() -> None:
    assert _told(WAYS["frozen"]) == _told(WAYS["dataclass"])


@pytest.mark.parametrize(
    "wrong",
    [
        lambda made: made(),
        lambda made: made(1),
        lambda made: made(1, (), 0.5, [], "x"),
        lambda made: made(1, named="n", other=2),
        lambda made: made(1, a=1, named="n"),
        lambda made: made(-1, named="n"),
        lambda made: setattr(made(1, named="n"), "a", 2),
        lambda made: delattr(made(1, named="n"), "a"),
        lambda made: replace(made(1, named="n"), c=2),
    ],
)
def test_what_is_wrong_is_said_in_the_same_words(wrong: Callable[[Any], object]) -> None:
    assert _complaint(WAYS["frozen"], wrong) == _complaint(WAYS["dataclass"], wrong)


def test_a_value_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Point(1).x = 2  # type: ignore[misc]


def test_a_value_can_be_sent() -> None:
    assert pickle.loads(pickle.dumps(Point(1, {"a": 2}))) == Point(1, {"a": 2})
