"""What happens behind a charge: it ends well, or fails with one constant message, and no failure can be drawn again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tacit.errors import Failed
from tacit.ledger.account import Account
from tacit.ledger.request import Charge, Stored
from tacit.noise.bits import Bits
from tacit.noise.entropy import ENTROPY

_FAILED: Final = b"failed"


class WatchedEntropy(Bits):
    """The operating system's entropy, and whether any of it was used."""

    __slots__ = ("is_used",)

    def __init__(self) -> None:
        self.is_used = False

    def octets(self, count: int) -> NDArray[np.uint8]:
        self.is_used = True
        return ENTROPY.octets(count)


@contextmanager
def behind_the_charge(account: Account, charge: Charge) -> Iterator[Bits]:
    """The bits for one release under this charge.

    Whatever breaks is `Failed`. If noise was drawn before, whether it broke may depend on that noise; then the failure
    is stored as the answer of this charge, for if a retry drew again, the failures would be answers that nobody paid
    for. Where nothing was drawn, as when the process dies, a retry runs under the same charge.
    """
    bits = WatchedEntropy()
    try:
        yield bits
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # any text of it could carry a value
        if bits.is_used:
            account.store(charge, _FAILED)
        raise Failed from None


def is_failure(stored: Stored) -> bool:
    """Whether what was stored is that the release failed."""
    return stored.payload == _FAILED
