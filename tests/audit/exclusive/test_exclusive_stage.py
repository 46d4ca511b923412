"""Rare answers that one data set alone has: of every type found, and no power stated that was not there."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tacit.audit.auditor import Effort, audit
from tacit.audit.neighbours import RowLists, rungs
from tacit.audit.stages.exclusive import EXCLUSIVE, trait_words
from tacit.audit.stages.exclusive_traits import traits_of
from tacit.audit.subject import AuditSubject, Data, Outputs, Raised
from tacit.cli.audit import STAGES
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.gdp import Gdp
from tacit.loss.families.loss import Loss, Relation
from tacit.noise.bits import Bits
from tacit.noise.discrete_laplace import DiscreteLaplace

PAIRS = RowLists((0, 1), Relation.ADD_REMOVE, 5).patterns()


def private(data: Any, generator: np.random.Generator) -> int:
    return sum(data) + int(generator.geometric(1 - np.exp(-1)) - generator.geometric(1 - np.exp(-1)))


def leaking(rate: float, shown: Callable[[Any, np.random.Generator], Any]) -> Callable[[Any, np.random.Generator], Any]:
    return lambda data, generator: (shown if generator.random() < rate else private)(data, generator)


def subject(
    answer: Callable[[Any, np.random.Generator], Any], claim: Loss | None = None, seed: int = 1
) -> AuditSubject:
    generator = np.random.default_rng(seed)
    return AuditSubject("one", claim or Pure(1), Relation.ADD_REMOVE, lambda data, _: answer(data, generator), PAIRS)


@dataclass
class Noted:
    noise: float
    counts: list[int]


def fails(data: Any, generator: np.random.Generator) -> Any:
    if len(data) < 5:
        return private(data, generator)
    raise ValueError("too many")


LEAKS: dict[str, Callable[[Any, np.random.Generator], Any]] = {
    "a number": lambda data, _: float(sum(data)),
    "a text": lambda data, _: f"exactly {sum(data)}",
    "a tuple": lambda data, generator: (generator.random(), sum(data)),
    "a part of an array": lambda data, generator: np.array([generator.random(), sum(data)]),
    "an array": lambda data, _: np.array([sum(data), 7]),
    "a key": lambda data, _: {f"seen {sum(data)}": 1},
    "a value of a key": lambda data, generator: {"noisy": generator.random(), "exact": sum(data)},
    "nothing": lambda data, generator: None if len(data) == 5 else private(data, generator),
    "an error": fails,
    "a length": lambda data, generator: generator.random(len(data)).tolist(),
    "a shape": lambda data, generator: generator.random((2, len(data))),
    "a set": lambda data, generator: {generator.random(), sum(data)},
    "a nested value": lambda data, generator: {"rows": [{"n": sum(data), "r": generator.random()}]},
    "a nested tuple": lambda data, generator: (0, (generator.random(), (sum(data), "a"))),
    "a key's part": lambda data, generator: {(generator.random(), sum(data)): 1},
    "the start of bytes": lambda data, generator: bytes([sum(data)]) + generator.bytes(30),
    "the end of a text": lambda data, generator: generator.bytes(9).hex() + str(sum(data)),
    "a field": lambda data, generator: Noted(generator.random(), [sum(data)]),
    "an attribute": lambda data, generator: SimpleNamespace(noise=generator.random(), exact=sum(data)),
    "a late part": lambda data, generator: [*generator.random(29).tolist(), sum(data)],
}


@pytest.mark.parametrize("kind", LEAKS)
def test_a_leak_is_found_in_every_kind_of_answer(kind: str) -> None:
    found = EXCLUSIVE.look(subject(leaking(1 / 60, LEAKS[kind])), Effort(2e-5, 40_000, 600))
    assert found.is_broken, found.could_see
    assert found.epsilon is not None
    assert found.epsilon > 1


@pytest.mark.long
def test_a_leak_once_in_500_answers_is_found_20_times_of_20() -> None:
    """With fewer answers than the stage has in `tacit audit` by default, and time enough on any machine."""
    missed = []
    for seed, kind in enumerate([*LEAKS, *LEAKS][:20]):
        found = EXCLUSIVE.look(subject(leaking(1 / 500, LEAKS[kind]), seed=seed), Effort(2e-5, 400_000, 600, seed))
        missed += [] if found.is_broken else [kind]
    assert not missed


@pytest.mark.parametrize("claim", [Pure(1), Approx(1, "1e-5"), Gdp("1/2")], ids=str)
def test_the_power_that_is_stated_is_there(claim: Loss) -> None:
    """A leak as rare as a sound twin's audit would have seen: at 95%, fewer than 7 of 10 are found once in 1,000."""
    effort = Effort(2e-5, 40_000, 600)
    sound = EXCLUSIVE.look(subject(private, claim), effort)
    assert not sound.is_broken
    told = re.search(r"once in ([\d,]+) times", sound.could_see)
    assert told is not None, sound.could_see
    rate = 1 / int(told[1].replace(",", ""))
    leak = leaking(rate, LEAKS["nothing"])
    found = [
        EXCLUSIVE.look(subject(leak, claim, seed), Effort(2e-5, 40_000, 600, seed)).is_broken for seed in range(10)
    ]
    assert sum(found) >= 7


def test_no_power_is_stated_where_there_is_none() -> None:
    found = EXCLUSIVE.look(subject(private, Pure(20)), Effort(2e-5, 4_000, 600))
    assert found.could_see.startswith("nothing")


def test_false_alarms_are_as_rare_as_stated() -> None:
    """The sharpest noise that the claim admits, at an alarm rate of 1/5: more than 32 of 100 once in a thousand."""

    def many(data: Data, count: int, bits: Bits) -> Outputs:
        return sum(data) + DiscreteLaplace(1).draw(count, bits)

    sharp = AuditSubject("sharp", Pure(1), Relation.ADD_REMOVE, lambda data, bits: 0, (([1], []),), many)
    alarms = sum(EXCLUSIVE.look(sharp, Effort(0.2, 800, 600, seed)).is_broken for seed in range(100))
    assert alarms <= 32


def test_an_error_that_does_not_depend_on_the_data_is_an_answer() -> None:
    def busy(data: Any, generator: np.random.Generator) -> int:
        if generator.random() < 0.1:
            raise OSError("busy")
        return private(data, generator)

    verdict = audit(subject(busy), STAGES, Effort(samples=20_000, seconds=20))
    assert not verdict.is_broken, verdict.describe()


@pytest.mark.parametrize("kind", ["nothing", "an error"])
def test_the_counts_of_a_finding_agree_with_its_words(kind: str) -> None:
    found = EXCLUSIVE.look(subject(leaking(1 / 10, LEAKS[kind])), Effort(2e-5, 40_000, 600))
    assert found.evidence is not None
    told = [int(number.replace(",", "")) for number in re.findall(r"in ([\d,]+) of", found.words)]
    assert told == [found.evidence["hits"], found.evidence["strays"]]
    assert "only one data set has" not in found.words


def test_what_is_not_searched_is_said() -> None:
    kinds: dict[str, Callable[[Any], Any]] = {
        "parts of an answer after the first 48": lambda n: list(range(n, n + 60)),
        "words of a text after the first 16": lambda n: " ".join(map(str, range(30))),
        "the inside of objects of type generator": lambda n: (each for each in range(n)),
        "parts that lie more than 8 deep in an answer": lambda n: [[[[[[[[[[n]]]]]]]]]],
    }
    for words, wrap in kinds.items():
        sound = subject(lambda data, generator, wrap=wrap: wrap(private([], generator)))
        found = EXCLUSIVE.look(sound, Effort(2e-5, 2_000, 600))
        assert not found.is_broken, found.words
        assert f"Not searched: {words}." in found.words
    plain = EXCLUSIVE.look(subject(private), Effort(2e-5, 2_000, 600))
    assert "Not searched" not in plain.words


def test_an_answer_that_holds_itself_is_read() -> None:
    loop: list[Any] = [3]
    loop.append(loop)
    assert "3 as part 1 of the answer" in set(map(trait_words, traits_of(loop)))


def test_effort_is_counted_in_answers_and_a_time_limit_that_bites_is_said() -> None:
    asked = []
    counted = subject(lambda data, generator: asked.append(len(data)) or private(data, generator))
    found = EXCLUSIVE.look(counted, Effort(2e-5, 20_000, 600))
    assert 19_000 < found.samples <= 20_000
    assert "time limit" not in found.words
    short = EXCLUSIVE.look(counted, Effort(2e-5, 10_000_000, 0.5))
    assert re.search(r"The time limit left [\d,]+ of 10,000,000 answers \(--seconds lifts it\)\.", short.words)


@pytest.mark.parametrize("relation", list(Relation))
def test_the_ladder_has_every_count_and_long_lists(relation: Relation) -> None:
    rows = RowLists((0, 1), relation, 5)
    sides = [side for pair in (*rows.patterns(), *rows.ladder()) for side in pair]
    assert {sum(side) for side in sides} >= set(range(101 if relation is Relation.ADD_REMOVE else 6))
    assert max(map(len, sides)) == 100
    assert [len(one) for one, _ in rungs(rows.ladder())][-1] == 100
    for one, other in rows.ladder():
        if relation is Relation.ADD_REMOVE:
            assert one == [*other, 1]
        else:
            assert sum(a != b for a, b in zip(one, other, strict=True)) == 1


def test_data_sets_that_two_pairs_share_are_asked_once() -> None:
    chain = RowLists((0, 1), Relation.ADD_REMOVE, 5).ladder()[:9]
    asked = []

    def noted(data: Data, count: int, bits: Bits) -> Outputs:
        asked.append((len(data), count))
        return sum(data) + DiscreteLaplace(1).draw(count, bits)

    one = AuditSubject("chain", Pure(1), Relation.ADD_REMOVE, lambda data, bits: 0, chain[:1], noted, ladder=chain[1:])
    EXCLUSIVE.look(one, Effort(2e-5, 10_000, 600))
    searched = [length for length, count in asked if count == 600]  # 0.6 of 10,000 among 10 data sets
    assert sorted(searched) == list(range(1, 11))


def test_a_trait_is_told_as_the_value_that_it_stands_for() -> None:
    told = {trait_words(trait) for answer in ((2.5, None), {"n": 3}, "a b", []) for trait in traits_of(answer)}
    assert "the answer (2.5, None)" in told
    assert "None as part 2 of the answer" in told
    assert "the answer {'n': 3}" in told
    assert "3 as the part 'n' of the answer" in told
    assert "the word b" in told
    assert "an answer that is of type list and length 0" in told
    assert "the answer array(1, 2)" in set(map(trait_words, traits_of(np.array([1, 2]))))
    assert traits_of(np.float64(2.5)) == traits_of(2.5)
    assert {trait_words(trait) for trait in traits_of(Raised("KeyError", "x"))} == {
        "the answer “KeyError: x”",
        "an error of type KeyError",
        "an error of type KeyError with the word x",
    }


@pytest.mark.parametrize("text", ["row {n} at {r}", "count={n};r={r}", '{{"n":{n},"r":{r}}}'])
def test_words_of_texts_and_errors_are_traits_whatever_stands_beside_them(text: str) -> None:
    """A number that differs each time must not hide the one that is told."""
    for make in (str, lambda words: Raised("ValueError", words)):
        one, same, other = (traits_of(make(text.format(n=n, r=r))) for n, r in ((3, 0.25), (3, 0.75), (4, 0.5)))
        assert (one & same) - other


def test_a_bound_is_below_the_true_epsilon() -> None:
    """A one comes with probability 1/2 from one data set and with 10⁻⁵ from the other: ε = ln 50,000 = 10.8."""

    def ones(data: Data, count: int, bits: Bits) -> Outputs:
        return bits.words(count, 32) < (1 << 31 if data else 42_950)

    subject = AuditSubject("rare", Pure("0.1"), Relation.ADD_REMOVE, lambda data, bits: 0, ((0, 1),), ones)
    found = EXCLUSIVE.look(subject, Effort(1e-3, 40_000, 600))
    assert found.is_broken
    assert found.epsilon is not None
    assert 5 < found.epsilon <= 10.8
