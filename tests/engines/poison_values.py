"""Poison of every physical type: the worst values that a file of the type can hold, as SQL literals."""

from __future__ import annotations

TYPES: dict[str, tuple[str, list[str]]] = {
    "tiny": ("TINYINT", ["-128", "127"]),
    "small": ("SMALLINT", ["-32768", "32767"]),
    "integer": ("INTEGER", ["-2147483648", "2147483647"]),
    "big": ("BIGINT", ["(-9223372036854775808)", "9223372036854775807"]),
    "huge": (
        "HUGEINT",
        ["170141183460469231731687303715884105727", "(-170141183460469231731687303715884105728)::HUGEINT"],
    ),
    "utiny": ("UTINYINT", ["0", "255"]),
    "ubig": ("UBIGINT", ["0", "18446744073709551615"]),
    "uhuge": ("UHUGEINT", ["0", "340282366920938463463374607431768211455"]),
    "single": ("FLOAT", ["'NaN'", "'inf'", "'-inf'", "3e38", "-0.0"]),
    "double": ("DOUBLE", ["'NaN'", "'inf'", "'-inf'", "1e308", "-1e308", "-0.0", "5e-324", "1e16", "0.1"]),
    "short_decimal": ("DECIMAL(4,1)", ["-999.9", "999.9", "0.1"]),
    "decimal": ("DECIMAL(18,4)", ["-99999999999999.9999", "99999999999999.9999", "0.00005"]),
    "long_decimal": (
        "DECIMAL(38,10)",
        ["9999999999999999999999999999.9999999999", "(-9999999999999999999999999999.9999999999)"],
    ),
    "whole_decimal": ("DECIMAL(38,0)", ["99999999999999999999999999999999999999", "-1"]),
    "truth": ("BOOLEAN", ["TRUE", "FALSE"]),
    "day": ("DATE", ["'infinity'", "'-infinity'", "'5877642-06-25 (BC)'", "'5881580-07-10'", "'2023-02-28'"]),
    "moment": (
        "TIMESTAMP",
        ["'infinity'", "'-infinity'", "'290309-12-22 (BC) 00:00:00'", "'294247-01-10 04:00:54'", "'2023-02-28'"],
    ),
    "moment_s": ("TIMESTAMP_S", ["'9999-12-31'", "'290309-12-22 (BC) 00:00:00'"]),
    "moment_ms": ("TIMESTAMP_MS", ["'9999-12-31'", "'290309-12-22 (BC) 00:00:00'"]),
    "moment_ns": ("TIMESTAMP_NS", ["'1677-09-22'", "'2262-04-11'"]),
    "zoned": (
        "TIMESTAMP WITH TIME ZONE",
        ["'infinity'", "'-infinity'", "'294247-01-10 04:00:54+00'", "'290309-12-22 (BC) 00:00:00+00'", "'2023-02-28'"],
    ),
    "hour": ("TIME", ["'00:00:00'", "'24:00:00'", "'23:59:59.999999'"]),
    "zoned_hour": ("TIME WITH TIME ZONE", ["'00:00:00+15:59'", "'23:59:59-15:59'"]),
    "span": ("INTERVAL", ["INTERVAL '178956970 years'", "INTERVAL '-1 day'", "INTERVAL '1 month -30 days'"]),
    "words": ("VARCHAR", ["''", "'NaN'", "'1e309'", "'-0'", "chr(0)", "'  7'", "'true'", "'2023-02-30'", "'9e99999'"]),
    "octets": ("BLOB", ["'\\xFF\\xFE'::BLOB", "'\\x00'::BLOB", "''::BLOB"]),
    "universal": ("UUID", ["'00000000-0000-0000-0000-000000000000'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"]),
    "choice": ("ENUM('1', 'x', '')", ["'1'", "'x'", "''"]),
    "bits": ("BIT", ["'0'::BIT", "repeat('1', 200)::BIT"]),
    "several": ("INTEGER[]", ["[]", "[NULL]", "[1, 2]"]),
    "pair": ("INTEGER[2]", ["[1, NULL]", "[3, 4]"]),
    "record": ("STRUCT(a INTEGER, b VARCHAR)", ["{'a': NULL, 'b': ''}", "{'a': 1, 'b': 'x'}"]),
    "mapping": ("MAP(VARCHAR, INTEGER)", ["MAP {}", "MAP {'a': NULL}"]),
    "either": ("UNION(n INTEGER, t VARCHAR)", ["union_value(n := 1)", "union_value(t := 'x')"]),
}
"""By the name of a column: its type, and its values besides NULL."""

ROWS = 24


def table_sql(name: str, without: int | None = None) -> str:
    """A table of all types: row i belongs to person i mod 5 and holds the i-th value of every column, or NULL."""
    columns = ", ".join(f"{column} {kind}" for column, (kind, _) in TYPES.items())
    rows = [
        f"({place % 5 if place % 7 else 'NULL'}, {', '.join(_cell(values, place) for _, values in TYPES.values())})"
        for place in range(ROWS)
        if place % 5 != without
    ]
    return f"CREATE TABLE {name} (person BIGINT, {columns}); INSERT INTO {name} VALUES {', '.join(rows)};"


def _cell(values: list[str], place: int) -> str:
    return (*values, "NULL")[place % (len(values) + 1)]
