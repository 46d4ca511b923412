"""Attacks on k-anonymous tables: homogeneity, background knowledge, composition, and downcoding.

The first three take the attacker of k-anonymity's own promise: one who knows the quasi-identifiers of a person in the
table, and so their class, but not their row. Downcoding uses that a class was *not* split, which reveals what its
members are (Cohen 2022). An exposure states how many people an attack reaches, and with what certainty. A report has a
table's measures and the exposures of every attack.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from tacit.audit.anonymity.k_anonymity import Anonymised, EquivalenceClass, Measures, anonymise, measure
from tacit.audit.anonymity.microdata import Node, People
from tacit.errors import Refused
from tacit.exact import whole
from tacit.frozen import frozen


@frozen
class Exposure:
    """The people whom an attack makes a statement about, the number of correct ones, and the attack in words."""

    attack: str
    people: int
    said: int
    """The number of people about whom the attack reveals more than the table says."""

    right: int
    words: str
    """The statement in words, for a sentence after "N of M people"."""

    alone: int | None = None
    """The number of them that one table alone exposes, where the attack joins several."""

    is_secret: ClassVar[bool] = True
    """Whether it reveals the secret itself, not only a finer word of a known fact."""

    @property
    def share(self) -> float:
        """The share of all people with a correct statement."""
        return self.right / self.people

    @property
    def parts(self) -> str:
        """The people exposed by one table and those exposed only by several, in words.

        Empty for an attack on one table.
        """
        if self.alone is None:
            return ""
        return f"{self.alone:,} by one table alone, {self.said - self.alone:,} only by both together"

    def describe(self) -> str:
        certain = "" if self.right == self.said else f"; right about {self.right / self.said:.1%} of them"
        joined = f" ({self.parts})" if self.parts else ""
        return f"{self.attack}: {self.said:,} of {self.people:,} people {self.words}{joined}{certain}."

    def __str__(self) -> str:
        return self.describe()


def exploit_homogeneity(table: Anonymised) -> Exposure:
    """People whose whole class has one secret, which is therefore theirs for any k (Machanavajjhala 2006)."""
    found = sum(len(one) for one in table.classes if np.unique(table.secrets(one)).size == 1)
    return Exposure("Homogeneity", len(table.people), found, found, "have the one secret of their class")


def exploit_background(table: Anonymised, ruled_out: int = 1, seed: int = 0) -> Exposure:
    """People whose secret is determined once the attacker rules out some values that are not theirs.

    The values ruled out are drawn at random from all others of the table; for instance, a person is too young for one
    illness and was not treated for another. What remains of the class's secrets is theirs if it is one value.
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
    """People who are in two anonymised tables: only secrets that both of their classes have are possible.

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


@frozen
class Downcoded(Exposure):
    """The exposure, and the share of correct guesses without the table."""

    public: float = 0.0
    """The number of right guesses from the public reference alone."""

    is_secret: ClassVar[bool] = False

    def describe(self) -> str:
        if not self.said:
            return super().describe()
        return f"{super().describe()[:-1]}, where public figures alone would be about {self.public / self.said:.1%}."


@frozen
class _Guess:
    """The guessed branch of a class's members, and its probability without and with the table."""

    column: int
    branch: Node
    public: float
    sure: float


def downcode(table: Anonymised, reference: People) -> Downcoded:
    """Guess a finer word than was published: a word that was not split has a branch with fewer than k people.

    Claim: in a minimal table a class of s people, in a word with two branches, has at least s−k+1 of them in one.
    Proof: were one branch empty, the class would have the other's word; had both k people, it would have been split. A
    public reference (a census, last year's table) shows which of the two it is, and how much this adds to public
    knowledge: the branches' counts are binomial with its share, given that they are so uneven. For each class of 2k
    people or more, the word with the largest gain is guessed.
    """
    said = right = 0
    public = 0.0
    for one in table.classes:
        guess = _best_guess(table, one, reference) if len(one) >= 2 * table.k else None
        if guess is None:
            continue
        leaves = table.people.known[one.members, guess.column]
        said += len(one)
        right += _within(leaves, guess.branch)
        public += guess.public * len(one)
    words = "in classes that could not be split get a finer word than was published"
    return Downcoded("Downcoding", len(table.people), said, right, words, public=public)


def _best_guess(table: Anonymised, one: EquivalenceClass, reference: People) -> _Guess | None:
    trees = table.people.hierarchies
    columns = [column for column, tree in enumerate(trees) if len(tree.children(one.nodes[column])) == 2]
    guesses = [_guess(reference, one, column, table.k) for column in columns]
    return max(
        (each for each in guesses if each.sure > each.public), key=lambda each: each.sure - each.public, default=None
    )


def _guess(reference: People, one: EquivalenceClass, column: int, k: int) -> _Guess:
    """The likelier branch for people who fit the class, and the share of the class that is then right, both ways."""
    from scipy.stats import binom

    fits = np.ones(len(reference), dtype=np.bool_)
    for place, (low, high) in enumerate(one.nodes):
        fits &= (reference.known[:, place] >= low) & (reference.known[:, place] < high)
    first, second = reference.hierarchies[column].children(one.nodes[column])
    leaves = reference.known[fits, column]
    below, above = _within(leaves, first), _within(leaves, second)
    branch, share = (first, below) if below >= above else (second, above)
    public = (share + 1) / (below + above + 2)
    counts = np.concatenate([np.arange(1, k), np.arange(len(one) - k + 1, len(one))])
    chances = binom.pmf(counts, len(one), public)
    sure = float(counts @ chances / chances.sum() / len(one)) if chances.sum() > 0 else public
    return _Guess(column, branch, public, sure)


def _within(leaves: np.ndarray[tuple[int, ...], np.dtype[np.int64]], node: Node) -> int:
    return int(np.count_nonzero((leaves >= node[0]) & (leaves < node[1])))


@frozen(eq=False)
class AnonymityReport:
    """The measures of a table at this k, and its exposures."""

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
