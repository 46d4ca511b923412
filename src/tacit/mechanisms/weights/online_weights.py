"""Online private multiplicative weights: counting questions one by one, paid for only where the estimate is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from math import ceil, log, prod, sqrt
from pathlib import Path
from typing import Any

from tacit.errors import Refused
from tacit.exact import Number, positive, proper, whole
from tacit.frozen import frozen
from tacit.loss.calibration import budget_from
from tacit.loss.composition.sequential import Composition, compose
from tacit.loss.families.approx import Approx, Pure
from tacit.loss.families.loss import Loss, Relation
from tacit.loss.families.zcdp import Zcdp
from tacit.loss.pairs.repeated_approx import RepeatedApprox
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.mechanism import Answer, Mechanism, cost, percent
from tacit.mechanisms.selection.above_threshold import AboveThreshold
from tacit.mechanisms.statistics.counts import Sensitivity, calibrated, check_people
from tacit.mechanisms.weights.hypothesis import Asked, Hypothesis, cells_asked, checked_sizes, private_histogram
from tacit.mechanisms.weights.weights_session import WeightsReply, WeightsSession
from tacit.noise.bits import ENTROPY, Bits

_SURPRISE = Fraction(1, 2)  # share of the price of an update for the comparison that finds it
_HALVINGS = 5  # iterations towards a sufficient number of updates


@frozen
class OnlineWeights(Mechanism[Any, "WeightsAnswers"]):
    """Answers counting questions from a public hypothesis, and from the data where that is wrong by `alarm` or more.

    After Hardt and Rothblum (2010). At most `updates` answers come from the data; each corrects the hypothesis. The
    value is the histogram over the declared domain and a list of questions; `start` opens a session instead, in which
    each question may be chosen after the answers before it.

    Claim: all answers, however many and however chosen, cost `loss`: `updates` runs of an ε-private comparison,
    `updates` noisy counts and, under add/remove, one more for the number of people. Proof: a person moves a count by at
    most 1, under either relation, and so its distance from what the hypothesis says, which is a whole number made from
    earlier answers alone. Up to each update the session is one run of `AboveThreshold` on such distances, with a
    threshold of its own; then one count is released with fresh noise. Everything between is post-processing. Each run
    costs ε = `surprise` for any questions, and begins after the one before has ended; the losses are fixed in advance,
    so they compose, also for adaptive questions. After the last update nothing private is read. Where sessions and
    other releases about the same people take turns, the sum of their losses is still valid: concurrent composition of
    interactive mechanisms (Vadhan and Wang 2021, Lyu 2022, Vadhan and Zhang 2023).
    """

    sizes: tuple[int, ...]
    relation: Relation
    updates: int
    alarm: int
    slack: int
    surprise: Fraction
    measurement: Loss
    people: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "sizes", checked_sizes(self.sizes))
        object.__setattr__(self, "updates", whole(self.updates, "updates", 1))
        object.__setattr__(self, "alarm", whole(self.alarm, "alarm", 1))
        object.__setattr__(self, "slack", whole(self.slack, "slack"))
        object.__setattr__(self, "surprise", positive(self.surprise, "surprise"))
        check_people(self.people, self.relation)
        self.noise  # noqa: B018  (a measurement that no noise meets is refused here)

    @classmethod
    def for_loss(
        cls,
        target: Loss,
        sizes: Iterable[int],
        relation: Relation,
        updates: int,
        alarm: int | None = None,
        *,
        people: int | None = None,
        share: Number = _SURPRISE,
    ) -> OnlineWeights:
        """All updates at the price `target`, a `share` of each for finding it: a pure ε, an (ε, δ), or a ρ.

        The usual alarm is 8/ε, for the ε of a comparison: false alarms are rare. `slack`, the noise that a
        correction allows for, is that of one count with 95% confidence.
        """
        part, times = proper(share, "share"), whole(updates, "updates", 1)
        measured = times + (people is None)
        measurement: Loss
        if isinstance(target, Approx) and target.exact_delta == 0:
            total = target.exact_epsilon
            surprise, measurement = total * part / times, Pure(total * (1 - part) / measured)
        elif isinstance(target, (Approx, Zcdp)):
            rho = _rho(target)
            surprise = Fraction(sqrt(2 * rho * part / times) * (1 - 2.0**-50))
            measurement = Zcdp(rho * (1 - part) / measured)
        else:
            raise Refused(
                f"updates at ({target})", "Its currency is not divided.", "Pure(1), Approx(1, 1e-6), Zcdp(…)."
            )
        level = ceil(8 / surprise) if alarm is None else alarm
        slack = int(calibrated(measurement, Sensitivity(1, 1), relation).error())
        return cls(tuple(sizes), relation, times, level, slack, surprise, measurement, people)

    @classmethod
    def for_questions(
        cls, target: Loss, sizes: Iterable[int], people: int, questions: int, confidence: Number = "0.95"
    ) -> OnlineWeights:
        """Nearly the least alarm at which so many questions, whatever they are, are provably answered within `error`.

        For a public number of people, under replace. Claim: if no noise exceeds alarm/2, a surprise moves the relative
        entropy by at least ½(alarm/people)² (`Hypothesis.corrected`), which is at most ln|X| to begin with; so 2·ln|X|·
        (people/alarm)² updates suffice. (The 1 in alarm = 2·noise + 1 makes up for guesses that are rounded.) More
        updates need a higher alarm, because they have more noise, and a higher alarm needs fewer.
        """
        shape, asked, level = checked_sizes(sizes), whole(questions, "questions", 1), proper(confidence, "confidence")
        entropy = log(prod(shape))
        price = Zcdp(_rho(target)) if isinstance(target, Approx) and target.exact_delta else target

        def made(updates: int) -> OnlineWeights:
            quiet = cls.for_loss(price, shape, Relation.REPLACE, updates, 1, people=people)
            comparison, measured = quiet.noise_errors(asked, level)
            alarm = 2 * max(comparison, measured) + 1
            return replace(quiet, alarm=alarm, slack=measured)

        def needed(updates: int) -> float:
            return 2 * entropy * (people / made(updates).alarm) ** 2

        updates = 1
        for _ in range(_HALVINGS):
            # half-way, in logarithms, because the number needed decreases
            updates = max(1, ceil(sqrt(updates * needed(updates))))
        while not updates > needed(updates):
            updates += 1 + updates // 100
        return made(updates)

    @cached_property
    def comparison(self) -> AboveThreshold:
        """The comparison of one run, which ends with the next update."""
        return AboveThreshold.for_epsilon(self.surprise, self.alarm, 1, self.relation)

    @cached_property
    def noise(self) -> Laplace | Gaussian:
        return calibrated(self.measurement, Sensitivity(1, 1), self.relation)

    @cached_property
    def loss(self) -> Composition:
        runs = RepeatedApprox(self.surprise, 0, self.updates)
        return Composition([runs, compose(*[self.noise.loss] * (self.updates + (self.people is None)))])

    def noise_errors(self, questions: int, confidence: Number = "0.95") -> tuple[int, int]:
        """The errors of comparisons and of noisy counts, all of them together with this confidence."""
        miss = (1 - proper(confidence, "confidence")) / 2
        run = self.comparison.error(1 - miss / self.updates, questions)
        return int(run), int(self.noise.error(1 - miss, self.updates))

    def error(self, confidence: Number = "0.95", questions: int = 1) -> int:
        """The error of so many answers together, as long as an update is left; after that there is no bound.

        An answer of the hypothesis is wrong by less than the alarm plus the error of the comparison; one from the data
        by its noise. The law of the noise is exact; the errors are combined by the union bound.
        """
        comparison, measured = self.noise_errors(whole(questions, "questions", 1), confidence)
        return max(self.alarm + comparison, measured)

    def start(self, histogram: Any, file: str | Path) -> WeightsSession:
        """A new session, at the price of `loss`; each answer is stored in this new file before it is returned."""
        return WeightsSession.start(self, private_histogram(histogram, self.sizes), ENTROPY, Path(file))

    def begun(self, people: int | None) -> Hypothesis:
        """The hypothesis before the first question."""
        return Hypothesis.uniform(self.sizes, self.people or people or 0)

    def privatize(self, value: tuple[Any, Sequence[Asked]], bits: Bits) -> tuple[WeightsReply, ...]:
        histogram, asked = value
        # refuse invalid questions first, wherever updates would end
        questions = [cells_asked(each, self.sizes) for each in asked]
        session = WeightsSession(self, private_histogram(histogram, self.sizes), bits)
        return tuple(session.ask(each) for each in questions)

    def answer(self, private: tuple[WeightsReply, ...]) -> WeightsAnswers:
        return WeightsAnswers(private, self)


@frozen(eq=False)
class WeightsAnswers(Answer):
    """The replies to a list of questions, in its order."""

    value: tuple[WeightsReply, ...]
    mechanism: OnlineWeights

    @property
    def has_run_dry(self) -> bool:
        """Whether the last replies came from a hypothesis that is no longer compared with the data."""
        return any(each.is_unchecked for each in self.value)

    def error(self, confidence: Number = "0.95") -> int:
        if self.has_run_dry:
            raise Refused("the error of all replies", "The last are not compared with the data.", "more updates.")
        return self.mechanism.error(confidence, max(1, len(self.value)))

    def interval(self, confidence: Number = "0.95") -> tuple[list[int], list[int]]:
        half = self.error(confidence)
        return [each.number - half for each in self.value], [each.number + half for each in self.value]

    def describe(self, confidence: Number = "0.95") -> str:
        """The counts, the number of them from the data, the error if there is one, and the cost."""
        counts = ", ".join(f"{each.number:,}" for each in self.value)
        paid = sum(each.is_surprise for each in self.value)
        sure = "no error is known of the last" if self.has_run_dry else f"all ± {self.error(confidence):,}"
        known = "" if self.has_run_dry else f" with {percent(confidence)} confidence"
        return f"{counts}  ({paid} from the data; {sure}{known}; cost {cost(self.loss)})"


def _rho(target: Approx | Zcdp) -> Fraction:
    return target.rho if isinstance(target, Zcdp) else budget_from(target.exact_epsilon, target.exact_delta, 0).rho
