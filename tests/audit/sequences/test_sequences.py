"""Tacit's own desk keeps the laws; every injected fault is seen."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tacit.audit.auditor import Effort
from tacit.audit.sequences.data_set_audit import (
    Questions,
    audit_data_set,
    check_books,
    check_canary,
    write_made_up_clinic,
)
from tacit.audit.sequences.desk import Desk, NoisyNumber, Reply, apart
from tacit.schema.reader import read_description

EFFORT = Effort(1e-4)


class Through(Desk):
    """A desk that delegates everything; a fault changes one thing."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.generator = np.random.default_rng(3)

    def ask(self, analyst: str, sql: str, epsilon: Fraction, **more: bool) -> Reply:
        return self.desk.ask(analyst, sql, epsilon, **more)

    def used(self) -> Fraction:
        return self.desk.used()

    def used_by(self, analyst: str) -> Fraction:
        return self.desk.used_by(analyst)

    def limits(self) -> dict[str, Fraction]:
        return self.desk.limits()


class Forgetful(Through):
    """The books forget a tenth of every charge."""

    def used(self) -> Fraction:
        return self.desk.used() * Fraction(9, 10)


class Renoised(Through):
    """Repeats are free, but with fresh noise."""

    def ask(self, analyst: str, sql: str, epsilon: Fraction, **more: bool) -> Reply:
        reply = super().ask(analyst, sql, epsilon, **more)
        noise = self.generator.normal(0, 1, len(reply.cells))
        moved = zip(reply.cells, noise, strict=True)
        return replace(
            reply, cells=tuple(NoisyNumber(cell.value + cell.deviation * z, cell.deviation) for cell, z in moved)
        )


class Talkative(Through):
    """A refusal reveals a number."""

    def ask(self, analyst: str, sql: str, epsilon: Fraction, **more: bool) -> Reply:
        reply = super().ask(analyst, sql, epsilon, **more)
        return replace(reply, cells=(NoisyNumber(1.0, 1.0),)) if reply.is_refused else reply


class Refunding(Through):
    """A cancelled run is refunded."""

    back = Fraction(0)

    def ask(self, analyst: str, sql: str, epsilon: Fraction, **more: bool) -> Reply:
        reply = super().ask(analyst, sql, epsilon, **more)
        if reply.is_failed:
            self.back += reply.share
        return reply

    def used(self) -> Fraction:
        return self.desk.used() - self.back


class Boundless(Through):
    """No request is ever refused."""

    def ask(self, analyst: str, sql: str, epsilon: Fraction, **more: bool) -> Reply:
        reply = super().ask(analyst, sql, epsilon, **more)
        return Reply((NoisyNumber(1.0, 1.0),)) if reply.is_refused else reply


class Quiet(Through):
    """The noise is half of what is stated."""

    def ask(self, analyst: str, sql: str, epsilon: Fraction, **more: bool) -> Reply:
        reply = super().ask(analyst, sql, epsilon, **more)
        return replace(reply, cells=tuple(NoisyNumber(cell.value, 2 * cell.deviation) for cell in reply.cells))


class Unbounded(Through):
    """One person counts without a limit: everything moves by three deviations."""

    def ask(self, analyst: str, sql: str, epsilon: Fraction, **more: bool) -> Reply:
        reply = super().ask(analyst, sql, epsilon, **more)
        return replace(
            reply, cells=tuple(NoisyNumber(cell.value + 4 * cell.deviation, cell.deviation) for cell in reply.cells)
        )


class Sound(Desk):
    """A desk in memory that keeps every law: Gaussian noise, ρ in the books, stored releases, one budget."""

    def __init__(self, moved: float = 0.0) -> None:
        self.moved = moved
        self.generator = np.random.default_rng(11)
        self.stored: dict[tuple[str, Fraction], Reply] = {}
        self.entries: list[tuple[str, Fraction]] = []

    def ask(self, analyst: str, sql: str, epsilon: Fraction, *, fresh: bool = False, cancel: bool = False) -> Reply:
        if not fresh and (sql, epsilon) in self.stored:
            return replace(self.stored[sql, epsilon], share=Fraction(0))
        rho = epsilon**2 / 20
        share = rho / 20
        if self.used() + share > 1 or self.used_by(analyst) + share > self.limits()[analyst]:
            return Reply(is_refused=True)
        self.entries.append((analyst, share))
        if cancel:
            return Reply(share=share, is_failed=True)
        deviation = 1 / math.sqrt(2 * rho)
        value = 100 + self.moved + float(self.generator.normal(0, deviation))
        reply = Reply((NoisyNumber(value, deviation),), share, float(rho))
        self.stored[sql, epsilon] = reply
        return reply

    def used(self) -> Fraction:
        return sum((share for _, share in self.entries), Fraction(0))

    def used_by(self, analyst: str) -> Fraction:
        return sum((share for who, share in self.entries if who == analyst), Fraction(0))

    def limits(self) -> dict[str, Fraction]:
        return {"ann": Fraction(9, 10), "bob": Fraction(1, 10)}


def any_question(generator: np.random.Generator, hint: float) -> str:
    return f"SELECT COUNT(*) FROM visits WHERE age > {generator.integers(100)} AND cost > {hint}"


BOOKS = [Forgetful, Renoised, Talkative, Refunding, Boundless]


@pytest.mark.parametrize("seed", range(20))
def test_a_sound_desk_passes(seed: int) -> None:
    effort = Effort(1e-6, seed=seed)
    assert not check_books(Sound(), any_question, effort).is_broken
    assert not check_canary(Sound(1.0), Sound(), effort).is_broken


@pytest.mark.parametrize("fault", BOOKS)
def test_faults_of_the_books_are_seen(fault: type[Through]) -> None:
    assert check_books(fault(Sound()), any_question, EFFORT).is_broken, fault.__doc__


@pytest.mark.parametrize("fault", [Quiet, Unbounded])
def test_faults_of_the_noise_are_seen(fault: type[Through]) -> None:
    other = fault(Sound()) if fault is Quiet else Sound()
    assert check_canary(fault(Sound(1.0)), other, EFFORT).is_broken, fault.__doc__


def test_a_person_who_counts_without_a_limit_is_seen() -> None:
    assert check_canary(Sound(30.0), Sound(), EFFORT).is_broken


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    return write_made_up_clinic(tmp_path / "clinic", canary=False)


def test_tacit_keeps_its_laws_and_hides_the_canary(clinic: Path) -> None:
    verdict = audit_data_set(clinic, EFFORT)
    assert not verdict.is_broken, verdict.describe()
    assert len(verdict.findings) == 2
    assert all(finding.could_see for finding in verdict.findings)
    assert sorted(path.name for path in clinic.parent.iterdir()) == ["clinic.toml", "visits.parquet"]


@pytest.mark.long
@pytest.mark.parametrize("fault", BOOKS)
def test_the_same_faults_at_tacits_own_desk_are_seen(fault: type[Through], clinic: Path) -> None:
    asked = Questions.about(read_description(clinic)).any
    with apart(clinic) as desk:
        assert check_books(fault(desk), asked, EFFORT, questions=25).is_broken, fault.__doc__


def test_no_column_is_both_summed_and_averaged(clinic: Path) -> None:
    """A sum can be computed from a released average without a charge: it would look like a repeat with fresh noise."""
    asked, generator = Questions.about(read_description(clinic)).any, np.random.Generator(np.random.PCG64(3))
    functions = {found for _ in range(200) for found in re.findall(r"(SUM|AVG)\((\S+)\)", asked(generator, 0.5))}
    assert len(functions) == len({column for _, column in functions}) == 2
