"""The fuzzer itself: it reaches every rule, is the same for the same seed, and its rows are dense."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
import sqlglot
from tests.fuzz import awkward
from tests.fuzz.block import make_block
from tests.fuzz.campaign import Campaign, rule_of
from tests.fuzz.grammar import Grammar
from tests.fuzz.templates import TEMPLATES, WORDS

from tacit.errors import Refused
from tacit.query.sql.expressions import type_expression
from tacit.query.sql.expressions.rule_registry import FAMILIES

RULES = {node.__name__ for family in FAMILIES for node in family.nodes} | {
    name for family in FAMILIES for name in family.functions
}


@pytest.fixture(scope="module")
def reached() -> dict[str, set[str]]:
    """By template the rules of an expression that it makes; none if no expression of it was accepted."""
    found = {text for kind in TEMPLATES for text in TEMPLATES[kind]}
    for word in ("NAMED", "COMPARE"):
        found = {text.replace(f"{{{word}}}", choice) for text in found for choice in WORDS[word]}
    return {text: _rules(text) for text in found}


def _rules(template: str) -> set[str]:
    """What the first accepted expression of a template is made of."""
    for seed in range(60):
        block = make_block("d", Random(seed))
        tree = sqlglot.parse_one(Grammar(block, Random(seed)).filled(template), dialect="duckdb")
        try:
            type_expression(tree, block.scope)
        except Refused:
            continue
        return set(map(rule_of, tree.walk()))
    return set()


def test_every_template_is_accepted(reached: dict[str, set[str]]) -> None:
    """Every template produces accepted expressions."""
    assert [template for template, rules in reached.items() if not rules] == []


def test_every_rule_has_a_production(reached: dict[str, set[str]]) -> None:
    """A function that is registered and that no template makes would never be tried: add a template with it."""
    assert set[str]().union(*reached.values()) >= RULES


def test_most_expressions_are_accepted() -> None:
    """A campaign does not consist of refusals."""
    campaign = Campaign.of(1, blocks=4)
    for _ in campaign.batches(300):
        pass
    assert campaign.seen["accepted"] > 10 * campaign.seen["refused"]


def test_a_campaign_is_its_seed() -> None:
    """A finding can be reproduced from the seed of its campaign."""
    one, same, other = (
        [sample.text for batch in Campaign.of(seed, blocks=2).batches(80) for sample in batch] for seed in (7, 7, 8)
    )
    assert one == same != other


def test_expressions_are_up_to_four_deep() -> None:
    """Depth is counted in templates, not in the letters that they need."""
    grammar = Grammar(make_block("d", Random(1)), Random(1))
    sizes = [len(grammar.expression(depth=depth)) for depth in (1, 2, 3, 4) for _ in range(300)]
    means = [sum(sizes[start : start + 300]) for start in range(0, 1200, 300)]
    assert means == sorted(means)
    assert means[3] > 2 * means[0]


def test_windows_are_dense() -> None:
    """Values lie side by side: seconds, days, integers, steps of a decimal, neighbouring doubles."""
    random = Random(3)
    times = [awkward.moments(random) for _ in range(200)]
    assert any((b - a).total_seconds() == 1 and a.day != b.day for window in times for a, b in pairwise(window))
    whole = [awkward.integers(random) for _ in range(200)]
    assert sum(window == list(range(window[0], window[0] + len(window))) for window in whole) > 40
    doubles = [awkward.floats(random) for _ in range(200)]
    assert sum(len(set(window)) > 60 and max(window) - min(window) < 1e-12 for window in doubles) > 5
