"""A release of several stages through the curator's own door; each stage reports its draw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from tests.ledger.books import NAME, opened, request
from tests.ledger.kept import Kept

from tacit.curator.door import Job, paid
from tacit.ledger import Stored
from tacit.loss import Pure
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Bits
from tacit.query.engines.protocol import Session, Stage
from tacit.query.plans.price import Price

Say = Callable[[bytes], None]
BUDGET = Pure(1)  # exactly one release: a retry that paid again would be refused


def lay_out(folder: Path, kept_in: Kept, rows: pa.Table) -> None:
    """A folder with books of its own, an account, and the rows."""
    kept_in.place(folder)
    folder.mkdir(exist_ok=True)
    pq.write_table(rows, folder / "visits.parquet")
    with opened(folder) as ledger:
        ledger.account(NAME, BUDGET)


def release_saying(
    folder: Path,
    say: Say,
    stages: Sequence[Stage],
    price: Price,
    session: Callable[[], AbstractContextManager[Session]],
    may_lose_stages: bool = False,
) -> None:
    """The release, and what is read of it in the end; the books are those of the folder."""

    def saying(place: int, stage: Stage) -> Stage:
        def made(session: Session, bits: Bits, released: Sequence[bytes]) -> bytes:
            found = stage(session, bits, released)
            say(b"drew %d %s" % (place, sha256(found).hexdigest().encode()))
            return found

        return made

    job = Job(
        digest="q",
        accuracy=Fraction(1),
        price=price,
        words="",
        note="",
        relation=Relation.ADD_REMOVE,
        chooses_keys=True,
        grounds=b"",
        session=session,
        statements=4,
        stages=tuple(saying(place, stage) for place, stage in enumerate(stages)),
    )

    def read(stored: Stored, _: bool) -> bytes:
        return b"failed" if stored.is_failed else b"answer " + stored.payload.hex().encode()

    with opened(folder) as ledger, job.session() as open_session:
        account = ledger.account(NAME, BUDGET)
        asked = replace(request("q", BUDGET), may_lose_stages=may_lose_stages)
        say(paid(account, asked, job, open_session, lambda: None, read))
