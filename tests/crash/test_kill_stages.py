"""kill −9 at every step of the curator's door, with a job of several stages: each draws once (R33)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import cast

import pytest
from tests.crash.killing import run_until
from tests.ledger.books import NAME, bodies, opened, request
from tests.ledger.kept import InPostgres, Kept

from tacit.curator.door import Job, paid
from tacit.ledger import Stored
from tacit.loss import Pure
from tacit.loss.families.loss import Relation
from tacit.noise.bits import Bits
from tacit.query.engines.protocol import Session, Stage
from tacit.query.plans.price import Price

Say = Callable[[bytes], None]
STAGES = "SELECT bytes FROM payloads JOIN entries ON entry = number WHERE kind = 'stage' ORDER BY number"
BUDGET = Pure(1)  # exactly one release: a retry that paid again would be refused


def staged_door(folder: Path, say: Say) -> None:
    """The curator's own door with a job of three stages; each says that it draws, and builds on those before it."""

    def stage(place: int) -> Stage:
        def made(_: Session, bits: Bits, released: Sequence[bytes]) -> bytes:
            drawn = bits.octets(8).tobytes().hex().encode()
            say(b"drew %d" % place)
            return b" ".join([*released[-1:], drawn])

        return made

    price, session = cast("Price", None), cast("Session", None)  # nobody looks at them behind the charge
    job = Job(
        digest="q",
        accuracy=Fraction(1),
        price=price,
        words="",
        note="",
        relation=Relation.ADD_REMOVE,
        chooses_keys=False,
        grounds=b"",
        session=lambda: nullcontext(session),
        statements=3,
        stages=(stage(1), stage(2), stage(3)),
    )

    def read(stored: Stored, _: bool) -> bytes:
        return b"failed" if stored.is_failed else stored.payload

    with opened(folder) as ledger:
        account = ledger.account(NAME, BUDGET)
        say(paid(account, request("q", BUDGET), job, session, lambda: None, read))


@pytest.mark.long
@pytest.mark.parametrize("is_killed_again", [False, True])
def test_killed_at_every_step_between_stages(tmp_path: Path, kept_in: Kept, is_killed_again: bool) -> None:
    """R33: each stage draws once; what was stored goes into the one answer, whichever process drew it."""
    resumed = 0
    for step in count(1):
        here = tmp_path / str(step)
        kept_in.place(here)
        with opened(here) as ledger:
            ledger.account(NAME, BUDGET)
        killed, left = run_until(step, staged_door, here)
        before = [said for said in left if said.startswith(b"drew")]
        for again in (step if killed and is_killed_again else 0, 0, 0):
            left += run_until(again, staged_door, here)[1]
        drawn = [said for said in left if said.startswith(b"drew")]
        assert len(drawn) == len({*drawn})
        (answer,) = {*left} - {*drawn}
        stages = [payload for (payload,) in kept_in.found(here, STAGES)]
        if answer != b"failed":
            assert len(drawn) == len(answer.split(b" ")) == 3
            assert len(stages) == 2
            assert all(answer.startswith(bytes(stage) + b" ") for stage in stages)
            resumed += 0 < len(before) < 3
        assert [len(bodies(here, kind)) for kind in ("charge", "open")] == [1, 1]
        assert len(bodies(here, "store")) + len(bodies(here, "fail")) == 1
        with opened(here) as ledger:
            assert ledger.verify().holds
        if isinstance(kept_in, InPostgres):
            kept_in.take_back(here)
        if not killed:
            break
    assert resumed >= 2
    assert step > 24
