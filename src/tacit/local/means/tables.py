"""The certified tables that are part of the package: for each kept ε the best report of a number, in whole weights."""

from __future__ import annotations

import json
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from importlib.resources import files
from itertools import chain, groupby, repeat
from typing import Any

from tacit.local.means.response import MeanResponse
from tacit.local.randomizers.table import Table


def kept() -> tuple[Fraction, ...]:
    """The ε whose tables are part of the package."""
    return tuple(sorted(map(Fraction, _tables())))


@lru_cache
def read(epsilon: Fraction) -> MeanResponse:
    """The response of a kept ε; its claims are checked in whole numbers as those of any other."""
    table = _tables()[str(epsilon)]
    columns: dict[int, list[int]] = {}
    for name, runs in table["columns"].items():
        column = list(chain.from_iterable(repeat(int(weight), count) for count, weight in runs))
        columns[int(name)], columns[-int(name)] = column, column[::-1]
    return assembled(epsilon, table["steps"], table["per_unit"], columns)


def assembled(epsilon: Fraction, steps: int, per_unit: int, columns: dict[int, list[int]]) -> MeanResponse:
    """The response with these columns of weights, one for each output."""
    outputs = tuple(sorted(columns))
    rows = tuple(zip(*(columns[out] for out in outputs), strict=True))
    return MeanResponse(epsilon, steps, per_unit, outputs, Table(rows))


def text(responses: Iterable[MeanResponse]) -> str:
    """How tables are kept, one line an ε: for each output ≥ 0 runs of equal weights; −out is out turned round."""
    lines = (
        f"{json.dumps(str(each.epsilon))}: {json.dumps(_written(each), separators=(',', ':'))}" for each in responses
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _written(response: MeanResponse) -> dict[str, Any]:
    columns = dict(zip(response.outputs, zip(*response.table.weights, strict=True), strict=True))
    runs = {
        str(out): [[len(list(run)), str(weight)] for weight, run in groupby(column)]
        for out, column in columns.items()
        if out >= 0
    }
    return {"steps": response.steps, "per_unit": response.per_unit, "columns": runs}


@lru_cache
def _tables() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files("tacit.local.means").joinpath("tables.json").read_text("utf-8"))
    return found
