"""Making a profile: count people in bins, add noise; first where values lie, then how much people have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Bits
from tacit.query.aggregates.even_grid import Edges
from tacit.query.aggregates.noisy_parts import noise_deviation
from tacit.query.catalogue import Catalogue
from tacit.query.engines.protocol import Session, Stage, add_up
from tacit.query.limits.choice import choose_limit
from tacit.query.limits.many_keys import ManyKeys
from tacit.query.lowering.finding import BINS, finding_sql
from tacit.query.plans.noise_share import noise_share
from tacit.query.plans.price import Price
from tacit.query.prepared.statements import STATEMENTS, Statements
from tacit.query.profile.profile import Profile
from tacit.query.profile.regridding import even_edges
from tacit.query.profile.subject import Centres, Subject, numbers_of, subjects_of, value_subjects
from tacit.query.relations.scan import scan
from tacit.query.running.run import bin_counts, with_noise
from tacit.query.steps import Steps

VALUES = Fraction(1, 5)  # of the price, for where values lie


@frozen(eq=False)
class ProfileRun:
    """The stages of a profile: the noisy histograms of all subjects, at the price.

    Their shares of the price are fixed: where the values of each number lie, from which its centre and the edges of an
    even grid are read; then rows, totals, totals away from the centre, keys, and norms on the grid.
    """

    catalogue: Catalogue
    price: Price
    relation: Relation
    statements: Statements = STATEMENTS

    @cached_property
    def _values(self) -> tuple[Subject, ...]:
        return value_subjects(self.catalogue, not self.price.is_pure, self.statements)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Each draws noise once, and gives a profile's bytes; the last is the whole."""
        return (self._lie, self._have) if self._values else (self._have,)

    def _lie(self, session: Session, bits: Bits, _: Sequence[bytes]) -> bytes:
        return self._counted(self._values, VALUES, session, bits).to_bytes()

    def _have(self, session: Session, bits: Bits, released: Sequence[bytes]) -> bytes:
        lying = Profile.from_bytes(released[0]) if self._values else Profile({}, 0.0, {})
        centres, edges = _centres(self.catalogue, lying, self.price.is_pure), _edges(self.catalogue, lying)
        subjects = subjects_of(self.catalogue, not self.price.is_pure, centres, edges, self.statements)
        share = 1 - VALUES if self._values else Fraction(1)
        people = self._counted(subjects, share, session, bits)
        return Profile(people.people, people.deviation, centres, edges).to_bytes()

    def _counted(self, subjects: tuple[Subject, ...], share: Fraction, session: Session, bits: Bits) -> Profile:
        """Noisy numbers of people, for a share of the price.

        Claim: one person is in one bin of each subject and counts `unit` there, so their vector has norm at most
        the radius of the noise.
        """
        noise = noise_share(self.price, share, self.relation)
        unit = noise.split(len(subjects))
        sql = finding_sql([(subject.people, subject.amount) for subject in subjects])
        counts = bin_counts(add_up(session, sql), len(subjects))
        noisy = with_noise((counts * unit).ravel(), noise, bits).reshape(counts.shape)
        people = {(subject.table, subject.name): row / unit for subject, row in zip(subjects, noisy, strict=True)}
        return Profile(people, noise_deviation(noise.law) / unit, {})


def _centres(catalogue: Catalogue, values: Profile, is_pure: bool) -> Centres:
    """The value that half of the people lie below, in the middle of its bin, for each number."""
    found = {}
    for table, name, steps, people in _lying(catalogue, values, "value "):
        above = choose_limit(BINS, people, values.deviation, ManyKeys(), laplace=is_pure)
        place = int(BINS.index(np.array([above]))[0])
        middle = (int(BINS.edges()[place]) + int(BINS.tops()[place])) // 2
        found[table, name] = steps.low + middle
    return found


def _edges(catalogue: Catalogue, values: Profile) -> Edges:
    """The edges of each number's even grid, where they can be told."""
    cut = {
        (table, name): even_edges(steps, people, values.deviation)
        for table, name, steps, people in _lying(catalogue, values, "sample ")
    }
    return {column: edges for column, edges in cut.items() if edges}


def _lying(catalogue: Catalogue, values: Profile, kind: str) -> Iterator[tuple[str, str, Steps, NDArray[np.float64]]]:
    """Table, name and steps of each number, and how many people have values where."""
    for (table, subject), people in values.people.items():
        if subject.startswith(kind):
            name = subject.removeprefix(kind)
            rows = scan(catalogue.description.tables[table], table, catalogue)
            yield table, name, numbers_of(rows)[name], people
