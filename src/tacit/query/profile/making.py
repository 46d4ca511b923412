"""Making a profile: count people in bins, add noise."""

from __future__ import annotations

from fractions import Fraction

from tacit.loss.relation import Relation
from tacit.noise.bits import Bits
from tacit.query.aggregates.noisy_parts import noise_deviation
from tacit.query.engine import Session
from tacit.query.lowering.finding import finding_sql
from tacit.query.plans.noise_share import noise_share
from tacit.query.plans.price import Price
from tacit.query.profile.profile import Profile
from tacit.query.profile.subject import Subject
from tacit.query.running.run import bin_counts, with_noise


def make_profile(
    subjects: tuple[Subject, ...], price: Price, relation: Relation, session: Session, bits: Bits
) -> Profile:
    """The noisy histograms of all subjects, at the price.

    Claim: one person is in one bin of each subject and counts `unit` there, so their vector has norm at most
    the radius of the noise.
    """
    noise = noise_share(price, Fraction(1), relation)
    unit = noise.split(len(subjects))
    counts = bin_counts(
        session.run(finding_sql([(subject.people, subject.amount) for subject in subjects])), len(subjects)
    )
    noisy = with_noise((counts * unit).ravel(), noise, bits).reshape(counts.shape)
    people = {(subject.table, subject.name): row / unit for subject, row in zip(subjects, noisy, strict=True)}
    return Profile(people, noise_deviation(noise.law) / unit)
