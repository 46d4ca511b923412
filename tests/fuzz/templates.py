"""Templates of SQL expressions, by the kind of value that they make; between two of them are two spaces or a new line.

A hole is a letter: i an integer, f a float, n any number, t a text, p a truth value, a a date, s a timestamp, d
either; # stands for the kind of the template itself, = before a letter for a literal; words in capitals are drawn from
fixed lists.
`test_every_rule_has_a_production` holds that each rule of the registry is reached.
"""

from __future__ import annotations

import re

_ANY = """
CASE WHEN {p} THEN {#} ELSE {#} END  CASE WHEN {p} THEN {#} WHEN {p} THEN {#} END  CASE {i} WHEN {i} THEN {#} END
IF({p}, {#}, {#})  COALESCE({#}, {#})  COALESCE({#}, {=#})  IFNULL({#}, {#})  NULLIF({#}, {#})  ({#})
"""
_ORDERED = """
GREATEST({#}, {#})  LEAST({#}, {#})  LEAST(GREATEST({#}, {=#}), {=#})  GREATEST({=#}, LEAST({#}, {=#}))
"""
_SHIFTED = """
({#} + INTERVAL {SMALL} {LONG})  ({#} - INTERVAL {SMALL} {LONG})  ({#} - INTERVAL '{SMALL}' {LONG})
({#} + INTERVAL '{SMALL} months {SMALL} days')  ({#} - INTERVAL '{SMALL} months {SMALL} days')
(INTERVAL {SMALL} {LONG} + {#})  DATE_ADD({#}, INTERVAL {SMALL} {LONG})  ({#} + INTERVAL {SMALL} MONTH)
"""
_OWN = {
    "i": """
({i} + {i})  ({i} - {i})  ({i} * {i})  ({i} // {i})  ({i} % {i})  MOD({i}, {i})  (- {i})  ABS({i})  SIGN({n})
FLOOR({n})  CEIL({n})  CEILING({n})  TRUNC({n})  ROUND({n})  ROUND({i}, -{DIGIT})  LENGTH({t})  ({a} - {a})
WIDTH_BUCKET({n}, {LIMITS}, {COUNT})  CAST({n} AS {WHOLE})  ({n}::{WHOLE})  TRY_CAST({t} AS {WHOLE})
CAST({p} AS {WHOLE})  CAST({t} AS DECIMAL({WIDE}, 0))  EXTRACT({PART} FROM {d})  date_part('{PART}', {d})
STRPOS({t}, {t})  POSITION({=t} IN {t})  INSTR({t}, {=t})
datepart('{PART}', {d})  date_diff('{UNIT}', {d}, {d})  date_diff('{UNIT}', {s}, {s})  {NAMED}({d})
""",
    "n": """
({n} + {n})  ({n} - {n})  ({n} * {n})  ({n} / {n})  ({n} % {n})  (- {n})  ABS({n})  SQRT({n})  LN({n})  LOG({n})
CBRT({n})
LOG10({n})  LOG2({n})  LOG(2, {n})  EXP({n})  POWER({n}, {EXPONENT})  POW({n}, {EXPONENT})  ROUND({n}, {DIGIT})
ROUND({n}, -{DIGIT})  CAST({n} AS {DECIMAL})  ({n}::{DECIMAL})  TRY_CAST({n} AS {DECIMAL})  CAST({t} AS {DECIMAL})
CAST({f} AS {MONEY})  CAST({f} AS {DECIMAL})  CAST({t} AS {MONEY})
CAST({t} AS DOUBLE)  CAST({n} AS DOUBLE)  CAST({p} AS {DECIMAL})  CAST({n} AS FLOAT)
""",
    "f": """
CAST({n} AS DOUBLE)  ({f} + {n})  ({f} - {n})  ({f} * {n})  ({n} / {n})  SQRT({f})  ROUND({f}, {DIGIT})  (- {f})
""",
    "t": """
LOWER({t})  UPPER({t})  TRIM({t})  LTRIM({t})  RTRIM({t})  TRIM({t}, {LETTERS})  LTRIM({t}, {LETTERS})
SUBSTRING({t}, {PLACE}, {PLACE})  SUBSTR({t}, {PLACE})  LEFT({t}, {PLACE})  RIGHT({t}, {PLACE})  CONCAT({t}, {t})
CONCAT({t}, {t}, {t}, {t})  ({t} || {t})  ({t} || {=t})  CAST({n} AS VARCHAR)  CAST({i} AS VARCHAR)
({t} || {i})  CONCAT({d}, {t})
CAST({d} AS VARCHAR)  CAST({p} AS TEXT)  REPLACE({t}, {LETTER}, {LETTERS})  SPLIT_PART({t}, {LETTER}, {COUNT})
LPAD({t}, {LENGTH}, {LETTER})  RPAD({t}, {LENGTH}, {LETTER})  MONTHNAME({d})  DAYNAME({d})  STRFTIME({d}, {FORMAT})
TO_CHAR({d}, {LAYOUT})
""",
    "p": """
({n} {COMPARE} {n})  ({t} {COMPARE} {t})  ({t} {COMPARE} {=t})  ({d} {COMPARE} {d})  ({n} {COMPARE} {=n})
({d} {COMPARE} {=d})
({p} {COMPARE} {p})  ({p} AND {p})  ({p} OR {p})  (NOT {p})  ({n} IS NULL)  ({t} IS NOT NULL)  ({p} IS TRUE)
({p} IS NOT FALSE)  ({n} BETWEEN {n} AND {n})  ({d} BETWEEN {=d} AND {=d})  ({n} IN ({=n}, {=n}, NULL))
({t} IN ({=t}, {=t}))  ({d} IN ({=d}, {=d}))  ({t} LIKE {PATTERN})  ({t} ILIKE {PATTERN})  ({t} NOT ILIKE {PATTERN})
({t} LIKE '%!%!_%' ESCAPE '!')  STARTS_WITH({t}, {t})  ENDS_WITH({t}, {t})  CONTAINS({t}, {t})  PREFIX({t}, {=t})
SUFFIX({t}, {t})  CAST({n} AS BOOLEAN)  CAST({t} AS BOOLEAN)  TRUE  ISNAN({n})  ({t} !~ {REGEX})
REGEXP_MATCHES({t}, {REGEX})  ({t} SIMILAR TO {SIMILAR})
""",
    "a": f"""
LAST_DAY({{d}})  MAKE_DATE({{i}}, {{i}}, {{i}})  MAKE_DATE(YEAR({{d}}), MONTH({{d}}), {{i}} % 40)
MAKE_DATE({{i}} % 10100, 2, 29)  TO_DATE({{t}}, {{LAYOUT_READ}})  TO_DATE(TO_CHAR({{d}}, 'DD/MM/YYYY'), 'DD/MM/YYYY')
CAST({{s}} AS DATE)  CAST({{t}} AS DATE)  DATE({{s}})  date_trunc('{{DAYS}}', {{a}})
date_trunc('{{DAYS}}', CAST({{s}} AS DATE))  ({{a}} + INTERVAL {{SMALL}} DAY)  ({{a}} - INTERVAL '{{SMALL}} weeks')
{_SHIFTED}
""",
    "s": f"""
STRPTIME({{t}}, {{FORMAT_READ}})  STRPTIME(STRFTIME({{d}}, '%m.%Y'), '%m.%Y')
TRY_STRPTIME({{t}}, '%Y%m%d')  CAST({{a}} AS TIMESTAMP)  CAST({{t}} AS TIMESTAMP)
date_trunc('{{UNIT}}', {{s}})  date_trunc('{{CLOCK}}', {{a}})
({{s}} + INTERVAL {{SMALL}} {{CLOCK}})  ({{s}} - INTERVAL '{{SMALL}} days {{SMALL}} seconds')
({{s}} - INTERVAL '{{SMALL}} months {{SMALL}} hours')  ({{a}} + INTERVAL {{SMALL}} {{CLOCK}})  {_SHIFTED}
""",
}


def _templates(kind: str) -> tuple[str, ...]:
    text = f"{_OWN[kind]}{_ANY}{'' if kind == 'p' else _ORDERED}".replace("#", kind)
    return tuple(found.strip() for found in re.split(r"\n| {2,}", text) if found.strip())


TEMPLATES = {kind: _templates(kind) for kind in _OWN}
WORDS: dict[str, tuple[str, ...]] = {
    "NAMED": (
        *("YEAR", "QUARTER", "MONTH", "WEEK", "WEEKOFYEAR", "DAY", "DAYOFMONTH", "DAYOFWEEK", "ISODOW", "DAYOFYEAR"),
        *("DOW", "DOY", "HOUR", "MINUTE", "SECOND"),
    ),
    "PART": ("year", "quarter", "month", "week", "day", "hour", "minute", "second", "dow", "isodow", "doy", "isoyear"),
    "UNIT": ("year", "quarter", "month", "week", "day", "hour", "minute", "second"),
    "DAYS": ("year", "quarter", "month", "week", "day"),
    "CLOCK": ("hour", "minute", "second"),
    "LONG": ("MONTH", "MONTH", "MONTH", "QUARTER", "YEAR", "DAY", "WEEK"),
    "SMALL": ("1", "1", "1", "2", "3", "6", "11", "12", "13", "36", "0", "48", "400", "9999"),
    "DIGIT": ("0", "1", "2", "3", "5", "9", "12", "15"),
    "EXPONENT": tuple(map(str, range(17))),
    "PLACE": ("1", "1", "2", "3", "5", "40", "65536"),
    "WHOLE": ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"),
    "WIDE": ("1", "4", "9", "10", "18", "19", "28"),
    "COUNT": ("1", "2", "3", "7", "10", "10000"),
    "COMPARE": ("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"),
    "PATTERN": ("'%'", "''", "'n%'", "'%o_t%'", "'%1_%'", "'_'", "'%É%'", "'%%a%b'", "'😀%'", "'\\'", "'%x%x%x%'"),
    "LETTER": ("'n'", "'o'", "'1'", "'-'", "' '", "'é😀'", "'nn'", "'_'", "'%'"),
    "LENGTH": ("0", "1", "2", "3", "7", "40", "2048"),
    "FORMAT": (
        *("'%Y-%m'", "'%Y-%m-%d %T'", "'%j'", "'%B %-d'", "'%a, %b %d'", "'%G-W%V-%u'", "'%W|%U|%w'", "'%I%p%M%S'"),
        *("'%y%%'", "'%-m/%-d %-H'", "'%A'"),
    ),
    "LAYOUT": ("'YYYY-MM'", "'YYYY-\"Q\"Q'", "'IYYY-IW'", "'DD.MM.YY HH24:MI:SS'", "'DDD'", "'Dy DD Mon'", "'HH12'"),
    "FORMAT_READ": ("'%Y'", "'%Y-%m-%d'", "'%Y%m%d'", "'%d/%m/%Y %H:%M'", "'%Y-%m-%d %H:%M:%S'"),
    "LAYOUT_READ": ("'YYYY'", "'YYYY-MM-DD'", "'YYYYMMDD'", "'DD.MM.YYYY'"),
    "REGEX": (
        *("'n'", "'^n'", "'o$'", "'^(no|so)'", "'n.r'", "'o.*t'", "'^[a-z]+$'", "'^[0-9]*[a-z]'", "'[0-9]'", "'a|^b'"),
        *("'^\\d{2}'", "'^x[A-Z]+ab$'", "'^.[a-z]'", "'%'", "'_'", "'^$'", "'é'", "'^[ -.]+'", "'!x'", "'^\\w+ '"),
    ),
    "SIMILAR": ("'(no|so)%'", "'n_r%'", "'[0-9]+'", "'%(a|b)%'", "'a|b'", "'n.*'"),
    "LETTERS": ("'n'", "'a 1'", "''", "'é😀'", "' '", "'_x'"),
    "DECIMAL": tuple(
        f"DECIMAL({width}, {scale})" for width in range(1, 37) for scale in range(min(9, width, 37 - width) + 1)
    ),
    "MONEY": tuple(f"DECIMAL({width}, {scale})" for width in (15, 18, 19, 22, 25, 28) for scale in (1, 2, 3, 6, 9)),
}
"""What stands for a word; DECIMAL has every width and scale that a cast may have, MONEY those with room for much."""
