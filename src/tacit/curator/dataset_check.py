"""The check of a data set before anybody asks: do the files fit, what is promised, what is still undeclared."""

from __future__ import annotations

from fractions import Fraction

from tacit.curator.open_data import Opened
from tacit.errors import Failed, Refused
from tacit.frozen import frozen
from tacit.ledger.signature import fingerprint
from tacit.loss.filters.privacy_filter import Filter
from tacit.loss.interpretation import guess_probability
from tacit.query.engines.protocol import Session
from tacit.query.plans.price import price_of
from tacit.schema.description import Description, Table
from tacit.schema.kind import Kind
from tacit.toml_text import key_text
from tacit.words import percent_up, share_used, shown

_EXAMPLE = Fraction(1, 10)
_PROFILE = Fraction(1, 2)


@frozen
class Check:
    """A data set that fits its description. It knows how many rows there are, which is for the steward's eyes."""

    description: Description
    rows: dict[str, int]
    account: Filter
    has_profile: bool
    public_key: bytes

    def __str__(self) -> str:
        declared = (self._limits(), self._columns(), self._analysts(), self._failures())
        parts = (self._tables(), self._budget(), *declared, self._signature())
        return "\n".join(part for part in parts if part)

    def _tables(self) -> str:
        counted = ", ".join(f"{name} with {count:,} rows" for name, count in self.rows.items())
        whose = self.description.unit.identifier
        unit = "each row is a person" if whose is None else f"people are told apart by {whose}"
        return f"{self.description.name}: {counted}; {unit}. (Row counts are for the steward's eyes only.)"

    def _budget(self) -> str:
        budget, promise, unit = self.description.budget, self.description.promise, self.description.unit
        kept = "" if str(budget) == str(promise) else f", kept as {budget}"
        example = price_of(budget, promise, _EXAMPLE, None, False).alone
        return (
            f"Budget {promise} for everything ever released{kept}. Hidden is {unit.hides} ({unit.relation}): whoever "
            "knows all else, and would guess by coin flip whether it is in the data, guesses right at most "
            f"{percent_up(guess_probability(promise))} of the time when the whole budget is spent, and at most "
            f"{percent_up(guess_probability(example))} after one query at ε = {float(_EXAMPLE):g}."
        )

    def _limits(self) -> str:
        if self.description.unit.identifier is None:
            return "Each row is a person, so no limit on rows is needed."
        tables = self.description.tables.items()
        lines = [f"{name}: {_declared(table)} declared." for name, table in tables]
        lines += [line for name, table in tables if (line := _possible(name, table))]
        if self.has_profile:
            return "\n".join([*lines, "There is a private profile: limits that are not declared are chosen from it."])
        price = price_of(self.description.budget, self.description.promise, _PROFILE, None, False)
        cost = share_used(self.account.share(price.charge))
        command = f"`tacit profile {self.description.path.name} --epsilon {float(_PROFILE):g}`"
        return "\n".join(
            [
                *lines,
                f"There is no profile. {command} learns one for {cost} of the budget: from it every later query "
                "chooses how much of one person counts. Without it, a query finds that out with a third of its price.",
            ]
        )

    def _columns(self) -> str:
        lines = []
        for name, table in self.description.tables.items():
            columns = table.columns.values()
            unbounded = [c.name for c in columns if c.kind.is_number and c.keys is None and c.high is None]
            private = [c.name for c in columns if not c.kind.is_number and not c.kind.is_time and c.keys is None]
            if unbounded:
                lines.append(f"{name}: no sums or means of {', '.join(unbounded)}, which have no bounds.")
            if private:
                lines.append(
                    f"{name}: the values of {', '.join(private)} are private; those that few share are not shown."
                )
        return "\n".join(lines)

    def _analysts(self) -> str:
        shares = [f"{name} {share_used(part)}" for name, part in sorted(self.description.analysts.items())]
        return f"At most, of the budget: {', '.join(shares)}." if shares else ""

    def _failures(self) -> str:
        floor, breaker = self.description.floor, self.description.breaker
        least = f"Every new question costs at least {shown(100 * floor)}% of the budget"
        borne = "" if breaker is None else f"{breaker.analyst} failures of one analyst, or {breaker.dataset} in all"
        return "\n".join(
            [
                f"{least}." if floor else "Risk: there is no least price (floor = 0), so questions may be countless.",
                f"After {borne}, new questions wait until you have seen them (`tacit failures`)."
                if borne
                else 'Risk: failures are not counted (breaker = "off"), and a failure may tell what no price covers.',
            ]
        )

    def _signature(self) -> str:
        name = fingerprint(self.public_key)
        return f"Certificates are signed by {name}; give analysts the public key {self.public_key.hex()}."


def check_dataset(opened: Opened) -> Check:
    """Reads headers and counts rows; refused where a description does not fit its files."""
    description = opened.description
    tables = [*opened.catalogue.description.tables]
    try:
        with opened.engine.session(description) as session:
            rows = {name: _count(session, name) for name in tables}
    except Failed:
        raise Refused(
            f"the rows of {description.name}", "They cannot be read.", "files that are whole, and of their format."
        ) from None
    has_profile = opened.profile() is not None
    return Check(description, rows, opened.filter, has_profile, opened.signing_key.public_key)


def _declared(table: Table) -> str:
    limits = table.limits
    said = [f"at most {limits.rows:,} rows a person"] if limits.rows is not None else []
    said += [f"{limits.keys:,} keys a person"] if limits.keys is not None else []
    said += [f"a total of {float(most):,.12g} of {name} a person" for name, most in limits.totals.items()]
    return ", ".join(said) if said else "no contribution limit"


def _possible(name: str, table: Table) -> str:
    """The most that one person can have in a table, as it is declared; or what it would be good for."""
    most = table.at_most
    said = [f"{most.rows:,} rows"] if most.rows is not None else []
    said += [f"a total of {float(total):,.12g} of {column}" for column, total in most.totals.items()]
    if said:
        return f"{name}: one person can have at most {' and '.join(said)} (at_most)."
    if table.limits.rows == 1:
        return ""
    numbers = [column for column in table.columns.values() if column.kind.is_number and column.keys is None]
    money = min(numbers, key=lambda column: column.kind is not Kind.DECIMAL, default=None)
    total = "" if money is None else f" and totals = {{ {key_text(money.name)} = 90000 }}"
    return (
        f"{name}: no at_most, the most that one person can have, as everybody may know it without the data: under "
        f"[tables.{key_text(name)}.at_most], say rows = 400{total}. --interval guaranteed becomes possible, and usual "
        "intervals get narrower."
    )


def _count(session: Session, table: str) -> int:
    quoted = '"' + table.replace('"', '""') + '"'
    return int(session.run(f"SELECT COUNT(*) AS n FROM {quoted}").column("n")[0].as_py())
