"""Finite fields: whole numbers below a prime power, added and multiplied by table or modulo the prime."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache, partial

import numpy as np
from flint import fmpz

from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.noise.bits import Integers

_LARGEST_TABLE = 512
_LARGEST = 1 << 16


@frozen
class Field:
    """The field of q = p^e elements: element a is the polynomial whose coefficients are a's digits in base p."""

    order: int

    def __post_init__(self) -> None:
        known = prime_power(self.order)
        if known is None or not self.order <= (_LARGEST_TABLE if known[1] > 1 else _LARGEST):
            raise Refused(f"a field of {self.order} elements", "There is none, or not here.", "a prime power.")

    @cached_property
    def prime(self) -> int:
        return (prime_power(self.order) or (self.order, 1))[0]

    @cached_property
    def degree(self) -> int:
        return (prime_power(self.order) or (self.order, 1))[1]

    def add(self, left: Integers, right: Integers) -> Integers:
        if self.degree == 1:
            return (left + right) % self.prime
        return self._sums[left, right]

    def multiply(self, left: Integers, right: Integers) -> Integers:
        if self.degree == 1:
            return left * right % self.prime
        return self._products[left, right]

    @cached_property
    def negatives(self) -> Integers:
        """−a for each a."""
        return _from_digits(-_digits(np.arange(self.order), self.prime, self.degree) % self.prime, self.prime)

    @cached_property
    def inverses(self) -> Integers:
        """1/a for each a ≠ 0; 0 for 0."""
        powers, logarithms = self._powers, np.zeros(self.order, np.int64)
        logarithms[powers] = np.arange(self.order - 1)
        inverses: Integers = powers[-logarithms % (self.order - 1)]
        return np.where(np.arange(self.order) > 0, inverses, 0)

    @cached_property
    def duals(self) -> Integers:
        """For each a, the element whose digits, times those of b and added up, are the trace of a·b modulo p.

        The trace of z is z + z^p + z^(p²) + …: a sum over the whole field of characters of a·b is one of digits.
        """
        if self.degree == 1:
            return np.arange(self.order)
        units = self.prime ** np.arange(self.degree)
        traces = self._traces[self._products[units[:, None], units]]
        return _from_digits(_digits(np.arange(self.order), self.prime, self.degree) @ traces % self.prime, self.prime)

    @cached_property
    def _traces(self) -> Integers:
        total, conjugate = np.zeros(self.order, np.int64), np.arange(self.order)
        for _ in range(self.degree):
            total = self._sums[total, conjugate]
            power = conjugate
            for _ in range(self.prime - 1):
                power = self._products[power, conjugate]
            conjugate = power
        return total

    @cached_property
    def _sums(self) -> Integers:
        digits = _digits(np.arange(self.order), self.prime, self.degree)
        return _from_digits((digits[:, None] + digits) % self.prime, self.prime)

    @cached_property
    def _products(self) -> Integers:
        powers, table = self._powers, np.zeros((self.order, self.order), np.int64)
        places = np.arange(self.order - 1)
        table[powers[:, None], powers] = powers[(places[:, None] + places) % (self.order - 1)]
        return table

    @cached_property
    def _powers(self) -> Integers:
        """g⁰, g¹, … for an element g whose powers are all of the field but 0."""
        return np.array(_powers_of_a_generator(self.order, self.prime, self.degree), np.int64)


def prime_power(number: int) -> tuple[int, int] | None:
    """(p, e) where the number is p^e for a prime p."""
    for degree in range(1, number.bit_length() + 1):
        root = round(number ** (1 / degree))
        if root >= 2 and root**degree == number and fmpz(root).is_prime():
            return root, degree
    return None


@lru_cache(maxsize=64)
def _powers_of_a_generator(order: int, prime: int, degree: int) -> list[int]:
    if degree == 1:
        cycles = (_cycle(partial(_times, root, prime), prime) for root in range(1, prime))
        return next(found for found in cycles if len(found) == prime - 1)
    high = order // prime
    for low in range(1, order):  # x^e = the polynomial `low`: tried until the powers of x run through the field
        tail = _digits(np.array(low), prime, degree)

        def shifted(number: int, tail: Integers = tail) -> int:
            top, rest = divmod(number, high)
            return int(_from_digits((_digits(np.array(rest * prime), prime, degree) + top * tail) % prime, prime))

        if tail[0] and len(found := _cycle(shifted, order)) == order - 1:
            return found
    raise AssertionError("every finite field has a generator")


def _times(root: int, prime: int, number: int) -> int:
    return number * root % prime


def _cycle(step: Callable[[int], int], most: int) -> list[int]:
    """1, step(1), step(step(1)), … until 1 comes again, or for too long."""
    found, number = [1], step(1)
    while number != 1 and len(found) < most:
        found.append(number)
        number = step(number)
    return found


def _digits(numbers: Integers, base: int, count: int) -> Integers:
    """The lowest digits of each number, the lowest first."""
    digits: Integers = numbers[..., None] // base ** np.arange(count) % base
    return digits


def _from_digits(digits: Integers, base: int) -> Integers:
    numbers: Integers = digits @ base ** np.arange(digits.shape[-1])
    return numbers
