"""Making a profile: count people in bins, add noise; first where values lie, then how much people have."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tacit.loss.relation import Relation
from tacit.noise.bits import Bits
from tacit.query.aggregates.noisy_parts import noise_deviation
from tacit.query.catalogue import Catalogue
from tacit.query.engine import Session
from tacit.query.limits.choice import choose_limit
from tacit.query.limits.many_keys import ManyKeys
from tacit.query.lowering.finding import BINS, finding_sql
from tacit.query.plans.noise_share import noise_share
from tacit.query.plans.price import Price
from tacit.query.profile.profile import Profile
from tacit.query.profile.subject import Centres, Subject, numbers_of, subjects_of, value_subjects
from tacit.query.relations.scan import scan
from tacit.query.running.run import bin_counts, with_noise

VALUES = Fraction(1, 5)  # of the price, for where values lie


def make_profile(catalogue: Catalogue, price: Price, relation: Relation, session: Session, bits: Bits) -> Profile:
    """The noisy histograms of all subjects, at the price.

    Two releases, whose shares of the price are fixed: where the values of each number lie, from which its centre is
    read; then rows, totals, totals away from the centre, and keys.
    """
    values = value_subjects(catalogue)
    share = VALUES if values else Fraction(0)
    centres: Centres = {}
    if values:
        centres = _centres(catalogue, _counted(values, price, share, relation, session, bits), price.is_pure)
    subjects = subjects_of(catalogue, not price.is_pure, centres)
    people = _counted(subjects, price, 1 - share, relation, session, bits)
    return Profile(people.people, people.deviation, centres)


def _counted(
    subjects: tuple[Subject, ...], price: Price, share: Fraction, relation: Relation, session: Session, bits: Bits
) -> Profile:
    """Noisy numbers of people, for a share of the price.

    Claim: one person is in one bin of each subject and counts `unit` there, so their vector has norm at most
    the radius of the noise.
    """
    noise = noise_share(price, share, relation)
    unit = noise.split(len(subjects))
    sql = finding_sql([(subject.people, subject.amount) for subject in subjects])
    counts = bin_counts(session.run(sql), len(subjects))
    noisy = with_noise((counts * unit).ravel(), noise, bits).reshape(counts.shape)
    people = {(subject.table, subject.name): row / unit for subject, row in zip(subjects, noisy, strict=True)}
    return Profile(people, noise_deviation(noise.law) / unit, {})


def _centres(catalogue: Catalogue, values: Profile, is_pure: bool) -> Centres:
    """The value that half of the people lie below, in the middle of its bin, for each number."""
    found = {}
    for (table, subject), people in values.people.items():
        name = subject.removeprefix("value ")
        rows = scan(catalogue.description.tables[table], table, catalogue)
        above = choose_limit(BINS, people, values.deviation, ManyKeys(), laplace=is_pure)
        place = int(BINS.index(np.array([above]))[0])
        middle = (int(BINS.edges()[place]) + int(BINS.tops()[place])) // 2
        found[table, name] = numbers_of(rows)[name].low + middle
    return found
