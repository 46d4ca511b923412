"""How many people hold each key, where the keys themselves are private: rare ones are withheld."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

from tacit.errors import Refused
from tacit.exact import Number, proper, whole
from tacit.frozen import frozen
from tacit.loss.composition.parallel import worst
from tacit.loss.composition.sequential import Composition
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.loss import Loss, Relation
from tacit.loss.families.zcdp import Zcdp
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.inputs import Key, in_key_order
from tacit.mechanisms.mechanism import Answer, Mechanism, percent
from tacit.mechanisms.selection.key_selection import count_held
from tacit.mechanisms.statistics.counts import Sensitivity, calibrated, check_terms, price
from tacit.mechanisms.statistics.histogram import counts_table
from tacit.noise.ball import Ball, ball, first_true, fraction_up, less, precision
from tacit.noise.bits import Bits
from tacit.noise.slabs import slabs

_SHARES = (Fraction(0), Fraction(1, 64), Fraction(1, 8), Fraction(1, 2), Fraction(3, 4))  # share of δ held in reserve


@frozen
class StabilityHistogram(Mechanism[Any, "PrivateKeys"]):
    """Adds noise to the count of every key that occurs, and releases the keys whose noisy count reaches a threshold.

    Each person holds at most `most_keys` keys (m), each once. Claim: let p be the exact probability that a key held by
    one person is released, P(1 + noise ≥ threshold), with the very predicate that filters. Take neighbours under
    add/remove, and let j of the changed person's keys be held by nobody else. Unless one of these j is released, which
    has probability δⱼ = 1−(1−p)^j in one world and 0 in the other, the outputs are the noisy counts of keys that occur
    in both worlds, at most m−j of which differ, by 1, then filtered, which is post-processing. So this pair costs no
    more than the noise at sensitivity m−j outside an event of probability δⱼ. For j = 0 that is the noise alone; for j
    ≥ 1 it is within the noise at m−1 with δₘ: the release costs the worse of the two. For m = 1 this is exact, for a
    person either moves one count or is the whole of a key, never both. Under replace the old and the new keys may both
    be unique: the event has at most the larger δⱼ in either world, and at most 2m−j counts differ. An Approx(ε, δ) is
    met by Laplace noise of pure ε, or by Gaussian noise on request, which is better for large m; a Zcdp(ρ, δ) by
    Gaussian noise of ρ. The time a release takes grows with the number of keys.
    """

    target: Approx | Zcdp
    relation: Relation
    most_keys: int = 1
    gaussian: bool = False

    def __post_init__(self) -> None:
        check_terms(self.target, self.relation)
        object.__setattr__(self, "most_keys", whole(self.most_keys, "most_keys", 1))
        if not (isinstance(self.target, (Approx, Zcdp)) and 0 < self.target.exact_delta < 1):
            raise Refused(
                f"private keys at ({self.target})",
                "That a key appears at all can give its only holder away, and this must have a probability δ > 0.",
                "an Approx(ε, δ) or a Zcdp(ρ, δ) with 0 < δ < 1; or public keys, by `Histogram`.",
            )
        self.loss  # noqa: B018  (refuse here, not at the release, a target that cannot be met)

    @property
    def noise(self) -> Laplace | Gaussian:
        return self._rule[0]

    @property
    def threshold(self) -> int:
        """The least noisy count that is released."""
        return self._rule[1]

    @cached_property
    def _rule(self) -> tuple[Laplace | Gaussian, int]:
        """The noise and the threshold: of those that keep the target, the ones with the least threshold."""
        if isinstance(self.target, Zcdp):
            noise = self._calibrated(Zcdp(self.target.rho))
            return noise, self._threshold(noise, self.target.exact_delta)
        if not self.gaussian:
            noise = self._calibrated(Pure(self.target.exact_epsilon))
            return noise, self._threshold(noise, self.target.exact_delta)
        aim = self.target
        noises = [self._calibrated(Approx(aim.exact_epsilon, aim.exact_delta * (1 - share))) for share in _SHARES]
        return min(((noise, self._joint_threshold(noise, aim)) for noise in noises), key=lambda rule: rule[1])

    @property
    def _moved(self) -> int:
        return self.most_keys * (2 if self.relation is Relation.REPLACE else 1)

    def _calibrated(self, target: Loss) -> Laplace | Gaussian:
        return calibrated(target, Sensitivity(self._moved, self._moved), self.relation)

    def _threshold(self, noise: Laplace | Gaussian, delta: Fraction) -> int:
        """The least threshold at which all of a person's keys together appear with probability at most δ."""
        return first_true(
            lambda least: less(lambda: ball(1 - delta), lambda: (1 - noise.law.tail(least - 1)) ** self.most_keys), 1
        )

    def _joint_threshold(self, noise: Laplace | Gaussian, aim: Approx) -> int:
        """The least threshold with which the noise keeps (ε, δ), where it spends some of δ itself."""
        spent = Fraction(_at(noise, self._moved - 1).delta(aim.exact_epsilon)) if self._moved > 1 else Fraction(0)
        return self._threshold(noise, (aim.exact_delta - spent) / (1 - spent))

    @cached_property
    def loss(self) -> Loss:
        noise, threshold = self.noise, self.threshold
        with precision(256):
            slip = Approx(0, fraction_up(1 - (1 - noise.law.tail(threshold - 1)) ** self.most_keys))
        unique = slip if self._moved == 1 else Composition((slip, _at(noise, self._moved - 1)))
        return worst((_at(noise, self._moved), unique))

    def error(self, confidence: Number = "0.95") -> int:
        """The exact quantile of the noise, for a key that is surely released."""
        return int(self.noise.error(confidence))

    def least(self, count: int, confidence: Number = "0.95") -> int:
        """The fewest people who may hold a key that was released with this noisy count.

        A rare key appears with a small probability, and then its noisy count is far too high. So the bound uses the
        probability of such a count, given that the key appears: P(n + noise ≥ count) against P(n + noise ≥ threshold),
        which rises with n since the noise is log-concave. With half of 1 − confidence on this side, and ± the error on
        the other (where conditioning on appearance only helps), the interval holds the truth with the confidence for
        whatever is released.
        """
        share, tail = (1 - proper(confidence, "confidence")) / 2, self.noise.law.tail
        return first_true(lambda n: less(lambda: ball(share) * tail(self.threshold - n), lambda: tail(count - n)), 1)

    def surely(self, confidence: Number = "0.95") -> int:
        """The least number of people whose key appears with this confidence."""
        share = proper(confidence, "confidence")
        return first_true(lambda n: less(lambda: ball(share), lambda: self.noise.law.tail(self.threshold - n)), 1)

    def privatize(self, value: Any, bits: Bits) -> dict[Key, int]:
        counts = count_held(value, self.most_keys)
        keys = in_key_order(counts)
        draws = slabs(self.noise.law).draw(len(keys), bits)
        noisy = {key: counts[key] + int(draw) for key, draw in zip(keys, draws, strict=True)}
        return {key: count for key, count in noisy.items() if count >= self.threshold}

    def probability(self, records: Any, output: Mapping[Key, int]) -> Ball:
        """The exact probability of these keys with these counts."""
        counts: Counter[Key] = count_held(records, self.most_keys)
        if not set(output) <= set(counts) or any(count < self.threshold for count in output.values()):
            return ball(0)
        law, chance = self.noise.law, ball(1)
        for key, count in counts.items():
            chance *= law.mass(output[key] - count) if key in output else 1 - law.tail(self.threshold - count)
        return chance

    def answer(self, private: Any) -> PrivateKeys:
        return PrivateKeys(private, self)


@frozen(eq=False)
class PrivateKeys(Answer):
    """The keys that passed, in the order of the keys themselves, each with its noisy count."""

    value: dict[Key, int]
    mechanism: StabilityHistogram

    def interval(self, confidence: Number = "0.95") -> tuple[dict[Key, int], dict[Key, int]]:
        """The ends for each released key, valid with this confidence given that only keys that passed are released."""
        half = self.mechanism.error(confidence)
        least = {count: self.mechanism.least(count, confidence) for count in set(self.value.values())}
        return (
            {key: least[count] for key, count in self.value.items()},
            {key: count + half for key, count in self.value.items()},
        )

    def describe(self, confidence: Number = "0.95") -> str:
        rule, half = self.mechanism, self.mechanism.error(confidence)
        low, high = self.interval(confidence)
        errors = [
            f"± {half:,}" if low[key] == count - half else f"(between {low[key]:,} and {high[key]:,})"
            for key, count in self.value.items()
        ]
        table = counts_table(self.value, errors) if self.value else "no key was common enough"
        return (
            f"{table}\n(keys held by fewer than about {rule.threshold:,} people are withheld, and one held by "
            f"{rule.surely(confidence):,} or more appears with probability {percent(confidence)}; "
            f"{percent(confidence)} interval for each key; cost {price(rule.target, rule.loss)})"
        )


def _at(noise: Laplace | Gaussian, moved: int) -> Loss:
    """The loss of this noise when `moved` counts differ by 1."""
    if isinstance(noise, Laplace):
        return Laplace(Fraction(moved), noise.relation, scale=noise.scale).loss
    with precision(256):
        return Gaussian(fraction_up(ball(moved).sqrt()), noise.relation, variance=noise.variance).loss
