"""A budget, a column or a source that cannot be kept is refused at its key, with the cure (R08, R15)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.schema.clinic_file import AGE, BUDGET, changed, refused_at

V = "tables.visits.columns"
AGE_KEYS = f"{V}.age.keys"

BUDGETS = [
    ("{ epsilon = nan, delta = 1e-7 }", "dataset.budget.epsilon", "finite"),
    ("{ epsilon = inf, delta = 1e-7 }", "dataset.budget.epsilon", "finite"),
    ("{ epsilon = -1 }", "dataset.budget.epsilon", "greater than zero"),
    ("{ epsilon = 0 }", "dataset.budget.epsilon", "greater than zero"),
    ("{ epsilon = 1e-999 }", "dataset.budget.epsilon", "greater than zero"),
    ("{ epsilon = true }", "dataset.budget.epsilon", "not a number"),
    ("{ epsilon = [1] }", "dataset.budget.epsilon", "not a number"),
    ("{ epsilon = 2020-01-01 }", "dataset.budget.epsilon", "not a number"),
    ('{ epsilon = "four" }', "dataset.budget.epsilon", "finite number"),
    ("{ epsilon = 1, delta = 1 }", "dataset.budget.delta", "between 0 and 1"),
    ("{ epsilon = 1, delta = 1.5 }", "dataset.budget.delta", "between 0 and 1"),
    ("{ epsilon = 1, delta = -1e-9 }", "dataset.budget.delta", "between 0 and 1"),
    ("{ epsilon = 1, delta = nan }", "dataset.budget.delta", "finite"),
    ("{ epsilon = 1, delta = 0 }", "dataset.budget.delta", "leave delta out"),
    ("{ rho = -0.1 }", "dataset.budget.rho", "greater than zero"),
    ("{ rho = nan }", "dataset.budget.rho", "finite"),
    ("{ rho = 0.1, delta = 2 }", "dataset.budget.delta", "between 0 and 1"),
    ("{ rho = 0.1, epsilon = 1 }", "dataset.budget", "not both"),
    ("{ delta = 1e-7 }", "dataset.budget", "epsilon or rho"),
    ("{ }", "dataset.budget", "epsilon or rho"),
    ('{ epsilon = 1, currency = "zcdp" }', "dataset.budget.currency", "sums"),
    ('{ rho = 1, currency = "sums" }', "dataset.budget.currency", "zcdp"),
    ('{ epsilon = 1, delta = 1e-7, currency = "gdp" }', "dataset.budget.currency", "'zcdp' or 'sums'"),
    ("{ epsilon = 1, dleta = 1e-7 }", "dataset.budget.dleta", "delta, if that was meant"),
    ("4", "dataset.budget", "not a table"),
]
COLUMNS = [
    ('{ type = "itn" }', f"{V}.age.type", "'int', 'decimal'"),
    ("{ min = 0 }", f"{V}.age.type", "missing"),
    ('{ type = "int", mni = 0 }', f"{V}.age.mni", "min, if that was meant"),
    ('{ type = "int", min = 5, max = 4 }', f"{V}.age.max", "at least min"),
    ('{ type = "int", min = 0.5 }', f"{V}.age.min", "whole number"),
    ('{ type = "int", min = nan }', f"{V}.age.min", "finite"),
    ('{ type = "int", max = inf }', f"{V}.age.max", "finite"),
    ('{ type = "int", max = true }', f"{V}.age.max", "not a number"),
    ('{ type = "int", max = "9" }', f"{V}.age.max", "without quotation marks"),
    ('{ type = "int", max = 2020-01-01 }', f"{V}.age.max", "not a number"),
    ('{ type = "int", max = 9223372036854775808 }', f"{V}.age.max", "larger than"),
    ('{ type = "money", min = 0.001 }', f"{V}.age.min", "2 digits"),
    ('{ type = "money", scale = 2 }', f"{V}.age.scale", "two digits"),
    ('{ type = "decimal" }', f"{V}.age.scale", "digits after the point"),
    ('{ type = "decimal", scale = 10 }', f"{V}.age.scale", "scale = 9"),
    ('{ type = "decimal", scale = -1 }', f"{V}.age.scale", "scale = 9"),
    ('{ type = "decimal", scale = 2.0 }', f"{V}.age.scale", "whole number"),
    ('{ type = "decimal", scale = 2, max = 1e37 }', f"{V}.age.max", "larger than"),
    ('{ type = "float", scale = 2 }', f"{V}.age.scale", "no scale"),
    ('{ type = "float", max = 1e999 }', f"{V}.age.max", "finite"),
    ('{ type = "text", min = "a" }', f"{V}.age.min", "no least"),
    ('{ type = "bool", max = true }', f"{V}.age.max", "no least"),
    ('{ type = "date", min = 3 }', f"{V}.age.min", "not a day"),
    ('{ type = "date", min = "2020-01-01" }', f"{V}.age.min", "not a day"),
    ('{ type = "date", min = 2020-01-01T00:00:00 }', f"{V}.age.min", "not a day"),
    ('{ type = "date", min = 2020-01-02, max = 2020-01-01 }', f"{V}.age.max", "at least min"),
    ('{ type = "timestamp", min = 2020-01-01 }', f"{V}.age.min", "not a moment"),
    ('{ type = "timestamp", min = 2020-01-01T00:00:00Z }', f"{V}.age.min", "time zone"),
    ('{ type = "timestamp", min = 10:00:00 }', f"{V}.age.min", "not a moment"),
    ('{ type = "int", nullable = "no" }', f"{V}.age.nullable", "true or false"),
    ('{ type = "int", keys = [] }', AGE_KEYS, "at least one"),
    ('{ type = "int", keys = [1, 1] }', AGE_KEYS, "twice"),
    ('{ type = "int", keys = [1, true] }', AGE_KEYS, "type, int"),
    ('{ type = "int", keys = [1.0] }', AGE_KEYS, "type, int"),
    ('{ type = "int", keys = [[1]] }', AGE_KEYS, "type, int"),
    ('{ type = "int", keys = [9223372036854775808] }', AGE_KEYS, "larger than"),
    ('{ type = "int", keys = ["1"] }', AGE_KEYS, "type, int"),
    ('{ type = "text", keys = [1] }', AGE_KEYS, "type, text"),
    ('{ type = "text", keys = ["a\\u0000"] }', AGE_KEYS, "NUL"),
    ('{ type = "bool", keys = [1] }', AGE_KEYS, "type, bool"),
    ('{ type = "date", keys = [2020-01-01T00:00:00] }', AGE_KEYS, "not a day"),
    ('{ type = "timestamp", keys = [2020-01-01] }', AGE_KEYS, "not a moment"),
    ('{ type = "float", keys = [1.0] }', AGE_KEYS, "declare min and max"),
    ('{ type = "money", keys = [1] }', AGE_KEYS, "declare min and max"),
    ('{ type = "int", keys = { from = 2, to = 1 } }', AGE_KEYS, "at least one"),
    ('{ type = "int", keys = { from = 0, to = 100_000 } }', AGE_KEYS, "more than 100,000"),
    ('{ type = "int", keys = { from = 0, to = 9_000_000_000_000_000_000 } }', AGE_KEYS, "more than"),
    ('{ type = "int", keys = { from = 0 } }', f"{V}.age.keys.to", "both ends"),
    ('{ type = "int", keys = { from = 0, to = 4, by = 2 } }', f"{V}.age.keys.by", "no such key"),
    ('{ type = "text", keys = { from = "a", to = "z" } }', AGE_KEYS, "no step"),
    (
        '{ type = "timestamp", keys = { from = 2020-01-01T00:00:00, to = 2020-01-01T00:00:00 } }',
        AGE_KEYS,
        "step",
    ),
    ('{ type = "int", keys = "1, 2" }', AGE_KEYS, "no form of keys"),
    ('{ type = "int", keys = [1], min = 0 }', AGE_KEYS, "not both"),
    ('{ type = "text", keys = { lookup = "ward", column = "ward" } }', AGE_KEYS, "wards, if that was meant"),
    ('{ type = "text", keys = { lookup = "wards", column = "wrd" } }', AGE_KEYS, "ward, if that was meant"),
    ('{ type = "text", keys = { lookup = "wards" } }', f"{V}.age.keys.column", "missing"),
    ('{ type = "int", keys = { lookup = "wards", column = "ward" } }', AGE_KEYS, "cannot be read as int"),
    ('{ type = "float", keys = { lookup = "wards", column = "ward" } }', AGE_KEYS, "declare min and max"),
    ('"int"', f"{V}.age", "not a table"),
]
SOURCES = [
    ('"visits.xlsx"', "Its format is not known"),
    ('"visits"', "Its format is not known"),
    ('"s3://bucket/visits.parquet"', "not a path"),
    ('""', "not a path"),
    ('"a\\u0000.parquet"', "not a path"),
    ('"*.csv"', "by pattern"),
    ('"x*/../visits.parquet"', ".."),
    ('"visits.parquet"\ntable = "visits"', "leave table out"),
    ('"visits.parquet"\ndelimiter = ";"', "leave delimiter out"),
    ('"visits.csv"\ntable = "visits"', "leave table out"),
    ('"visits.csv"\ndelimiter = ";;"', "between two values"),
    ('"visits.csv"\ndelimiter = "a"', "between two values"),
    ('"visits.duckdb"', 'table = "visits"'),
    ('"visits.duckdb"\ntable = "__visits"', "reserved"),
    ('"visits.duckdb"\ntable = "visits"\ndelimiter = ";"', "leave delimiter out"),
]


@pytest.mark.parametrize(("budget", "key", "said"), BUDGETS)
def test_a_budget_that_promises_nothing_is_refused(tmp_path: Path, budget: str, key: str, said: str) -> None:
    assert said in refused_at(tmp_path, changed(BUDGET, budget))[key]


@pytest.mark.parametrize(("column", "key", "said"), COLUMNS)
def test_a_column_that_cannot_be_enforced_is_refused(tmp_path: Path, column: str, key: str, said: str) -> None:
    assert said in refused_at(tmp_path, changed(AGE, column))[key]


@pytest.mark.parametrize(("source", "said"), SOURCES)
def test_a_source_of_unknown_form_is_refused(tmp_path: Path, source: str, said: str) -> None:
    assert said in refused_at(tmp_path, changed('"visits.parquet"', source))["tables.visits.source"]
