"""Learning where the whole of a plane is hidden: will a flight of 2013 arrive late, on flights of planes held out.

A plane has 81 flights on average and up to 544. No peer can limit what one plane adds: each hides a single row. A model
that hides rows alone is shown as well, with the ε that it has for a plane of so many flights: not a promise to make.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from time import process_time
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from rich.table import Table
from sklearn.linear_model import LogisticRegression

from bench.claims import Claim
from bench.flights import flights
from bench.learn_adult import DELTA, area
from bench.learn_compare import mean_and_error
from bench.learn_data import opened
from tacit.loss.families.gdp import Gdp
from tacit.query.plans.price import gaussian_strength

LATE = 15  # minutes
SPLITS = 10
EPSILONS = ("1", "8")
AIMS = {"1": 0.75, "8": 0.95}  # of what no privacy has above 0.5: set after a first run, so that a loss is seen
CARRIERS = ("9E", "AA", "AS", "B6", "DL", "EV", "F9", "FL", "HA", "MQ", "OO", "UA", "US", "VX", "WN", "YV")
COLUMNS = f"""\
late = {{ type = "text", keys = ["no", "yes"] }}
hour = {{ type = "int", min = 5, max = 24 }}
month = {{ type = "int", min = 1, max = 12 }}
weekday = {{ type = "int", min = 0, max = 6 }}
distance = {{ type = "float", min = 0, max = 5000 }}
origin = {{ type = "text", keys = ["EWR", "JFK", "LGA"] }}
carrier = {{ type = "text", keys = [{", ".join(f'"{each}"' for each in CARRIERS)}] }}
"""
SQL = "SELECT late, hour, month, weekday, distance, origin, carrier FROM flights"
BY_PLANE, BY_ROW = '{ id = "tailnum", hides = "one plane" }', '{ row = true, hides = "one flight" }'


@dataclass(frozen=True)
class Treatment:
    """A unit, and how many rows of one plane count."""

    name: str
    unit: str
    settings: Mapping[str, Any]


TREATMENTS = (
    Treatment("by plane, as 1 row", BY_PLANE, {"rows_each": 1}),
    Treatment("by plane, as 10 rows", BY_PLANE, {"rows_each": 10}),
    Treatment("by row, wrong", BY_ROW, {}),
)


def rows() -> pa.Table:
    """Flights of known planes that arrived."""
    whole = duckdb.arrow(pa.Table.from_pandas(flights(), preserve_index=False))
    known = whole.filter("tailnum IS NOT NULL AND arr_delay IS NOT NULL")
    return known.project(
        f"""tailnum, CASE WHEN arr_delay >= {LATE} THEN 'yes' ELSE 'no' END AS late, hour::INTEGER AS hour,
        month::INTEGER AS month, dayofweek(make_date(year::INT, month::INT, day::INT))::INTEGER AS weekday,
        distance::DOUBLE AS distance, origin, carrier"""
    ).to_arrow_table()


def person_level() -> tuple[Table, list[Claim]]:
    """Each treatment on planes held out, a third of all, and no privacy."""
    whole = rows()
    truth = np.array([each == "yes" for each in whole.column("late").to_pylist()])
    columns = {name: whole.column(name).to_numpy(zero_copy_only=False) for name in whole.column_names}
    _, plane_of, flights_of = np.unique(columns["tailnum"].astype(str), return_inverse=True, return_counts=True)
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for split in range(SPLITS):
        held_out = np.isin(plane_of, np.random.default_rng(split).permutation(len(flights_of))[: len(flights_of) // 3])
        train = whole.filter(~held_out)
        test = {name: values[held_out] for name, values in columns.items()}
        for each in TREATMENTS:
            own = train if each.unit == BY_PLANE else train.drop_columns("tailnum")
            with opened("flights", own, COLUMNS, each.unit) as data:
                for epsilon in EPSILONS:
                    begun = process_time()
                    asked = {"target": "late", "epsilon": epsilon, "delta": DELTA, "fresh": True, **each.settings}
                    model = data.learn(SQL, **asked).model
                    seconds = process_time() - begun
                    scores = area(truth[held_out], model.score(test))
                    found.setdefault((each.name, epsilon), []).append((scores, seconds))
        codes = [feature.codes_of(columns) for feature in model.features if feature.name]
        found.setdefault(("no privacy", "∞"), []).append(_without(codes, truth, held_out))
    return _shown(found, flights_of), _claims(found)


def _without(
    codes: list[NDArray[np.int64]], truth: NDArray[np.bool_], held_out: NDArray[np.bool_]
) -> tuple[float, float]:
    """The AUC of logistic regression on the same levels, and its seconds of CPU."""
    begun = process_time()
    matrix = np.hstack([np.eye(column.max() + 1, dtype=np.float32)[column] for column in codes])
    model = LogisticRegression().fit(matrix[~held_out], truth[~held_out])
    return area(truth[held_out], model.decision_function(matrix[held_out])), process_time() - begun


def _shown(found: Mapping[tuple[str, str], list[tuple[float, float]]], flights_of: NDArray[np.intp]) -> Table:
    many = round(float(flights_of.mean())), int(flights_of.max())
    ends = [f"ε of a plane of {each}" for each in many]
    table = Table(
        "ε", "what is hidden", "AUC", "± s.e.", *ends, "s of CPU", title="Flights: late or not, planes held out"
    )
    for (name, epsilon), measured in sorted(found.items(), key=lambda item: item[0][1]):
        mean, error = mean_and_error(np.array([auc for auc, _ in measured]))
        seconds = np.mean([each for _, each in measured])
        if epsilon == "∞":
            real = ["∞", "∞"]
        else:
            real = [epsilon] * 2 if name != TREATMENTS[-1].name else [_for_rows(epsilon, rows) for rows in many]
        table.add_row(epsilon, name, f"{mean:.4f}", f"{error:.4f}", *real, f"{seconds:.2f}")
    return table


def _for_rows(epsilon: str, rows: int) -> str:
    """The ε of so many rows where one row has the given one."""
    one = Gdp(gaussian_strength(Fraction(epsilon), Fraction(DELTA)))
    return f"{one.group(rows).epsilon(Fraction(DELTA)):,.0f}"


def _claims(found: Mapping[tuple[str, str], list[tuple[float, float]]]) -> list[Claim]:
    """What is above a half, of what no privacy has above it."""
    auc = {key: np.array([each for each, _ in measured]) for key, measured in found.items()}
    best = float(np.mean(auc["no privacy", "∞"])) - 0.5
    claims = []
    for epsilon, target in AIMS.items():
        mean, error = mean_and_error(auc[TREATMENTS[0].name, epsilon])
        detail = f"AUC {mean:.4f} ± {error:.4f} to {best + 0.5:.4f}, both above 0.5"
        claims.append(
            Claim(f"flights by plane at ε = {epsilon} to no privacy", (mean - 0.5) / best, target, False, detail)
        )
    return claims
