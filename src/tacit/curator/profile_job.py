"""The profile as a job, and how its stored release is read."""

from __future__ import annotations

from typing import Final

from tacit.curator.door import Job, release
from tacit.curator.open_data import PROFILE, Opened
from tacit.curator.planner import Planner
from tacit.curator.terms import analyst_share
from tacit.errors import Failed, Refused
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.ledger.request import Stored
from tacit.query.bounding.histogram_sql import bins_of
from tacit.query.bounding.profile import Profile, profile_words
from tacit.query.execution.profile_release import ProfileRun, subjects_of
from tacit.query.plans.price import Price, price_of
from tacit.release.price import PriceWords as PriceWords
from tacit.release.price import price_words

_KINDS: Final = {
    "rows": "rows",
    "total": "sums of ",
    "away": "means of ",
    "norm": "rows by ",
    "keys": "numbers of different ",
    "ranks": "quantiles of ",
}


@frozen(eq=False)
class ProfileAnswer:
    """A released profile, and its price."""

    profile: Profile
    price: PriceWords

    def __str__(self) -> str:
        lines = []
        for (table, subject), people in self.profile.people.items():
            if subject == "rows":
                said = profile_words(bins_of(people), people, self.profile.deviation)
                lines.append(f"{table}: {said}")
        lines.append(
            f"{len(self.profile.people)} private histograms are kept: {self._kept}. Usual queries of these, over all "
            "rows of a table, add them to what they count themselves; bounded ones take their limits from them. Means "
            "and quantiles also use where values lie."
        )
        return "\n".join([*lines, str(self.price)])

    @property
    def _kept(self) -> str:
        """The subjects counted, by table; subjects of one kind are listed together."""
        kept: dict[str, dict[str, list[str]]] = {}
        for table, subject in self.profile.people:
            kind, _, column = subject.partition(" ")
            kept.setdefault(table, {}).setdefault(kind, []).append(column)
        told = {
            table: [f"{_KINDS[kind]}{', '.join(names)}" for kind, names in each.items()] for table, each in kept.items()
        }
        return "; ".join(f"of {table}, {', '.join(words)}" for table, words in told.items())


def release_profile(opened: Opened, epsilon: Number, delta: Number | None, analyst: str, fresh: bool) -> ProfileAnswer:
    """The profile of a data set, at the steward's price; an equally accurate one is not made again."""
    analyst_share(opened, analyst)
    job = profile_job(Planner.of(opened), epsilon, delta)
    earlier = () if fresh else opened.stored_under(job.digest, job.accuracy)
    if earlier:
        return _answer(opened, job.price, earlier[0], True)
    return release(opened, job, analyst, fresh, lambda stored, free: _answer(opened, job.price, stored, free))


def profile_job(planner: Planner, epsilon: Number, delta: Number | None) -> Job:
    """The job of a profile at a price; refused where it would have nothing to count."""
    description, catalogue = planner.opened.description, planner.catalogue
    price = price_of(description.budget, description.promise, epsilon, delta, False)
    if not subjects_of(catalogue, not price.is_pure, {}, {}):
        raise Refused(
            f"a profile of {description.name}",
            "Each row is a person, so there is nothing to learn about rows per person.",
            "queries as they are.",
        )
    statements = planner.preparation.statements_for_all()
    stages = ProfileRun(catalogue, price, description.unit.relation, statements).stages
    return Job(
        digest=PROFILE + planner.version,
        accuracy=price.strength,
        price=price,
        words="profile of what people have",
        note="profile",
        relation=description.unit.relation,
        chooses_keys=False,
        grounds=b"",
        session=lambda: planner.session(statements),
        statements=len(stages),
        stages=stages,
    )


def _answer(opened: Opened, price: Price, stored: Stored, free: bool) -> ProfileAnswer:
    if stored.is_failed:
        raise Failed
    account, charge = opened.filter, stored.charge.loss
    words = price_words(account, str(price.alone), account.share(charge), free, charge)
    return ProfileAnswer(Profile.from_bytes(stored.payload), words)
