"""The failures of a data set, for the steward: which questions gave no answer, whose they were, what may be done."""

from __future__ import annotations

from collections import Counter

from tacit.curator.books import Books
from tacit.frozen import frozen
from tacit.ledger.breaker import How, Unanswered
from tacit.printable import printable
from tacit.schema.description import Breaker

_NONE = "No question has failed since failures were last cleared."


@frozen(eq=False)
class FailuresView:
    """Runs without an answer, and how many of them are borne."""

    runs: tuple[Unanswered, ...]
    breaker: Breaker | None

    @classmethod
    def of(cls, books: Books) -> FailuresView:
        account = books.known_account
        return cls(() if account is None else account.failures(), books.description.breaker)

    @property
    def is_open(self) -> bool:
        """Whether new questions are refused, of somebody at least."""
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
