"""The attacks on secrets: a class of one mind, what the attacker knows besides, and two tables with the same person.

All three take the attacker of k-anonymity's own promise: one who knows the quasi-identifiers of a person in the table,
and so their class, but not their row.
"""

from __future__ import annotations

import numpy as np

from tacit.audit.anonymity.anonymised import Anonymised, anonymise
from tacit.audit.anonymity.exposure import Exposure
from tacit.audit.anonymity.people import People
from tacit.errors import Refused
from tacit.exact import whole


def exploit_homogeneity(table: Anonymised) -> Exposure:
    """People whose whole class has one secret: it is theirs, however large k is (Machanavajjhala 2006)."""
    found = sum(len(one) for one in table.classes if np.unique(table.secrets(one)).size == 1)
    return Exposure("Homogeneity", len(table.people), found, found, "have the one secret of their class")


def exploit_background(table: Anonymised, ruled_out: int = 1, seed: int = 0) -> Exposure:
    """People whose secret is settled once the attacker rules some values out that are not theirs.

    The values are drawn at random from all others of the table: that somebody is too young for one illness and was not
    treated for another. What remains of the class's secrets is theirs if it is one value.
    """
    values = len(table.people.secret_values)
    count = whole(ruled_out, "ruled_out", least=1)
    if not count < values - 1:
        why = "Then the secret is known without the table."
        raise Refused(f"{count:,} of {values:,} values ruled out", why, "so few that two values are left.")
    generator = np.random.default_rng(seed)
    found = 0
    for one in table.classes:
        present = np.unique(table.secrets(one))
        if not 1 < present.size <= count + 1:
            continue
        for secret in table.people.secrets[one.members]:
            others = np.delete(np.arange(values), secret)
            gone = generator.choice(others, count, replace=False)
            found += np.setdiff1d(present, gone).size == 1
    words = f"have one secret left when {count} other value{'s are' if count > 1 else ' is'} ruled out"
    return Exposure("Background knowledge", len(table.people), found, found, words)


def exploit_composition(people: People, k: int, shared: float = 0.2, seed: int = 0) -> Exposure:
    """People who are in two tables, each anonymised with care: only secrets that both of their classes have are left.

    (Ganta, Kasiviswanathan and Smith 2008.) A part of all people is in both tables, the others in one of the two.
    """
    if not 0 < shared < 1:
        raise Refused("the part in both tables", "It must lie strictly between 0 and 1.", "for instance 0.2.")
    order = np.random.default_rng(seed).permutation(len(people))
    both, rest = np.split(order, [max(1, round(shared * len(people)))])
    halves = [np.concatenate([both, part]) for part in np.array_split(rest, 2)]
    tables = [anonymise(people.take(half), k) for half in halves]
    left = [[set(table.secrets(one).tolist()) for one in table.classes] for table in tables]
    places = [table.class_of()[: both.size] for table in tables]
    found = sum(len(left[0][one] & left[1][other]) == 1 for one, other in zip(*places, strict=True))
    alone = sum(min(len(left[0][one]), len(left[1][other])) == 1 for one, other in zip(*places, strict=True))
    words = "in two such tables have one secret in common to both of their classes"
    return Exposure("Composition", int(both.size), found, found, words, alone)
