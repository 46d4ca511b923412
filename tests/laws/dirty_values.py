"""Values that violate their declarations: for each physical type, SQL literals that a file may have."""

from __future__ import annotations

from tacit.schema.kind import Kind

_NUMBERS = ["NULL", "0", "1", "3", "17", "64", "110", "111"]

VALUES: dict[str, list[str]] = {
    "SMALLINT": [*_NUMBERS, "-1", "32767", "-32768"],
    "BIGINT": [*_NUMBERS, "-1", "9223372036854775807", "(-9223372036854775808)"],
    "UBIGINT": [*_NUMBERS, "18446744073709551615"],
    "HUGEINT": [*_NUMBERS, "-7", "170141183460469231731687303715884105727"],
    "DOUBLE": [*_NUMBERS, "-0.0", "2.5", "99.995", "1e308", "-1e308", "'NaN'", "'inf'", "'-inf'", "5e-324", "1e16"],
    "FLOAT": [*_NUMBERS, "-0.0", "0.1", "3e38", "'NaN'", "'-inf'"],
    "DECIMAL(18,4)": [*_NUMBERS, "-2.5", "12.3456", "0.0050", "99999999999999.9999"],
    "DECIMAL(38,10)": [*_NUMBERS, "-2.5", "9999999999999999999999999999.9999999999"],
    "BOOLEAN": ["NULL", "TRUE", "FALSE"],
    "DATE": [
        "NULL",
        "'2023-01-05'",
        "'2023-02-28'",
        "'2023-03-31'",
        "'infinity'",
        "'-infinity'",
        "'5877642-06-25 (BC)'",
    ],
    "TIMESTAMP": ["NULL", "'2023-01-05 23:59:59.999999'", "'2023-02-01'", "'infinity'", "'290309-12-22 (BC) 00:00:00'"],
    "TIMESTAMP WITH TIME ZONE": ["NULL", "'2023-01-31 23:30:00+00'", "'-infinity'", "'294247-01-10 04:00:54+00'"],
    "number text": [
        *("NULL", "'5'", "'17.25'", "'abc'", "''", "' 7 '", "'1e309'", "'NaN'", "'-inf'", "'-0.0'", "'0x10'", "'1_0'"),
        "'99999999999999999999999999999999999999999999'",
    ],
    "time text": [
        *("NULL", "'2023-01-15'", "'2023-02-30'", "'infinity'", "'epoch'", "'5874897-12-31'", "'abc'", "''"),
        "'2023-03-01 12:00:00+05'",
    ],
    "truth text": ["NULL", "'true'", "'f'", "'yes'", "'2'", "'maybe'", "''"],
    "text": ["NULL", "'north'", "'south'", "'east'", "'North'", "'north '", "''", "'a'", "'b'", "'c'", "'ab'", "'Ä'"],
}
"""Literals by physical type; the kinds of text are VARCHAR to the engine."""

PHYSICAL: dict[Kind, list[str]] = {
    Kind.INTEGER: ["BIGINT", "SMALLINT", "UBIGINT", "HUGEINT", "DOUBLE", "DECIMAL(18,4)", "number text", "BOOLEAN"],
    Kind.DECIMAL: ["DOUBLE", "FLOAT", "DECIMAL(18,4)", "DECIMAL(38,10)", "BIGINT", "number text"],
    Kind.FLOAT: ["DOUBLE", "FLOAT", "DECIMAL(38,10)", "HUGEINT", "number text"],
    Kind.TEXT: ["text", "text", "BIGINT", "DOUBLE", "DATE"],
    Kind.BOOLEAN: ["BOOLEAN", "BOOLEAN", "truth text", "BIGINT"],
    Kind.DATE: ["DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "time text"],
    Kind.TIMESTAMP: ["TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "DATE", "time text"],
}
"""The physical types that a column of a kind may have."""


def engine_type(physical: str) -> str:
    """The engine's own name of a physical type."""
    return "VARCHAR" if physical.endswith("text") else physical
