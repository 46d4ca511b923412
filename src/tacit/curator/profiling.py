"""Releasing the profile: charged, run and stored like any other release."""

from __future__ import annotations

from tacit.curator.before_the_charge import ready
from tacit.curator.behind_the_charge import paid
from tacit.curator.opened import PROFILE, Opened
from tacit.curator.price_words import price_words
from tacit.curator.terms import refuse_below_floor, terms_of
from tacit.errors import Failed, Refused
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.ledger.request import Charge, Request, Stored
from tacit.loss.families.approx import Pure
from tacit.noise.bits import Bits
from tacit.query.limits.words import profile_words
from tacit.query.lowering.finding import BINS
from tacit.query.plans.price import Price, price_of
from tacit.query.profile.making import make_profile
from tacit.query.profile.profile import Profile
from tacit.query.profile.subject import subjects_of
from tacit.release.price import Price as PriceWords


@frozen(eq=False)
class ProfileAnswer:
    """A released profile, and its price."""

    profile: Profile
    price: PriceWords

    def __str__(self) -> str:
        lines = []
        for (table, subject), people in self.profile.people.items():
            if subject == "rows":
                said = profile_words(BINS, people, self.profile.deviation)
                lines.append(f"{table}: {said}")
        many = len(self.profile.people)
        lines.append(f"{many} private histograms are kept; from them later queries choose their limits for free.")
        return "\n".join([*lines, str(self.price)])


def release_profile(opened: Opened, epsilon: Number, delta: Number | None, analyst: str, fresh: bool) -> ProfileAnswer:
    """The profile of a data set, at the steward's price; one that is as accurate is not made twice."""
    description = opened.description
    terms = terms_of(opened, analyst)
    price = price_of(description.budget, description.promise, epsilon, delta, False)
    if not subjects_of(opened.catalogue, not isinstance(description.budget, Pure), {}, {}):
        raise Refused(
            f"a profile of {description.name}",
            "Each row is a person, so there is nothing to learn about rows per person.",
            "queries as they are.",
        )
    digest = PROFILE + opened.data_version()
    if fresh or not opened.stored_under(digest, price.strength):
        refuse_below_floor(opened, price, has_private_keys=False)
    statements = opened.preparation.statements_for_all()
    words = "profile of what people have"
    hidden = description.unit.relation
    request = Request(digest, price.strength, price.charge, analyst, words, terms, fresh, "profile", hidden)
    with ready(opened, statements) as session:

        def made(_: Charge, bits: Bits) -> bytes:
            opened.watcher(session, 2)  # where values lie, then how much people have
            relation = description.unit.relation
            return make_profile(opened.catalogue, price, relation, session, bits, statements).to_bytes()

        return paid(
            opened.account_to_charge(), request, made, lambda stored, free: _answer(opened, price, stored, free)
        )


def _answer(opened: Opened, price: Price, stored: Stored, free: bool) -> ProfileAnswer:
    if stored.is_failed:
        raise Failed
    account, charge = opened.filter, stored.charge.loss
    words = price_words(account, str(price.alone), account.share(charge), free, charge)
    return ProfileAnswer(Profile.from_bytes(stored.payload), words)
