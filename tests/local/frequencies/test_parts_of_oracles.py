"""What oracles are made of: packed coins, packed sets, transforms, finite fields, points, and both ways to decode."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import hadamard
from scipy.stats import binomtest
from tests.goodness import FALSE_ALARM

from tacit.errors import Refused
from tacit.local.frequencies.finite_field import Field, prime_power
from tacit.local.frequencies.hadamard import walsh
from tacit.local.frequencies.projective_space import Decoding, Points
from tacit.local.frequencies.random_sets import packed_coins, rough_bias
from tacit.local.frequencies.report_rows import column_sums, pack, row_sizes, unpack, width
from tacit.noise.bits import Rehearsal, Seeded

ORDERS = [2, 3, 4, 5, 7, 8, 9, 16, 25, 27]


class Recorded(Rehearsal):
    """Seeded bits that remember what they gave out."""

    def __init__(self, seed: int) -> None:
        self._source = Seeded(seed)
        self.given: list[NDArray[np.uint8]] = []

    def octets(self, count: int) -> NDArray[np.uint8]:
        self.given.append(self._source.octets(count))
        return self.given[-1]


def lanes(words: NDArray[np.uint64]) -> NDArray[np.uint8]:
    return np.unpackbits(words.view(np.uint8), bitorder="little")


@pytest.mark.parametrize(
    "bias", [Fraction(1, 4), Fraction(17, 64), Fraction(1, 3), Fraction(268, 997), Fraction(1, 5000)]
)
def test_coins_compare_a_uniform_real_with_the_bias(bias: str | Fraction) -> None:
    """Digit by digit from the recorded bits: every coin that ten digits decide is the comparison's outcome."""
    bits, bias = Recorded(1), Fraction(bias)
    coins = lanes(packed_coins(bias, 200, bits))
    planes = [1 - lanes(octets.view(np.uint64)).astype(int) for octets in bits.given if octets.size == 1600]
    digits = len(planes)
    places = sum(plane << place for place, plane in enumerate(planes))
    scaled = bias * (1 << digits)
    assert (coins[places < int(scaled)] == 1).all()
    assert (coins[places > scaled - (scaled.denominator == 1)] == 0).all()
    assert digits == (10 if scaled.denominator > 1 else bias.denominator.bit_length() - 1)


@pytest.mark.parametrize("bias", [Fraction(1, 3), Fraction(268, 997), Fraction(1, 5000), Fraction(1023, 1024)])
def test_coins_have_their_bias_and_are_not_alike(bias: Fraction) -> None:
    coins = lanes(packed_coins(bias, 1 << 16, Seeded(2))).astype(int)
    assert binomtest(int(coins.sum()), coins.size, float(bias)).pvalue > FALSE_ALARM
    pairs = coins[:-1] & coins[1:]
    assert binomtest(int(pairs[::2].sum()), pairs[::2].size, float(bias) ** 2).pvalue > FALSE_ALARM


def test_ties_are_tossed_with_what_remains() -> None:
    """A bias below 2^-10 is decided by ties alone: a tie is a 1 with probability 1024·bias."""
    coins = lanes(packed_coins(Fraction(1, 2000), 1 << 18, Seeded(4)))
    assert binomtest(int(coins.sum()), coins.size, 1 / 2000).pvalue > FALSE_ALARM


@pytest.mark.parametrize("options", [1, 63, 64, 65, 200])
@pytest.mark.parametrize("people", [1, 255, 256, 20_000])
def test_sums_and_sizes_of_packed_sets(options: int, people: int) -> None:
    rows = Seeded(3).words(people * width(options)).astype(np.uint64).reshape(people, -1)
    rows[0] = -1 % (1 << 64)
    flat = lanes(rows).reshape(people, -1)
    assert (column_sums(rows, options) == flat.sum(axis=0)[:options]).all()
    assert (row_sizes(rows) == flat.sum(axis=1)).all()


def test_rows_of_sets_are_read_back() -> None:
    for members in ((), (0,), (3, 63, 64, 129)):
        assert unpack(pack(130, members)) == members


def test_rough_biases_are_near_and_short() -> None:
    for options, size in ((1024, 275), (1024, 486), (256, 69), (4096, 74), (8, 2)):
        assert abs(rough_bias(options, size) - Fraction(size, options)) < Fraction(1, 7)
        assert rough_bias(options, size).denominator <= 128


def test_walsh_is_the_hadamard_matrix() -> None:
    table = np.arange(32) ** 2 % 17
    assert (walsh(table) == hadamard(32) @ table).all()


@pytest.mark.parametrize("order", ORDERS)
def test_fields_are_fields(order: int) -> None:
    field, all_of = Field(order), np.arange(order)
    a, b, c = np.meshgrid(all_of, all_of, all_of)
    assert (field.add(a, b) == field.add(b, a)).all()
    assert (field.multiply(a, b) == field.multiply(b, a)).all()
    assert (field.multiply(a, field.multiply(b, c)) == field.multiply(field.multiply(a, b), c)).all()
    assert (field.multiply(a, field.add(b, c)) == field.add(field.multiply(a, b), field.multiply(a, c))).all()
    assert (field.add(all_of, field.negatives) == 0).all()
    assert (field.multiply(all_of, field.inverses)[1:] == 1).all()
    assert field.inverses[0] == 0
    assert sorted(field.duals.tolist()) == all_of.tolist()


def test_prime_powers() -> None:
    assert [number for number in range(2, 33) if prime_power(number)] == [
        *(2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32)
    ]
    for order in (1, 6, 12, 1024, 65537 * 2):
        with pytest.raises(Refused):
            Field(order)


@pytest.mark.parametrize(("order", "coordinates"), [(2, 5), (3, 3), (4, 3), (9, 3), (5, 2)])
def test_points_are_vectors_up_to_a_factor(order: int, coordinates: int) -> None:
    points = Points(Field(order), coordinates)
    numbers = np.arange(points.count)
    assert points.count == (order**coordinates - 1) // (order - 1)
    vectors = points.coordinates_of(numbers)
    for factor in range(1, order):
        scaled = points.field.multiply(np.array(factor), vectors)
        assert (points.number_of(scaled) == numbers).all()


@pytest.mark.parametrize(
    ("order", "coordinates", "targets"),
    [(2, 6, 1), (3, 4, 1), (4, 4, 1), (8, 3, 1), (9, 3, 1), (5, 2, 1), (13, 3, 1), (5, 4, 2), (7, 3, 3)],
)
def test_both_ways_to_decode_count_products(
    order: int, coordinates: int, targets: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Against all products one by one: the transform over one, two and all digits, and solving for the lowest."""
    points = Points(Field(order), coordinates)
    options = order ** (coordinates - 1) - 1
    vectors = points.digits(np.arange(order**coordinates), coordinates)
    counts = Seeded(6).words(order**coordinates, 16).astype(np.int64) % 1000
    wanted = [
        int(counts[points.product(option[:, None], vectors) < targets].sum())
        for option in points.options(np.arange(options)).T
    ]
    for cells in (order**2, order**3, order**coordinates):
        monkeypatch.setattr("tacit.local.frequencies.projective_space._CELLS", cells)
        for price in (0, 1 << 60):
            monkeypatch.setattr(Decoding, "_solve_steps", lambda self, reports, price=price: price)
            assert Decoding(points, options, targets).support(vectors, counts).tolist() == wanted
