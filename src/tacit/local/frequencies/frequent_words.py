"""Frequent words: heavy hitters in a domain of texts too large to list, found letter by letter."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase
from typing import Final

import numpy as np

from tacit.errors import Refused
from tacit.exact import Number, whole
from tacit.frozen import frozen
from tacit.local.frequencies.heavy_hitters import LONGEST, HeavyHitters, PrefixReport, PrefixSearch
from tacit.local.frequencies.report_rows import Rows
from tacit.local.randomizers.randomizer import odds_within
from tacit.loss.families.loss import Loss
from tacit.noise.bits import Rehearsal

LETTERS: Final = ascii_lowercase + " -'."  # with the end of a word, 31 signs: five bits each, twelve letters in a word


@frozen
class WordSearch:
    """A `PrefixSearch` over words: each letter has a number, 0 is the end, and prefixes grow letter by letter.

    Claim: that of the search, since a word's number is a function of the word; words differ in their numbers.
    """

    search: PrefixSearch
    alphabet: str
    longest: int

    def __post_init__(self) -> None:
        whole(self.longest, "longest", 1)
        if not (len(set(self.alphabet)) == len(self.alphabet) > 0 and self.width * self.longest == self.search.length):
            asked, why = f"words of {self.longest} letters in {self.search.length} bits", "They do not fit."
            raise Refused(asked, why, f"letters that differ, {self.width} bits each.")

    @classmethod
    def within(cls, epsilon: Number, longest: int | None = None, alphabet: str = LETTERS) -> WordSearch:
        """The search with the largest odds that ε permits, for words as long as 62 bits hold, or shorter."""
        width = len(alphabet).bit_length()
        letters = whole(longest if longest is not None else LONGEST // max(width, 1), "longest", 1)
        if not (1 <= width <= 8 and width * letters <= LONGEST):
            raise Refused(
                f"words of {letters} letters from an alphabet of {len(alphabet)}",
                f"They need {width * letters} bits, and a letter needs {width}.",
                f"at most {LONGEST} bits, and at most 8 a letter: fewer letters, or a smaller alphabet.",
            )
        length = width * letters
        return cls(
            PrefixSearch(length, odds_within(epsilon), start=min(2 * width, 16, length), step=width), alphabet, letters
        )

    @property
    def width(self) -> int:
        """Bits of a letter."""
        return len(self.alphabet).bit_length()

    @property
    def loss(self) -> Loss:
        """The loss of one report."""
        return self.search.loss

    def report(self, words: Sequence[str]) -> tuple[Rows, ...]:
        """The reports of people with these words, group by group, from the operating system's entropy.

        There is no seed.
        """
        return self.search.report(self._numbers(words))

    def report_one(self, word: str) -> PrefixReport:
        """The group that one device drew, and its report."""
        return self.search.report_one(self._number(word))

    def rehearse(self, words: Sequence[str], bits: Rehearsal) -> tuple[Rows, ...]:
        """The same on scripted or seeded bits, for tests and simulations: not private."""
        return self.search.rehearse(self._numbers(words), bits)

    def gather(self, reports: Sequence[PrefixReport]) -> tuple[Rows, ...]:
        """The reports of single devices, group by group."""
        return self.search.gather(reports)

    def find(self, reports: tuple[Rows, ...], false_positives: Number = "0.05", least: Number = 0) -> HeavyHitters:
        """The words whose share is certainly above `least`, by the claim of `PrefixSearch.find`.

        Numbers that are not of a word are left out, since no one holds them.
        """
        found = self.search.find(reports, false_positives, least)
        words = [self._word(int(number)) for number in found.values]
        kept = np.array([word is not None for word in words], bool)
        listed = np.array([word for word in words if word is not None], np.str_)
        return HeavyHitters(listed, found.shares[kept], found.low[kept], found.high[kept])

    def _numbers(self, words: Sequence[str]) -> list[int]:
        if isinstance(words, str):
            raise Refused("one word for many people", "It would be read letter by letter.", "[…], or report_one(word).")
        return [self._number(word) for word in words]

    def _number(self, word: str) -> int:
        """A word's number; a text without a number is refused without being named."""
        if not (isinstance(word, str) and 0 < len(word) <= self.longest and set(word) <= set(self.alphabet)):
            usual = "lower-case letters a to z, spaces, hyphens, apostrophes or points; no capitals, no digits"
            known = usual if self.alphabet == LETTERS else f"of the letters “{self.alphabet}”, as they stand there"
            letters = f"1 to {self.longest} {known}."
            raise Refused("a word that cannot be written", "It is empty, too long, or has other letters.", letters)
        codes = [self.alphabet.index(letter) + 1 for letter in word]
        number = 0
        for code in codes + [0] * (self.longest - len(codes)):
            number = number << self.width | code
        return number

    def _word(self, number: int) -> str | None:
        """The word of a number; None where there is none."""
        codes = [number >> self.width * place & (1 << self.width) - 1 for place in reversed(range(self.longest))]
        end = codes.index(0) if 0 in codes else self.longest
        if end == 0 or any(codes[end:]) or max(codes) > len(self.alphabet):
            return None
        return "".join(self.alphabet[code - 1] for code in codes[:end])
