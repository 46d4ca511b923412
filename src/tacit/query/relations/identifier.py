"""Whose a row is, in one form: every statement tells people apart alike, and keys that lead to people as well.

Claim: two rows are one person's in one statement if and only if they are in every other, whatever types and collations
their columns have, on every engine. Proof: a person is the text of the identifier, octet by octet. Either it is read
as that text, under the binary collation; or all tables have it in a type whose values are equal where their texts are
(whole numbers, UUIDs), and it stays of that type, which is quicker.
"""

from __future__ import annotations

from collections.abc import Iterable

from tacit.query.catalogue import Catalogue
from tacit.query.typed import LONGEST
from tacit.schema.description import OwnColumn, Through
from tacit.schema.engine_types import is_whole

_NARROW = frozenset(["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"])
_TEXT = "VARCHAR"


def unit_type(catalogue: Catalogue) -> str:
    """The type in which people are compared, in all tables of a data set."""
    tables = catalogue.description.tables.values()
    owners = [(table.name, table.owner) for table in tables if isinstance(table.owner, OwnColumn)]
    return common_type(catalogue.physical_type(name, owner.column) for name, owner in owners)


def key_type(child: str, owner: Through, catalogue: Catalogue) -> str:
    """The type in which a table's foreign key is compared with the key that it points to."""
    ends = ((child, owner.column), (owner.table, owner.key))
    return common_type(catalogue.physical_type(*end) for end in ends)


def common_type(kinds: Iterable[str | None]) -> str:
    """The type that columns of these types are compared in; None is a type that is not known."""
    known = {_TEXT if kind is None else kind.strip().upper() for kind in kinds}
    if len(known) == 1 and all(is_whole(kind) or kind == "UUID" for kind in known):
        return known.pop()
    return "BIGINT" if known and known <= _NARROW else _TEXT


def in_type(reference: str, kind: str | None, common: str) -> str:
    """A column of a type, as it is compared. What has no such value is NULL: the row is nobody's."""
    own = kind is not None and kind.strip().upper() == common
    value = reference if own else f"TRY_CAST({reference} AS {common})"
    return value if common != _TEXT else _whole_text(f'({value} COLLATE "C")')


def _whole_text(value: str) -> str:
    """A text as it is; NULL where it is too long. Cut, two people or keys could become one."""
    return f"(CASE WHEN strlen({value}) < {LONGEST} THEN {value} END)"
