"""How much of the machine an engine in this process may use: read, and refused where it would not do."""

from __future__ import annotations

from typing import Final

from tacit.errors import Refused

LEAST_MEMORY: Final = 500_000_000
_OWN: Final = 450_000_000  # octets of Python, of libraries, and of what the engine does not count
_FOR_ARRAYS: Final = 2**30


def read_memory(written: object) -> int | None:
    """An amount such as "2GB" in octets; None where none is set."""
    if written is None:
        return None
    from pydantic import ByteSize, TypeAdapter, ValidationError  # it takes long to load

    accepted = 'an amount from "500MB" on, such as "2GB" or "1.5GiB".'
    try:
        octets = None if isinstance(written, (bool, float)) else int(TypeAdapter(ByteSize).validate_python(written))
    except ValidationError:
        octets = None
    if octets is None:
        raise Refused(f"memory = {written!r}", "It is no amount of memory.", accepted)
    if not octets >= LEAST_MEMORY:
        raise Refused(f"memory = {written!r}", "Queries would fail for want of it, after their charge.", accepted)
    return octets


def engine_memory(octets: int) -> int:
    """What the engine may count of a limit, so that the whole process keeps to it; half of a small one."""
    return octets - min(_OWN, octets // 2)


def read_threads(written: object) -> int | None:
    """A number of threads; None where none is set."""
    if written is None:
        return None
    if isinstance(written, bool) or not isinstance(written, int) or not written >= 1:
        raise Refused(f"threads = {written!r}", "It is no number of threads.", "a whole number from 1 on.")
    return written


def left_for_arrays(octets: int | None, is_alone: bool) -> int:
    """What arrays may take that the engine does not count.

    A little of a limit; where nothing else needs memory, most of what it leaves beyond the least one.
    """
    if octets is None:
        return _FOR_ARRAYS
    beyond = engine_memory(octets) - engine_memory(LEAST_MEMORY)
    return max(octets // 16, min(_FOR_ARRAYS, beyond * 2 // 3) if is_alone else 0)
