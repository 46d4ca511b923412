"""From the SQL of one row's expression to a total, bounded one: kinds, enforced bounds, public domains.

Rules are grouped into families, one a file; `registry.FAMILIES` is the ordered list. Whatever has no rule is refused.
"""

from tacit.query.expressions.domains import domain
from tacit.query.expressions.reading import read_column
from tacit.query.expressions.registry import type_expression, type_predicate
from tacit.query.expressions.scope import NamedScope, Scope
from tacit.query.expressions.storage import literal_sql, sql_type
from tacit.query.expressions.unbounded import Unbounded, unbounded_reason

__all__ = [
    "NamedScope",
    "Scope",
    "Unbounded",
    "domain",
    "literal_sql",
    "read_column",
    "sql_type",
    "type_expression",
    "type_predicate",
    "unbounded_reason",
]
