"""The recorded queries: every aggregate, key, join and operation above the noise, under each kind of promise."""

from __future__ import annotations

from typing import Final

_PER_PERSON = "SELECT patient, SUM(cost) AS total FROM visits GROUP BY patient"

QUERIES: Final = {
    "count rows": "SELECT COUNT(*) FROM visits",
    "count present": "SELECT COUNT(age), COUNT(weight) FROM visits",
    "count people": "SELECT region, COUNT(DISTINCT patient) FROM visits GROUP BY region",
    "count values": "SELECT COUNT(DISTINCT ward) FROM visits",
    "count values by key": "SELECT icd, COUNT(DISTINCT age) FROM visits GROUP BY icd",
    "sum": "SELECT SUM(cost) FROM visits",
    "sum of product": "SELECT SUM(cost * days) FROM visits",
    "mean": "SELECT AVG(cost) FROM visits",
    "mean of floats": "SELECT AVG(weight) FROM visits",
    "mean by public key": "SELECT region, COUNT(*), AVG(cost) FROM visits GROUP BY region",
    "variance": "SELECT region, VAR_SAMP(age), STDDEV_POP(age) FROM visits GROUP BY region",
    "median and quantile": "SELECT MEDIAN(cost), QUANTILE_CONT(cost, 0.9) FROM visits",
    "percentile within group": (
        "SELECT region, PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY age) FROM visits GROUP BY region"
    ),
    "least and greatest": "SELECT MIN(age), MAX(age) FROM visits",
    "private keys": "SELECT ward, COUNT(*), SUM(cost) FROM visits GROUP BY ward",
    "private keys alone": "SELECT ward FROM visits GROUP BY ward",
    "private keys and people": (
        "SELECT ward, COUNT(DISTINCT patient) AS people FROM visits GROUP BY ward ORDER BY people DESC"
    ),
    "private keys and median": "SELECT ward, MEDIAN(age) FROM visits GROUP BY ward",
    "private and public keys": "SELECT region, ward, COUNT(*) FROM visits GROUP BY region, ward",
    "two public keys": "SELECT region, icd, COUNT(*), SUM(days) FROM visits GROUP BY region, icd",
    "key by month": "SELECT date_trunc('month', day) AS month, COUNT(*) FROM visits GROUP BY month",
    "key by case": (
        "SELECT CASE WHEN age < 18 THEN 'young' WHEN age < 65 THEN 'grown' ELSE 'old' END AS band, COUNT(*) "
        "FROM visits GROUP BY band"
    ),
    "key by division": "SELECT age // 20 AS score, COUNT(*), SUM(cost) FROM visits GROUP BY score",
    "key by bucket": "SELECT WIDTH_BUCKET(cost, 0, 20000, 4) AS bucket, COUNT(*) FROM visits GROUP BY bucket",
    "key of truth": "SELECT urgent, COUNT(*) FROM visits GROUP BY urgent",
    "filter": (
        "SELECT COUNT(*) FROM visits "
        "WHERE ward LIKE 'w%' AND icd IN ('a', 'b') AND age BETWEEN 30 AND 60 AND NOT urgent"
    ),
    "filter on dates": (
        "SELECT COUNT(*) FROM visits WHERE year(day) = 2024 AND day >= DATE '2024-03-01' AND hour(seen) < 12"
    ),
    "filter of one aggregate": "SELECT COUNT(*) FILTER (WHERE urgent), AVG(cost) FILTER (WHERE age >= 65) FROM visits",
    "arithmetic and case": (
        "SELECT SUM(CASE WHEN urgent THEN 2 * cost ELSE cost - 1 END), SUM(abs(age - 50)) FROM visits"
    ),
    "division made total": "SELECT SUM(cost / GREATEST(days, 1)) FROM visits",
    "texts": "SELECT COUNT(*) FROM visits WHERE LOWER(TRIM(region)) = 'north' AND LENGTH(CONCAT(ward, '-', icd)) > 3",
    "casts": "SELECT SUM(CAST(weight AS DECIMAL(6, 2))), COUNT(TRY_CAST(ward AS INTEGER)) FROM visits",
    "elementary functions": "SELECT SUM(SQRT(cost)), SUM(LN(age + 1)), SUM(ROUND(weight, -1)) FROM visits",
    "moments": (
        "SELECT SUM(date_diff('day', DATE '2024-01-01', day)), COUNT(*) FROM visits "
        "WHERE seen + INTERVAL '7 days' > TIMESTAMP '2024-02-01 00:00:00'"
    ),
    "join along a foreign key": "SELECT SUM(d.dose * v.days) FROM drugs d JOIN visits v ON d.visit = v.visit",
    "join with private keys": (
        "SELECT d.drug, COUNT(*) FROM drugs d JOIN visits v ON d.visit = v.visit WHERE v.urgent GROUP BY d.drug"
    ),
    "join with a public table": "SELECT floor, COUNT(*) FROM visits JOIN wards USING (ward) GROUP BY floor",
    "join of a person's rows": (
        "SELECT COUNT(*), SUM(v.cost) FROM visits AS v JOIN visits AS w ON w.patient = v.patient AND w.day = v.day"
    ),
    "per person": f"SELECT AVG(total) FROM ({_PER_PERSON})",
    "per person, quantile": f"SELECT MEDIAN(LEAST(total, 90000)) FROM ({_PER_PERSON})",
    "per person, filtered": f"SELECT COUNT(*) FROM ({_PER_PERSON}) WHERE total > 30000",
    "per person, having": (
        "SELECT COUNT(*), AVG(many) FROM (SELECT patient, COUNT(*) AS many "
        "FROM visits GROUP BY patient HAVING COUNT(*) > 5)"
    ),
    "per person and key": (
        "SELECT region, AVG(many) FROM (SELECT patient, region, COUNT(*) AS many "
        "FROM visits GROUP BY patient, region) GROUP BY region"
    ),
    "common table expression": (
        "WITH old AS (SELECT patient, cost, region FROM visits "
        "WHERE age >= 65) SELECT region, SUM(cost) FROM old GROUP BY region"
    ),
    "above the noise": (
        "SELECT region, SUM(cost) / COUNT(*) AS each, COUNT(*) * 2 "
        "FROM visits GROUP BY region HAVING COUNT(*) > 20 ORDER BY each DESC LIMIT 1"
    ),
    "case above the noise": (
        "SELECT icd, CASE WHEN COUNT(*) > 100 THEN 1 ELSE 0 END AS many, ROUND(AVG(cost), 1) "
        "FROM visits GROUP BY icd ORDER BY icd"
    ),
    "refused: label above the noise": (
        "SELECT icd, CASE WHEN COUNT(*) > 100 THEN 'many' ELSE 'few' END FROM visits GROUP BY icd"
    ),
    "refused: row by row": "SELECT patient, SUM(cost) FROM visits GROUP BY patient",
    "refused: no bound": "SELECT SUM(cost / weight) FROM visits",
}

_SOME = (
    "count rows",
    "mean by public key",
    "median and quantile",
    "private keys",
    "count values",
    "per person",
)
_MORE = {
    "sums": (*_SOME, "private keys alone"),
    "pure": (*_SOME, "variance"),
    "zcdp": _SOME,
    "replace": (*_SOME, "join along a foreign key"),
    "replace, pure": ("count people", "mean by public key", "least and greatest"),
    "no limits": (*_SOME, "variance", "join of a person's rows"),
    "no limits, pure": ("mean by public key", "percentile within group", "count values by key"),
    "usual": (*_SOME, "variance", "join of a person's rows"),
    "usual, limits": (*_SOME, "sum"),
    "usual, pure": ("count rows", "mean by public key", "percentile within group"),
}
ASKED: Final = (
    *(("approx", name) for name in QUERIES),
    *((clinic, name) for clinic, names in _MORE.items() for name in names),
)
"""(clinic, query): the recorded queries."""
