"""Certificates of answers: each answer is signed as it is shown, whether paid for now or read from an earlier release.

Claim: the certificate of an answer says that the steward's key vouches for three things. The charge stands in the
ledger at that entry (`ledger`, `entry`, `chain`, `time`, `loss`). The noisy release kept under it is the one with that
hash (`stored`), which the ledger seals too. And the rows with that digest (`shown`) were computed above the noise from
that release, for the question `asked`. So a certificate fits at most one of two tables with different numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from tacit.curator.open_data import Opened
from tacit.errors import Refused
from tacit.frozen import frozen
from tacit.ledger.certificate import Certificate, Grounds, Statement
from tacit.ledger.history import Evidence
from tacit.ledger.signature import SigningKey, present, sign
from tacit.release.cells import canonical_digest
from tacit.release.release import Release


@frozen(eq=False)
class Certifier:
    """Signs the answers read from one stored release, on demand."""

    opened: Opened
    grounds: Grounds
    evidence: Evidence
    asked: str

    @classmethod
    def of(cls, opened: Opened, grounds: Grounds, entry: int, asked: str) -> Certifier:
        """The signer of a stored release; refused where the ledger does not hold the release."""
        found = opened.ledger.evidence(entry)
        if found is None or found.stored is None:
            raise Refused(f"a certificate of entry {entry}", "The ledger holds no release of it.", "another question.")
        return cls(opened, grounds, found, asked)

    def __call__(self, release: Release, forms: Sequence[str]) -> Certificate:
        """The certificate of an answer, with a signed line for each format that it is written in."""
        key: SigningKey = self.opened.signing_key
        certificate = sign(self._statement(release), key)
        for form in forms:
            certificate = present(certificate, form, release.presented(form), key)
        return certificate

    def _statement(self, release: Release) -> Statement:
        shown = canonical_digest(release.rendered, release.confidence)
        return _statement(self.grounds, self.evidence, self.asked, shown)


def statement_of(opened: Opened, grounds: Grounds, entry: int, asked: str, shown: str) -> Statement:
    """The statement to sign for a stored release whose shown answers have this digest."""
    return _statement(grounds, Certifier.of(opened, grounds, entry, asked).evidence, asked, shown)


def _statement(made: Grounds, found: Evidence, asked: str, shown: str) -> Statement:
    return Statement(
        query=found.words,
        plan=made.plan,
        unit=made.unit,
        mechanisms=made.mechanisms,
        loss=found.loss,
        price=made.price,
        entry=found.entry,
        chain=found.chain,
        claims=made.claims,
        time=found.time,
        asked=asked,
        ledger=found.ledger,
        shown=shown,
        stored=found.stored,
    )
