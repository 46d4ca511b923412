"""Rules that turn the SQL of one row's expression into a total, bounded one.

Rules are grouped into families; `rule_registry.FAMILIES` is the ordered list. An expression without a rule is
refused.
"""

from tacit.query.sql.expressions.rule import NamedScope, Scope
from tacit.query.sql.expressions.rule_registry import Unbounded, type_expression, type_predicate, unbounded_reason
from tacit.query.sql.values.column_reader import read_column
from tacit.query.sql.values.domains import domain
from tacit.query.sql.values.storage import literal_sql, sql_type

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
