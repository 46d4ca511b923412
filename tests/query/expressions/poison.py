"""Rows that violate every declaration: extreme, malformed and missing values of each physical type of the engine."""

from __future__ import annotations

import duckdb

POISON: dict[str, tuple[str, ...]] = {
    "BOOLEAN": ("TRUE", "FALSE"),
    "TINYINT": ("-128", "-1", "0", "1", "127"),
    "SMALLINT": ("-32768", "0", "7", "32767"),
    "INTEGER": ("-2147483648", "-5", "0", "3", "50", "2147483647"),
    "BIGINT": ("(-9223372036854775808)", "-1", "0", "2", "50", "9223372036854775807"),
    "HUGEINT": ("-170141183460469231731687303715884105727 - 1", "0", "50", "170141183460469231731687303715884105727"),
    "UTINYINT": ("0", "1", "255"),
    "UINTEGER": ("0", "1", "4294967295"),
    "UBIGINT": ("0", "1", "18446744073709551615"),
    "UHUGEINT": ("0", "1", "340282366920938463463374607431768211455"),
    "FLOAT": ("'nan'", "'inf'", "'-inf'", "3.4e38", "-3.4e38", "0.5", "-0.0", "1e-45"),
    "DOUBLE": ("'nan'", "'inf'", "'-inf'", "1.7976931348623157e308", "-1.7976931348623157e308", "5e-324", "-0.0")
    + ("0.1", "0.5", "1.5", "2.5", "-2.5", "49.995", "100.004999", "9007199254740993", "9.3e18", "-1e20", "1e38"),
    "DECIMAL(4,1)": ("-999.9", "0.1", "0.5", "2.5", "999.9"),
    "DECIMAL(18,2)": ("-9999999999999999.99", "0.05", "12.34", "100.01", "9999999999999999.99"),
    "DECIMAL(38,0)": ("-99999999999999999999999999999999999999", "3", "99999999999999999999999999999999999999"),
    "DECIMAL(38,10)": ("-9999999999999999999999999999.9999999999", "0.0049999999", "9999999999999999999999999999.5"),
    "DECIMAL(38,37)": ("-9.9999999999999999999999999999999999999", "0.5", "9.9999999999999999999999999999999999999"),
    "VARCHAR": ("''", "' '", "'north'", "'NORTH'", "'north '", "'nan'", "'inf'", "'-Infinity'", "'1e999'", "'-1e999'")
    + ("'12'", "' 7.5 '", "'1_000'", "'0x10'", "'99999999999999999999999999999999999999999999'", "'2024-02-30'")
    + ("'2024-02-29'", "'infinity'", "'290309-12-22 (BC) 00:00:00'", "'2024-01-31 23:59:60'", "'true'", "'t'", "'é'")
    + ("'a%b_c'", "chr(0)", "'ß'", "'İ'", "repeat('x', 5000)", "'epoch'", "'2024-01-31 10:00:00+02'", "'١٢'"),
    "BLOB": ("'\\x00\\xFF'::BLOB", "'12'::BLOB", "''::BLOB"),
    "DATE": ("'infinity'", "'-infinity'", "'5881580-07-10'", "'5877642-06-25 (BC)'", "'0001-01-01'", "'9999-12-31'")
    + ("'10000-01-01'", "'0001-12-31 (BC)'", "'2024-02-29'", "'1969-12-31'", "'2020-12-31'"),
    "TIMESTAMP": ("'infinity'", "'-infinity'", "'294247-01-10 04:00:54.775806'", "'290309-12-22 (BC) 00:00:00'")
    + ("'9999-12-31 23:59:59.999999'", "'0001-01-01 00:00:00'", "'2024-02-29 12:34:56.789012'", "'1969-12-31 23:59:59'"),
    "TIMESTAMP_S": ("'infinity'", "'-infinity'", "'2024-02-29 12:34:56'", "'0001-01-01 00:00:00'"),
    "TIMESTAMP_MS": ("'infinity'", "'-infinity'", "'2024-02-29 12:34:56.789'"),
    "TIMESTAMP_NS": ("'infinity'", "'-infinity'", "'2024-02-29 12:34:56.789012345'", "'2262-04-11 23:47:16.854775806'"),
    "TIMESTAMP WITH TIME ZONE": ("'infinity'", "'-infinity'", "'294247-01-10 04:00:54.775806+00'")
    + ("'290309-12-22 (BC) 00:00:00+00'", "'2024-02-29 23:30:00-05'", "'0001-01-01 00:00:00+14'"),
    "TIME": ("'00:00:00'", "'23:59:59.999999'", "'24:00:00'"),
    "TIME WITH TIME ZONE": ("'00:00:00+15:59:59'", "'23:59:59-15:59:59'"),
    "INTERVAL": ("INTERVAL 1 MONTH", "INTERVAL '-1' YEAR", "to_microseconds(9223372036854775807)"),
    "UUID": ("'00000000-0000-0000-0000-000000000000'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"),
    "BIT": ("'1'", "'0'", "repeat('1', 200)", "'101'"),
    "ENUM('north', 'x', '12')": ("'north'", "'x'", "'12'"),
    "INTEGER[]": ("[]", "[1, NULL]", "[50]"),
    "STRUCT(a INTEGER)": ("{'a': 1}", "{'a': NULL}"),
    "MAP(VARCHAR, INTEGER)": ("MAP {'a': 1}", "MAP {}"),
    "UNION(n INTEGER, s VARCHAR)": ("union_value(n := 5)", "union_value(s := 'north')"),
}


def create(connection: duckdb.DuckDBPyConnection, name: str, columns: dict[str, str], rows: int, shift: int = 1) -> None:
    """A table with a column of each physical type, its poison repeated at different paces so that all kinds of rows meet."""
    pieces = []
    for place, (column, physical) in enumerate(columns.items()):
        values = [f"CAST({value} AS {physical})" for value in POISON[physical]] + [f"CAST(NULL AS {physical})"]
        chosen = f"(row + (row // {len(values)}) * {place * shift}) % {len(values)} + 1"
        pieces.append(f'list_value({", ".join(values)})[CAST({chosen} AS BIGINT)] AS "{column}"')
    connection.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT {', '.join(pieces)} FROM range({rows}) t(row)")
