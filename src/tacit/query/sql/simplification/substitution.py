"""Substitution in a SELECT: the meanings of its columns, whether it aggregates, and replacing names by expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sqlglot import exp

MOST_PARTS = 20_000  # the most nodes after replacing names by expressions


def sources(select: exp.Select) -> list[exp.Expression]:
    """The sources in FROM and after JOIN."""
    origin = select.args.get("from_")
    return [*([origin.this] if origin else []), *(join.this for join in select.args.get("joins") or [])]


def own_nodes(node: exp.Expression) -> Iterator[exp.Expr]:
    """The nodes of an expression, without those of queries inside it."""
    return node.walk(prune=lambda part: isinstance(part, exp.Query | exp.Subquery))


def own_columns(select: exp.Select) -> list[exp.Column]:
    """The columns that a SELECT names itself."""
    return [node for part in _clauses(select) for node in own_nodes(part) if isinstance(node, exp.Column)]


def aggregates(select: exp.Select) -> bool:
    """Whether the SELECT aggregates rows."""
    return bool(select.args.get("group") or select.args.get("having")) or any(
        isinstance(node, exp.AggFunc) and not isinstance(node.parent, exp.Window)
        for item in select.expressions
        for node in own_nodes(item)
    )


def looks_at_other_rows(select: exp.Select) -> bool:
    """Whether an expression has a window or a sub-query, in which case nothing is moved."""
    return any(isinstance(node, exp.Window | exp.Query) for part in _clauses(select) for node in part.walk())


def meanings(select: exp.Select) -> Callable[[str], exp.Expression | None] | None:
    """The expressions of the SELECT's output names; None if that cannot be determined."""
    named: dict[str, exp.Expression] = {}
    star: str | None = None
    for item in select.expressions:
        if item.is_star:
            if len(sources(select)) != 1 or star is not None:
                return None
            star = sources(select)[0].alias_or_name
        elif not item.alias_or_name or item.alias_or_name.lower() in named:
            return None
        else:
            named[item.alias_or_name.lower()] = item.unalias()

    def meaning(name: str) -> exp.Expression | None:
        found = named.get(name.lower())
        return exp.column(name, table=star, quoted=True) if found is None and star is not None else found

    return meaning


def put_in_place(select: exp.Select, alias: str, meaning: Callable[[str], exp.Expression | None]) -> bool:
    """Replace the columns of `alias` by their expressions; False, without changes, if that is impossible."""
    found = [(node, meaning(node.name)) for node in own_columns(select) if node.table.lower() == alias.lower()]
    size = 0
    for node, body in found:
        size += 0 if body is None else sum(1 for _ in body.walk())
        if body is None or node.is_star or _is_position(body, node) or not size <= MOST_PARTS:
            return False
    if any(not node.table and not _is_star_alone(node, select) for node in own_columns(select)):
        return False
    for node, body in found:
        assert body is not None
        if node.parent is select and node.arg_key == "expressions":
            node.replace(exp.alias_(body.copy(), node.name, quoted=True))
        else:
            is_alone = isinstance(node.parent, exp.AggFunc | exp.Distinct) or not isinstance(
                body, exp.Binary | exp.Unary
            )
            node.replace(body.copy() if is_alone else exp.Paren(this=body.copy()))
    return True


def _is_star_alone(node: exp.Expression, select: exp.Select) -> bool:
    return node.is_star and node.parent is select


def _is_position(body: exp.Expression, node: exp.Expression) -> bool:
    """Whether a number would be placed where numbers mean columns."""
    return isinstance(body, exp.Literal) and isinstance(node.parent, exp.Ordered | exp.Group)


def _clauses(select: exp.Select) -> list[exp.Expression]:
    parts = [select.args.get(name) for name in ("where", "group", "having", "order")]
    conditions = [join.args.get("on") for join in select.args.get("joins") or []]
    return [*select.expressions, *(part for part in (*parts, *conditions) if part)]
