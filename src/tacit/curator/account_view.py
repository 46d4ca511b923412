"""Views of a data set's account: what was spent, what is left, and which questions failed.

The budget view shows each charge with its analyst and query, and how many more such queries fit.

The failures view is for the steward: the questions without an answer, their analysts, and what the steward can do.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any, Final

from tacit.curator.books import Books
from tacit.frozen import frozen
from tacit.ledger.breaker import How, Unanswered
from tacit.ledger.history import Entry
from tacit.loss.families.loss import Loss
from tacit.loss.filters.privacy_filter import Filter
from tacit.loss.interpretation import guess_probability
from tacit.printable import printable
from tacit.schema.description import FailureLimits
from tacit.words import percent_up, share_left, share_used

_FAILED: Final = " (failed: --fresh pays for another run)"
_OPEN: Final = " (not answered yet: asking again says how it ended)"


@frozen(eq=False)
class BudgetView:
    """The current state of an account."""

    promise: Loss
    account: Filter
    entries: tuple[Entry, ...]
    analysts: dict[str, Fraction]

    @classmethod
    def of(cls, books: Books) -> BudgetView:
        return cls(books.description.promise, books.filter, books.history(), dict(books.description.analysts))

    @property
    def used(self) -> Fraction:
        """The part of the budget that is used."""
        return self.account.share(self.account.spent)

    @property
    def left(self) -> Fraction:
        return 1 - self.used

    def used_by(self, analyst: str) -> Fraction:
        """The part of the budget that an analyst used."""
        return sum((entry.share for entry in self.entries if entry.analyst == analyst), Fraction(0))

    def fields(self) -> dict[str, Any]:
        """The view as fields for JSON; shares are between 0 and 1."""
        return {
            "budget": str(self.promise),
            "used": float(self.used),
            "left": float(self.left),
            "entries": [
                {
                    "number": entry.number,
                    "time": entry.time,
                    "analyst": entry.analyst,
                    "share": float(entry.share),
                    "cost": str(entry.loss),
                    "kind": entry.note,
                    "query": entry.words,
                    "answered": entry.stored,
                    "failed": entry.failed,
                }
                for entry in self.entries
            ],
            "analysts": {
                name: {"used": float(self.used_by(name)), "most": float(share)} for name, share in self.analysts.items()
            },
        }

    def text(self, width: int = 120) -> str:
        """One line per charge, with its query shortened to the width, then what is left."""
        names = [printable(entry.analyst) for entry in self.entries]
        who = max(map(len, names), default=0)
        lines = []
        for entry, name in zip(self.entries, names, strict=True):
            head = f" {entry.time[:16].replace('T', ' ')}  {name:<{who}}  {share_used(entry.share):>6}  "
            lines.append(head + _short(entry, width - len(head)))
        more = self._how_many_more()
        lines.append(f"{share_left(self.left)} left{f': {more}' if more else ''}.")
        for analyst, share in sorted(self.analysts.items()):
            lines.append(f"{analyst} has used {share_used(self.used_by(analyst))} of {share_used(share)} at most.")
        lines.append(
            f"The whole budget is {self.promise}: whoever knows all but whether one person is in the data, and would "
            f"guess by coin flip, guesses right at most {percent_up(guess_probability(self.promise))} of the time "
            "when all of it is spent."
        )
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return str(self)

    def _how_many_more(self) -> str:
        if not self.entries:
            return ""
        count = self.account.how_many_more(self.entries[-1].loss)
        if count is None:
            return ""
        return "1 more query like the last" if count == 1 else f"{count:,} more queries like the last"


_SEVERAL: Final = ("tables", "workload", "weights")


def _short(entry: Entry, width: int) -> str:
    several = f"{entry.note}: " if entry.note in _SEVERAL else ""
    words = printable(several + " ".join(entry.words.split()))
    end = _FAILED if entry.failed else "" if entry.stored else _OPEN
    room = max(20, width - len(end))
    return (words if len(words) <= room else words[: room - 1] + "…") + end


_NONE = "No question has failed since failures were last cleared."


@frozen(eq=False)
class FailuresView:
    """Runs without an answer, and the number of them that is allowed."""

    runs: tuple[Unanswered, ...]
    breaker: FailureLimits | None

    @classmethod
    def of(cls, books: Books) -> FailuresView:
        account = books.known_account
        return cls(() if account is None else account.failures(), books.description.breaker)

    @property
    def is_open(self) -> bool:
        """Whether new questions are refused, for at least one analyst."""
        failed = [run.analyst for run in self.runs if run.how is not How.RUNNING]
        if self.breaker is None:
            return False
        return len(failed) >= self.breaker.dataset or any(
            count >= self.breaker.analyst for count in Counter(failed).values()
        )

    def __str__(self) -> str:
        if not self.runs:
            return _NONE
        return "\n".join([*map(_line, self.runs), self._verdict()])

    def _verdict(self) -> str:
        if self.breaker is None:
            return "The breaker is off: however many questions fail, new ones are asked. That is a risk."
        borne = f"{self.breaker.analyst} of one analyst, or {self.breaker.dataset} in all"
        if self.is_open:
            return (
                f"New questions wait, since {borne} failed. Look for what fails because of one person's rows; "
                "`--clear` lets them in again."
            )
        return f"New questions wait when {borne} have failed."


def _line(run: Unanswered) -> str:
    charged = run.charge.charged
    words = printable(" ".join(charged.words.split()))
    when = charged.time[:16].replace("T", " ")
    return f"{run.charge.number:>6}  {when}  {printable(charged.analyst)}  {run.how.value}: {words}"
