"""Releasing the profile: charged, run and stored like any other release."""

from __future__ import annotations

from tacit.curator.behind_the_charge import behind_the_charge, is_failure
from tacit.curator.door import analyst_share
from tacit.curator.opened import PROFILE, Opened
from tacit.curator.price_words import price_words
from tacit.errors import Failed, Refused
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.ledger.request import Request, Stored
from tacit.loss.families.approx import Pure
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
    share = analyst_share(opened, analyst)
    price = price_of(description.budget, description.promise, epsilon, delta, False)
    if not subjects_of(opened.catalogue, not isinstance(description.budget, Pure), {}, {}):
        raise Refused(
            f"a profile of {description.name}",
            "Each row is a person, so there is nothing to learn about rows per person.",
            "queries as they are.",
        )
    digest = PROFILE + opened.data_version()
    request = Request(
        digest, price.strength, price.charge, analyst, "profile of what people have", share, fresh, "profile"
    )
    given = opened.charge(request)
    if isinstance(given, Stored):
        return _answer(opened, price, given, True)
    statements = opened.preparation.statements_for_all()
    with behind_the_charge(opened.account, given) as bits, opened.preparation.session(statements) as session:
        opened.watcher(session, 2)  # where values lie, then how much people have
        profile = make_profile(opened.catalogue, price, description.unit.relation, session, bits, statements)
    stored = opened.account.store(given, profile.to_bytes())
    return _answer(opened, price, stored, False)


def _answer(opened: Opened, price: Price, stored: Stored, free: bool) -> ProfileAnswer:
    if is_failure(stored):
        raise Failed
    account, charge = opened.filter, stored.charge.loss
    words = price_words(account, str(price.alone), account.share(charge), free, charge)
    return ProfileAnswer(Profile.from_bytes(stored.payload), words)
