"""An anonymised table under all attacks, as a report."""

from __future__ import annotations

import numpy as np

from tacit.audit.anonymity.anonymised import Anonymised, anonymise
from tacit.audit.anonymity.attacks import exploit_background, exploit_composition, exploit_homogeneity
from tacit.audit.anonymity.downcoding import downcode
from tacit.audit.anonymity.exposure import Exposure
from tacit.audit.anonymity.measures import Measures, measure
from tacit.audit.anonymity.people import People
from tacit.frozen import frozen


@frozen(eq=False)
class AnonymityReport:
    """What a table at this k promises, and what it gives away."""

    table: Anonymised
    measures: Measures
    exposures: tuple[Exposure, ...]

    def describe(self) -> str:
        head = f"{len(self.table.people):,} people, made {self.table.k}-anonymous. {self.measures.describe()}"
        return "\n".join([head, *(f"  {each.describe()}" for each in self.exposures)])

    def __str__(self) -> str:
        return self.describe()


def attack_anonymity(people: People, k: int, seed: int = 0) -> AnonymityReport:
    """Anonymise and attack. For downcoding a random half of the people is the public reference of the other half."""
    table = anonymise(people, k)
    exposures: list[Exposure] = [exploit_homogeneity(table)]
    if len(people.secret_values) > 2:
        exposures.append(exploit_background(table, 1, seed))
    exposures.append(exploit_composition(people, k, seed=seed))
    known, hidden = np.array_split(np.random.default_rng(seed).permutation(len(people)), 2)
    exposures.append(downcode(anonymise(people.take(hidden), k), people.take(known)))
    return AnonymityReport(table, measure(table), tuple(exposures))
