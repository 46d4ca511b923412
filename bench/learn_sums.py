"""Models by sums: linear regression on Diamonds and by plane on flights, naive Bayes on Adult, multinomial on digits.

Settings are the defaults, chosen on flights. Each price is paid `REPEATS` times; figures are means over those
with their standard errors. Diamonds is read from plotnine's files in the peers' environment, digits from
scikit-learn's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import process_time
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from bench.claims import Claim, report
from bench.flights import flights
from bench.learn_adult import PLAIN
from bench.learn_adult import SQL as ADULT
from bench.learn_adult import opened as opened_adult
from bench.learn_adult import test_columns as adult_test_columns
from bench.learn_data import opened, package_file
from tacit.curator.dataset import Dataset
from tacit.learn.sums.linear_model import LinearModel
from tacit.learn.sums.linear_plan import LinearKind
from tacit.learn.sums.ridge import ridge_fit
from tacit.learn.sums.sums_stage import SumsReader
from tacit.query.materialized.statements import STATEMENTS
from tacit.query.plans.price import price_of

DELTA, REPEATS = "1e-5", 10
AIMS = {"0.1": 0.550, "1": 0.206, "8": 0.139}  # root of the mean squared error, float prototypes on the same split
ADULT_PLAIN = f"SELECT income, {PLAIN}, capital_gain, capital_loss FROM adult"
ADULT_LEVELS: Mapping[str, Mapping[str, Any]] = {
    "even bins": {},
    "quantiles": {"cuts": "quantiles"},
    "quantiles and a pair": {"cuts": "quantiles", "pairs": "education_num*relationship"},
}
Columns = Mapping[str, Sequence[Any]]

DIAMONDS = """\
carat = { type = "float", min = 0.2, max = 5 }
depth = { type = "float", min = 40, max = 80 }
width = { type = "float", min = 40, max = 95 }
price = { type = "float", min = 300, max = 20000 }
cut = { type = "text", keys = ["Fair", "Good", "Very Good", "Premium", "Ideal"] }
color = { type = "text", keys = ["D", "E", "F", "G", "H", "I", "J"] }
clarity = { type = "text", keys = ["I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"] }"""
DIAMONDS_SQL = "SELECT ln(price) AS lp, ln(carat) AS lc, depth, width, cut, color, clarity FROM diamonds"
FLIGHTS = """\
air_time = { type = "float", min = 15, max = 700 }
distance = { type = "float", min = 50, max = 5000 }
dep_delay = { type = "float", min = -60, max = 240 }
origin = { type = "text", keys = ["EWR", "LGA", "JFK"] }"""
FLIGHTS_SQL = "SELECT ln(air_time) AS la, ln(distance) AS ld, dep_delay, origin FROM flights"


def diamonds() -> tuple[pa.Table, Columns]:
    """Four fifths of the rows to train on, and the columns of the others."""
    read = duckdb.read_csv(str(package_file("plotnine/data/diamonds.csv"))).project(
        'carat, depth, "table"::DOUBLE AS width, price::DOUBLE AS price, cut, color, clarity'
    )
    rows = read.to_arrow_table()
    order = np.random.default_rng(0).permutation(rows.num_rows)
    return rows.take(order[:43_152]), logged(rows.take(order[43_152:]), {"lp": "price", "lc": "carat"})


def logged(rows: pa.Table, names: Mapping[str, str]) -> Columns:
    """The columns of a table, and logarithms of some."""
    found = {name: rows.column(name).to_numpy(zero_copy_only=False) for name in rows.column_names}
    return found | {name: np.log(found[of]) for name, of in names.items()}


def least_squares(model: LinearModel, columns: Columns) -> NDArray[np.float64]:
    """The coefficients of all rows, cut at bounds, without noise and factors, in the units of the columns."""
    listed = [np.ones(len(next(iter(columns.values()))))]
    listed += [np.clip(columns[each.name], each.low, each.high) for each in model.numbers]
    listed += [np.asarray(columns[key.name]) == value for key in model.keys for value in (key.values or ())[1:]]
    target = np.clip(columns[model.scale.name], model.scale.low, model.scale.high)
    return np.linalg.lstsq(np.column_stack(listed).astype(float), target, rcond=None)[0]


def root(model: Any, columns: Columns, target: str) -> float:
    """The root of the mean squared error."""
    return float(np.sqrt(np.mean((model.predict(columns) - np.asarray(columns[target])) ** 2)))


def repeated(
    fit: Callable[[], Any], judge: Callable[[Any], Sequence[float]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means and standard errors of what a judge says of some fits; last are seconds of CPU of one."""
    found = []
    for _ in range(REPEATS):
        begun = process_time()
        model = fit()
        seconds = process_time() - begun
        found.append([*judge(model), seconds])
    whole = np.array(found)
    return whole.mean(axis=0), whole.std(axis=0, ddof=1) / REPEATS**0.5


def regressions(claims: list[Claim]) -> Table:
    """Diamonds by row."""
    table = Table("ε", "RMSE", "± s.e.", "ridge", "s of CPU", title="Diamonds: log price, linear")
    train, test = diamonds()
    known = logged(train, {"lp": "price", "lc": "carat"})
    with opened("diamonds", train, DIAMONDS) as data:
        for epsilon in ("0.1", "0.5", "1", "3", "8"):

            def fit(epsilon: str = epsilon) -> Any:
                return data.learn(
                    DIAMONDS_SQL, target="lp", model="linear", epsilon=epsilon, delta=DELTA, fresh=True
                ).model

            (error, ridge, seconds), (spread, *_) = repeated(fit, lambda model: [root(model, test, "lp"), model.ridge])
            table.add_row(epsilon, f"{error:.4f}", f"{spread:.4f}", f"{ridge:.0f}", f"{seconds:.2f}")
            if epsilon in AIMS:
                detail = f"{error:.4f} ± {spread:.4f} to {AIMS[epsilon]}; two standard errors are let in"
                claims.append(
                    Claim(f"RMSE on Diamonds at ε = {epsilon}", (error - 2 * spread) / AIMS[epsilon], 1.0, True, detail)
                )
    table.add_row("∞", f"{least_squares_error(known, test):.4f}", "", "", "")
    return table


def coverage() -> Table:
    """How often 95% intervals hold, of 21 coefficients in 200 noisy releases of the same sums, by simulated noise."""
    table = Table("ε", "of the ridge at hand", "fits without a ridge", "there, of least squares", title="95% intervals")
    train, _ = diamonds()
    known = logged(train, {"lp": "price", "lc": "carat"})
    with opened("diamonds", train, DIAMONDS) as data:
        planner, unit = data._planner, data._planner.opened.description.unit
        plan = LinearKind().fit(DIAMONDS_SQL, "lp", planner.catalogue, unit, {})
        with planner.session(STATEMENTS) as session:
            sums = SumsReader(plan.rows_sql).whole(session, plan.bounded)
        whole, target = plan.moments.matrix(sums), len(plan.design.numbers)
        features = np.delete(np.arange(plan.moments.columns), target)
        for epsilon in ("0.1", "1", "3", "8"):
            price = price_of(
                planner.opened.description.budget, planner.opened.description.promise, epsilon, DELTA, False
            )
            width, ridged, without = plan.law(price).width, [], []
            for seed in range(200):
                noise = np.random.default_rng(seed).normal(0, width, len(sums)).round().astype(np.int64)
                fit = ridge_fit(plan.moments, sums + noise, width)
                shrunk = whole[np.ix_(features, features)] + fit.ridge * np.eye(len(features))
                off = np.abs(fit.coefficients - np.linalg.solve(shrunk, whole[features, target]))
                ridged.append(np.mean(off <= 1.96 * np.sqrt(np.diag(fit.covariance))))
                if fit.ridge == 0:
                    model = LinearModel.fitted(plan.moments, sums + noise, width)
                    ends = np.array([each.interval() for each in model.coefficients])
                    truth = least_squares(model, known)
                    without.append(np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1])))
            shown = f"{np.mean(without):.3f}" if without else "–"
            table.add_row(epsilon, f"{np.mean(ridged):.3f}", f"{len(without)} of 200", shown)
    return table


def least_squares_error(train: Columns, test: Columns) -> float:
    """The error of ordinary least squares on the same split."""

    def matrix(columns: Columns) -> NDArray[np.float64]:
        listed = [np.ones(len(columns["lp"])), columns["lc"], columns["depth"], columns["width"]]
        for name in ("cut", "color", "clarity"):
            listed += [np.asarray(columns[name]) == value for value in sorted(set(train[name]))[1:]]
        return np.column_stack(listed).astype(float)

    found = np.linalg.lstsq(matrix(train), np.asarray(train["lp"]), rcond=None)[0]
    return float(np.sqrt(np.mean((matrix(test) @ found - np.asarray(test["lp"])) ** 2)))


def by_plane() -> Table:
    """Flights, where a plane has 84 rows on average: the whole of a plane is hidden."""
    rows = pa.Table.from_pandas(flights(), preserve_index=False)
    rows = duckdb.arrow(rows).filter("tailnum IS NOT NULL AND air_time IS NOT NULL AND dep_delay IS NOT NULL")
    whole = rows.project(
        "tailnum, air_time, distance::DOUBLE AS distance, dep_delay, origin, hash(tailnum) % 5 AS part"
    )
    train, test = (whole.filter(f"part {sign} 0").to_arrow_table().drop_columns("part") for sign in (">", "="))
    columns = logged(test, {"la": "air_time", "ld": "distance"})
    table = Table("ε", "rows a plane", "RMSE", "± s.e.", "s of CPU", title="Flights: log air time, linear, by plane")
    with opened("flights", train, FLIGHTS, '{ id = "tailnum", hides = "one plane" }') as data:
        for epsilon, rows_each in (("0.5", 1), ("1", 1), ("1", 10), ("1", 100), ("8", 1), ("8", 100)):

            def fit(epsilon: str = epsilon, rows_each: int = rows_each) -> Any:
                asked = {"target": "la", "model": "linear", "epsilon": epsilon, "delta": DELTA, "rows_each": rows_each}
                return data.learn(FLIGHTS_SQL, fresh=True, **asked).model

            (error, seconds), (spread, _) = repeated(fit, lambda model: [root(model, columns, "la")])
            table.add_row(epsilon, str(rows_each), f"{error:.4f}", f"{spread:.4f}", f"{seconds:.2f}")
    return table


def classes() -> Table:
    """Adult by naive Bayes, digits by a multinomial model and by naive Bayes."""
    from sklearn.datasets import load_digits

    table = Table("data, model", "ε", "accuracy", "± s.e.", "s of CPU", title="Classes")
    columns, truth = adult_test_columns()
    with opened_adult() as data:
        for epsilon in ("0.1", "1", "8"):
            right = lambda model: [np.mean((np.array(model.predict(columns)) == ">50K") == truth)]  # noqa: E731
            listed(table, data, ("Adult", ADULT, "income"), "naive-bayes", epsilon, right)
            for name, settings in ADULT_LEVELS.items():
                listed(table, data, (f"Adult, {name}", ADULT_PLAIN, "income"), "additive", epsilon, right, **settings)
    images, labels = load_digits(return_X_y=True)
    train = np.random.default_rng(0).permutation(len(labels)) < 1_437
    # sums of 4 × 4 blocks of pixels: 16 columns
    blocks = images.reshape(-1, 4, 2, 4, 2).sum(axis=(2, 4)).reshape(-1, 16).astype(int)
    names = [f"p{place}" for place in range(16)]
    both = {name: blocks[:, place] for place, name in enumerate(names)} | {"digit": labels.astype(int)}
    described = "\n".join(f'{name} = {{ type = "int", min = 0, max = 64 }}' for name in names)
    described += '\ndigit = { type = "int", keys = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] }'
    test = {name: values[~train].tolist() for name, values in both.items()}
    right = lambda model: [np.mean(np.array(model.predict(test)) == np.array(test["digit"]))]  # noqa: E731
    with opened("digits", pa.table({name: values[train] for name, values in both.items()}), described) as data:
        for model in ("naive-bayes", "multinomial"):
            for epsilon in ("1", "8", "64"):
                asked = ("digits", f"SELECT digit, {', '.join(names)} FROM digits", "digit")
                listed(table, data, asked, model, epsilon, right, bins=4)
    return table


def listed(
    table: Table,
    data: Dataset,
    asked: tuple[str, str, str],
    model: str,
    epsilon: str,
    right: Callable[[Any], list[float]],
    **settings: Any,
) -> None:
    """One row of the table."""
    name, sql, target = asked

    def fit() -> Any:
        return data.learn(sql, target=target, model=model, epsilon=epsilon, delta=DELTA, fresh=True, **settings).model

    (accuracy, seconds), (spread, _) = repeated(fit, right)
    table.add_row(f"{name}, {model}", epsilon, f"{accuracy:.4f}", f"{spread:.4f}", f"{seconds:.2f}")


def main() -> None:
    """Fit, judge, print."""
    claims: list[Claim] = []
    console = Console(width=120)
    console.print(regressions(claims))
    console.print(coverage())
    console.print(by_plane())
    console.print(classes())
    report("Models by sums", claims)


if __name__ == "__main__":
    main()
