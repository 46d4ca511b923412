"""Downcoding: why a class was *not* split tells what its members are (Cohen 2022)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from tacit.audit.anonymity.anonymised import Anonymised, Class
from tacit.audit.anonymity.exposure import Exposure
from tacit.audit.anonymity.hierarchy import Node
from tacit.audit.anonymity.people import People
from tacit.frozen import frozen


@frozen
class Downcoded(Exposure):
    """The exposure, beside what would have been right without the table."""

    public: float = 0.0
    """So many would be right of as many people like these, who are in no table: by the public reference alone."""

    is_secret: ClassVar[bool] = False

    def describe(self) -> str:
        if not self.said:
            return super().describe()
        return f"{super().describe()[:-1]}, where public figures alone would be about {self.public / self.said:.1%}."


@frozen
class _Guess:
    """The branch that a class's members are said to be in, and how sure that is before and after the table."""

    column: int
    branch: Node
    public: float
    sure: float


def downcode(table: Anonymised, reference: People) -> Downcoded:
    """Say a finer word than was published: a word that was not split has a branch of fewer than k people.

    Claim: in a minimal table a class of s people, in a word with two branches, has at least s−k+1 of them in one.
    Proof: were one branch empty, the class would have the other's word; had both k people, it would have been split.
    Which of the two it is, and how far that goes beyond what is known of such people anyhow, a public reference tells
    (a census, last year's table): the branches' counts are binomial with its share, given that they are so uneven.
    Each class of 2k people or more gets the word that is learnt most about.
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


def _best_guess(table: Anonymised, one: Class, reference: People) -> _Guess | None:
    trees = table.people.hierarchies
    columns = [column for column, tree in enumerate(trees) if len(tree.children(one.nodes[column])) == 2]
    guesses = [_guess(reference, one, column, table.k) for column in columns]
    return max(
        (each for each in guesses if each.sure > each.public), key=lambda each: each.sure - each.public, default=None
    )


def _guess(reference: People, one: Class, column: int, k: int) -> _Guess:
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
