"""What an attack on an anonymised table reached: how many people, with what certainty."""

from __future__ import annotations

from typing import ClassVar

from tacit.frozen import frozen


@frozen
class Exposure:
    """The people about whom an attack says something, how many of them it is right about, and how."""

    attack: str
    people: int
    said: int
    """About so many people the attack says something that the table does not."""

    right: int
    words: str
    """What it says, for a sentence after "N of M people"."""

    alone: int | None = None
    """How many of them one table alone would have exposed, where the attack joins several."""

    is_secret: ClassVar[bool] = True
    """Whether it learns the secret itself, not only a finer word of what is known."""

    @property
    def share(self) -> float:
        """The part of all people about whom it is right."""
        return self.right / self.people

    @property
    def parts(self) -> str:
        """Whom one table alone exposes and whom only several do, in words; empty where the attack has one table."""
        if self.alone is None:
            return ""
        return f"{self.alone:,} by one table alone, {self.said - self.alone:,} only by both together"

    def describe(self) -> str:
        certain = "" if self.right == self.said else f"; right about {self.right / self.said:.1%} of them"
        joined = f" ({self.parts})" if self.parts else ""
        return f"{self.attack}: {self.said:,} of {self.people:,} people {self.words}{joined}{certain}."

    def __str__(self) -> str:
        return self.describe()
