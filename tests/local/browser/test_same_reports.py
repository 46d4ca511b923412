"""The browser's module makes the reports that Python makes, from the same bytes: in Node and in a real Chromium."""

from __future__ import annotations

import base64
import json
import subprocess
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.local.browser.chromium import Chromium
from tests.local.browser.vectors import FILE, cases, written

from tacit.local.randomizers.randomizer import Randomizer, WeightTable
from tacit.local.randomizers.subset_selection import KaryResponse, SubsetSelection

MODULE = (files("tacit.local.browser") / "tacit.js").read_text()
REPLAY = Path(__file__).with_name("replay.js").read_text()
BROKEN = {
    "a word too many is kept": ("word < top", "word <= top"),
    "no word is rejected": ("word < top", "true"),
    "a byte too few": ("/ 8) + 1;", "/ 8 + 0.875);"),
    "the last byte first": ("(high << 8n) | BigInt(low)", "high + (BigInt(low) << 8n)"),
    "an edge belongs to both": ("(left -= weight) < 0n", "(left -= weight) <= 0n"),
    "the truth a little oftener": ("place < own ?", "place <= own ?"),
    "the others begin behind the answer": ("other >= answer", "other > answer"),
    "one option short": ("others - size + (hasTruth ? 1 : 0)", "others - size + 1"),
    "no second choice": ("chosen.has(place) ? last : place", "place"),
    "the last part most significant": ("parts.reduce((number", "[...parts].reverse().reduce((number"),
    "redrawn": ("this.#submission ??=", "this.#submission ="),
}


def replayed(module: str, vectors: str) -> str:
    """An expression: the vectors that this module gets wrong."""
    module, replay = (as_address(text) for text in (module, REPLAY))
    return (
        f"Promise.all([import({module}), import({replay})])"
        f".then(([tacit, replay]) => replay.differences(tacit, JSON.parse({json.dumps(vectors)})))"
    )


def as_address(module: str) -> str:
    return json.dumps("data:text/javascript;base64," + base64.b64encode(module.encode()).decode())


def in_node(node: str, expression: str) -> Any:
    program = f"console.log(JSON.stringify(await ({expression})))"
    ran = subprocess.run([node, "--input-type=module"], input=program, capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)


def test_the_module_is_small_and_needs_nobody() -> None:
    assert len(MODULE.encode()) < 10_000
    assert "import" not in MODULE
    assert "Math.random" not in MODULE


def test_the_vectors_are_what_python_makes_now() -> None:
    assert FILE.read_text() == written(), "`python -m tests.local.browser.vectors` writes them anew"


def test_node_makes_the_same_reports(node: str) -> None:
    found = in_node(node, replayed(MODULE, FILE.read_text()))
    assert found["found"] == []
    assert found["count"] > 700


def test_chromium_makes_the_same_reports(chromium: Chromium) -> None:
    chromium.open("about:blank")
    found = chromium.run(replayed(MODULE, FILE.read_text()))
    assert found["found"] == []
    assert found["count"] > 700
    assert chromium.run("navigator.userAgent.includes('Chrome/')")


@pytest.mark.parametrize("name", BROKEN)
def test_broken_twins_are_caught(name: str, node: str) -> None:
    right, wrong = BROKEN[name]
    assert MODULE.count(right) == 1
    assert in_node(node, replayed(MODULE.replace(right, wrong), FILE.read_text()))["found"] != []


def test_randomizers_never_seen_before_agree_too(node: str) -> None:
    stream = np.random.default_rng(7)
    drawn = [_any_randomizer(stream) for _ in range(120)]
    draws = [{"name": str(each), "randomizer": each.written(), "cases": list(cases(each, stream))} for each in drawn]
    found = in_node(node, replayed(MODULE, json.dumps({"below": [], "draws": draws, "interviews": []})))
    assert found["found"] == []
    assert found["count"] > 2_000


def _any_randomizer(stream: np.random.Generator) -> Randomizer[Any]:
    """Sizes and odds of every magnitude."""
    denominator = int(stream.integers(1, 10 ** int(stream.integers(1, 18))))
    odds = 1 + Fraction(int(stream.integers(1, 10 ** int(stream.integers(1, 18)))), denominator)
    options = int(stream.integers(2, 60))
    kind = stream.integers(3)
    if kind == 0:
        rows = [[int(each) for each in stream.integers(0, 1000, int(options))] for _ in range(3)]
        return WeightTable.of([[Fraction(each, sum(row)) for each in row] for row in rows if sum(row)])
    return (
        KaryResponse(options, odds) if kind == 1 else SubsetSelection(options, int(stream.integers(1, options)), odds)
    )


REFUSALS = {
    "a source of one's own": "tacit.below(5n, (count) => new Uint8Array(count))",
    "a source of one's own for a token": "tacit.token((count) => new Uint8Array(count))",
    "a seed": "tacit.draw({kind: 'kary', options: 2, true: '3', other: '1'}, 0, 42)",
    "an answer beyond": "tacit.draw({kind: 'kary', options: 2, true: '3', other: '1'}, 2)",
    "an answer that is text": "tacit.draw({kind: 'table', weights: [['1', '1'], ['1', '1']]}, '0')",
    "rows of different totals": "tacit.draw({kind: 'table', weights: [['1', '1'], ['1', '2']]}, 0)",
    "another kind": "tacit.draw({kind: 'other', options: 2}, 0)",
    "no bound": "tacit.below(0n)",
    "an option beyond": "tacit.combine([{options: ['No', 'Yes']}], [2])",
    "a respondent who is none": "new tacit.Interview({questions: []}, '../..')",
    "an ended script": "tacit.below(5n, tacit.scripted([255, 255]))",
}


def test_what_makes_no_sense_is_refused(node: str) -> None:
    tried = ", ".join(
        f"{json.dumps(name)}: (() => {{ try {{ {each}; return 'done'; }} catch (error) {{ return error.name; }} }})()"
        for name, each in REFUSALS.items()
    )
    found = in_node(node, f"import({as_address(MODULE)}).then((tacit) => ({{{tried}}}))")
    assert {name: said for name, said in found.items() if said not in ("RangeError", "TypeError")} == {}


def test_the_bytes_are_those_of_the_device(node: str) -> None:
    """With no source named, each byte comes from crypto.getRandomValues; what is combined is taken apart again."""
    found = in_node(
        node,
        f"""import({as_address(MODULE)}).then((tacit) => {{
            let asked = 0;
            const own = crypto.getRandomValues.bind(crypto);
            crypto.getRandomValues = (array) => {{ asked += array.length; return own(array).fill(1); }};
            const parts = [{{options: ["a", "b", "c"]}}, {{options: ["No", "Yes"]}}];
            return [tacit.draw({{kind: "table", weights: [["3", "1"], ["1", "3"]]}}, 1), asked, tacit.token(), asked,
                    tacit.separate(parts, tacit.combine(parts, [2, 0])), tacit.combine(parts, [2])];
        }})""",
    )
    assert found == [1, 1, "01" * 16, 17, [2, 0], None]
