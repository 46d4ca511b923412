"""What an outer query may contain: a list of nodes of the parsed tree, and the forms in which none fails on a value.

Claim: the SQL that is run reads released tables only, and its value depends on nothing else. Proof: it is generated
from a tree whose every node is on the list below. A source is the name of a released table, of a common table or a
sub-query on the same terms; functions are listed by their node, so that what the parser does not know is refused. None
reads a file, a setting, the time, or a random number, and none makes rows out of nothing. The connection that runs it
is sealed besides (`engines/duckdb/sealed.py`), so that a mistake here is refused there.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from sqlglot import exp

from tacit.errors import Refused
from tacit.schema.kind import Kind

_STRUCTURE: Final = (
    *(exp.Select, exp.Union, exp.Except, exp.Intersect, exp.Subquery, exp.With, exp.CTE, exp.From, exp.Join),
    *(exp.Table, exp.TableAlias, exp.Identifier, exp.Where, exp.Group, exp.Having, exp.Qualify, exp.Order),
    *(exp.Ordered, exp.Limit, exp.Offset, exp.Distinct, exp.Alias, exp.Column, exp.Star, exp.Paren, exp.Tuple),
    *(exp.Literal, exp.Null, exp.Boolean, exp.Window, exp.WindowSpec, exp.Filter, exp.IgnoreNulls, exp.RespectNulls),
    *(exp.DataType, exp.DataTypeParam, exp.Var),
)
_OPERATORS: Final = (
    *(exp.And, exp.Or, exp.Not, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Is, exp.In, exp.Between),
    *(exp.NullSafeEQ, exp.NullSafeNEQ, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod),
    *(exp.Neg, exp.DPipe, exp.Case, exp.If, exp.Coalesce, exp.Nullif, exp.Cast, exp.TryCast),
    *(exp.Like, exp.ILike, exp.Exists),
)
_OF_A_ROW: Final = (
    *(exp.Round, exp.Floor, exp.Ceil, exp.Abs, exp.Sqrt, exp.Ln, exp.Exp, exp.Pow, exp.Sign, exp.Greatest, exp.Least),
    *(exp.Lower, exp.Upper, exp.Trim, exp.Length, exp.Concat, exp.Substring, exp.Left, exp.Right),
    *(exp.Extract, exp.Year, exp.Quarter, exp.Month, exp.Week, exp.Day, exp.DayOfWeek),
    *(exp.DateTrunc, exp.TimestampTrunc, exp.DateDiff, exp.TimeToStr, exp.Log, exp.Cbrt, exp.Trunc),
)
_OF_ROWS: Final = (
    *(exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Median, exp.Quantile, exp.PercentileCont, exp.WithinGroup),
    *(exp.Stddev, exp.StddevPop, exp.StddevSamp, exp.Variance, exp.VariancePop, exp.Corr, exp.CountIf),
    *(exp.RowNumber, exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist, exp.Ntile),
    *(exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue, exp.ArgMax, exp.ArgMin, exp.AnyValue),
)
_ALLOWED: Final = frozenset((*_STRUCTURE, *_OPERATORS, *_OF_A_ROW, *_OF_ROWS))
_TYPES: Final = frozenset(
    exp.DataType.Type[name]
    for name in ["INT", "BIGINT", "SMALLINT", "FLOAT", "DECIMAL", "TEXT", *(kind.traits.sql for kind in Kind)]
    if name
)
_SIDES: Final = frozenset(("", "LEFT", "RIGHT", "FULL", "INNER", "OUTER", "CROSS", "SEMI", "ANTI"))
_MOST_SOURCES: Final = 8
_JOINING: Final = (exp.DPipe, exp.Concat)
_MOST_TEXTS: Final = 16  # operands: a text grows at most e^(16/e) times, less than 400
_MOST_WILDCARDS: Final = 2
_MOST_NODES: Final = 5_000
_ACCEPTED: Final = (
    "released groups in sub-queries, joins, CASE, arithmetic, ROUND, aggregates, and the window functions "
    "ROW_NUMBER, RANK, NTILE, LAG, LEAD, SUM, AVG, MIN, MAX, COUNT."
)


def refuse_foreign(outer: exp.Query, released: Collection[str]) -> None:
    """Refuse an outer query with anything that is not on the list."""
    many = 0
    for node in outer.walk():
        many += 1
        if type(node) not in _ALLOWED:
            raise Refused(_short(node), "It has no place above released groups.", _ACCEPTED)
        _refuse_kind(node)
        if isinstance(node, exp.Identifier | exp.Literal | exp.Var):
            _refuse_text(node)
    if not many <= _MOST_NODES:
        raise Refused("an outer query of so many parts", f"It has {many:,} of them.", f"at most {_MOST_NODES:,}.")
    joined = sum(2 if isinstance(node, exp.DPipe) else len(node.expressions) for node in outer.find_all(*_JOINING))
    if not joined <= _MOST_TEXTS:
        why = "Texts that are joined to themselves again and again grow beyond memory."
        raise Refused(f"{joined} texts joined in an outer query", why, f"at most {_MOST_TEXTS}.")
    for pattern in outer.find_all(exp.Like, exp.ILike):
        _refuse_slow(pattern, joined)
    tables = list(outer.find_all(exp.Table))
    if not sum(table.name not in released for table in tables) <= _MOST_SOURCES:
        why = "Each table of released groups multiplies the rows."
        raise Refused("so many joined tables of released groups", why, f"at most {_MOST_SOURCES}.")
    for table in tables:
        _refuse_source(table, outer, released)


def _refuse_kind(node: exp.Expr) -> None:
    if isinstance(node, exp.With) and node.args.get("recursive"):
        raise Refused("WITH RECURSIVE", "A recursion has no bound.", "WITH without RECURSIVE.")
    if isinstance(node, exp.Join):
        words = {str(node.args.get(name) or "").upper() for name in ("side", "kind", "method")}
        if not words <= _SIDES:
            raise Refused(_short(node), "This kind of join has no place above released groups.", "JOIN … ON a.x = b.x.")
    if isinstance(node, exp.Star) and any(node.args.values()):
        raise Refused(_short(node), "Columns are named here.", "their names.")
    if isinstance(node, exp.Cast | exp.TryCast) and node.to.this not in _TYPES:
        raise Refused(_short(node), "The type is not offered above released groups.", "INTEGER, DOUBLE, TEXT, DATE.")
    if isinstance(node, exp.Group) and any(
        value for name, value in node.args.items() if name not in ("expressions", "all")
    ):
        raise Refused(
            "GROUP BY with CUBE or ROLLUP above released groups", "It asks for several tables.", "GROUP BY keys."
        )
    if isinstance(node, exp.Var) and not str(node.this).replace("_", "").isalnum():
        raise Refused(_short(node), "It has no place above released groups.", _ACCEPTED)
    if isinstance(node, exp.Limit | exp.Offset) and not _is_whole(node.expression):
        raise Refused(_short(node), "It must be known beforehand.", "a whole number.")


def _refuse_slow(node: exp.Expr, joined: int) -> None:
    """Refuse a pattern that could be tried at very many places between two looks at the clock."""
    pattern = node.expression
    is_short = isinstance(pattern, exp.Literal) and pattern.is_string and pattern.name.count("%") <= _MOST_WILDCARDS
    if joined or not is_short:
        why = "Patterns with many wildcards, or of texts that were joined, can take time without end."
        raise Refused(
            _short(node), why, f"a literal with at most {_MOST_WILDCARDS} %; or LIKE in WHERE of the sub-query."
        )


def _is_whole(node: exp.Expr | None) -> bool:
    return isinstance(node, exp.Literal) and not node.is_string and node.name.isdecimal() and len(node.name) < 16


def _refuse_text(node: exp.Expr) -> None:
    if any(letter < " " for letter in str(node.this)):
        raise Refused("a control character in a name or a text", "It is not written as one.", "printable letters.")


def _refuse_source(table: exp.Table, outer: exp.Query, released: Collection[str]) -> None:
    known = {cte.alias for cte in outer.find_all(exp.CTE)} | set(released)
    is_plain = isinstance(table.this, exp.Identifier) and not {name for name, value in table.args.items() if value} - {
        "this",
        "alias",
        "joins",
    }
    if not is_plain or table.name not in known:
        raise Refused(f"FROM {_short(table)}", "It is no table of released groups.", "a sub-query with GROUP BY.")


def _short(node: exp.Expr) -> str:
    text = node.sql("duckdb", comments=False)
    return text if len(text) <= 60 else f"{text[:59]}…"


def total(outer: exp.Query) -> exp.Query:
    """The same query in forms that are NULL where they would fail: casts and divisions by 0.

    Roots and logarithms beyond their domain are no numbers already, which are shown as NULL.
    """
    found = outer.transform(_total)
    assert isinstance(found, exp.Query)
    return found


def _total(node: exp.Expr) -> exp.Expr:
    if type(node) is exp.Cast:
        return exp.TryCast(this=node.this, to=node.to)
    if isinstance(node, exp.Div | exp.IntDiv | exp.Mod) and not _is_number(node.expression):
        node.set("expression", exp.Nullif(this=node.expression, expression=exp.Literal.number(0)))
    return node


def _is_number(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and not node.is_string and float(node.name) != 0
