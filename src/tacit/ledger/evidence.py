"""What a ledger holds of one charge: what its certificates are made from, and what they are held against."""

from __future__ import annotations

from typing import Any

from tacit.frozen import frozen
from tacit.ledger.chain import Chain
from tacit.ledger.loss_text import loss_to_json


@frozen
class Evidence:
    """One charge in its place, and the hash of the release that is stored under it, if one is."""

    ledger: str  # its first seal, which no other ledger has
    entry: int
    chain: str  # the hash of the entry, which seals every one before it
    time: str
    words: str
    loss: dict[str, Any]
    stored: str | None


def evidence_of(chain: Chain, number: int) -> Evidence | None:
    """The evidence of the charge with this number; None where there is no such charge."""
    link = next(chain.links("number = ? AND kind = 'charge'", number), None)
    if link is None:
        return None
    settled = next(chain.links("charge = ? AND kind = 'store'", number), None)
    charged, stored = link.charged, None if settled is None else settled.settled.payload
    loss = loss_to_json(charged.loss)
    return Evidence(chain.genesis.hash, number, link.hash, charged.time, charged.words, loss, stored)
