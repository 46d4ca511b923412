"""`frozen`: a dataclass whose values cannot be changed, created much faster than by `dataclass`.

A command defines hundreds of such types at start-up, and most of them never get an instance. So methods are shared, and
`__init__`, which must be compiled, is compiled when the first instance is created.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, dataclass_transform, overload

T = TypeVar("T")


@overload
def frozen(cls: type[T], /) -> type[T]: ...
@overload
def frozen(*, init: bool = True, repr: bool = True, eq: bool = True) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: Any = None, /, *, init: bool = True, repr: bool = True, eq: bool = True) -> Any:  # noqa: A002
    """The class as `dataclass(frozen=True)` makes it; a method that it defines itself stays."""

    def freeze(cls: Any) -> Any:
        own = fields(dataclass(init=False, repr=False, eq=False)(cls))
        methods: dict[str, object] = {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
        if init:
            methods["__init__"] = _uncompiled_init(cls, own)
        if repr:
            methods["__repr__"] = _repr([each.name for each in own if each.repr])
        if eq:
            methods["__eq__"], methods["__hash__"] = _comparison([each.name for each in own if each.compare])
        for name, method in methods.items():
            if vars(cls).get(name) is None:
                setattr(cls, name, method)
        return cls

    return freeze if cls is None else freeze(cls)


def _refuse_to_set(self: object, name: str, value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _comparison(names: Sequence[str]) -> tuple[Callable[[Any, object], bool], Callable[[Any], int]]:
    """Equality and hash of all values together."""
    values: Callable[[Any], tuple[object, ...]]
    values = attrgetter(*names) if len(names) > 1 else lambda self: tuple([getattr(self, name) for name in names])

    def __eq__(self: object, other: object) -> bool:  # noqa: N807
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: object) -> int:  # noqa: N807
        return hash(values(self))

    return __eq__, __hash__


def _repr(names: Sequence[str]) -> Callable[[object], str]:
    """The `__repr__` of all frozen classes."""

    def __repr__(self: object) -> str:  # noqa: N807
        return f"{self.__class__.__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return __repr__


def _uncompiled_init(cls: Any, own: Sequence[Field[Any]]) -> Callable[..., None]:
    """The first call compiles the real `__init__` and replaces this one by it."""

    def __init__(self: object, /, *given: object, **named: object) -> None:  # noqa: N807
        cls.__init__ = _init(cls, own)
        cls.__init__(self, *given, **named)

    return __init__


def _init(cls: Any, own: Sequence[Field[Any]]) -> Any:
    """Compile an `__init__` with one argument for every field."""
    named = [_argument(each) for each in own if each.kw_only]
    arguments = ["self", *(_argument(each) for each in own if not each.kw_only), *(["*", *named] if named else [])]
    steps = [f"_put(self, {each.name!r}, {_value(each)})" for each in own]
    if hasattr(cls, "__post_init__"):
        steps.append("self.__post_init__()")
    known = {"_put": object.__setattr__, "_fields": cls.__dataclass_fields__, "_absent": MISSING}
    exec(f"def __init__({', '.join(arguments)}):\n " + "\n ".join(steps or ["pass"]), known)
    known["__init__"].__qualname__ = f"{cls.__qualname__}.__init__"
    return known["__init__"]


def _argument(each: Field[Any]) -> str:
    if each.default_factory is not MISSING:
        return f"{each.name}=_absent"
    return each.name if each.default is MISSING else f"{each.name}=_fields[{each.name!r}].default"


def _value(each: Field[Any]) -> str:
    if each.default_factory is MISSING:
        return each.name
    return f"_fields[{each.name!r}].default_factory() if {each.name} is _absent else {each.name}"
