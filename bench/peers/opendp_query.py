"""OpenDP with Polars: the unit is a person, five rows per person count (five regions, where people are counted)."""

import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import opendp.prelude as dp
import polars as pl
from query_turn import take_turn

dp.enable_features("contrib")
ROWS = 10_000_000
LIMIT = 5
REGIONS = pl.LazyFrame({"region": [f"R{i:02d}" for i in range(50)]})
CENTS = (pl.col("amount") * 100.0).cast(pl.Int64).fill_null(0)  # sums of floats would cost sensitivity
COUNT = dp.len(signed=False)
WHOLE = pl.col("amount").fill_null(0.0).fill_nan(0.0)
CANDIDATES = [float(value) for value in range(501)]


def ask(frame):
    """A question for ε = 1 and δ = 1e-6 in all."""
    return dp.Context.compositor(
        data=frame,
        privacy_unit=dp.unit_of(contributions=1, identifier=pl.col("user_id")),
        privacy_loss=dp.loss_of(epsilon=1.0, delta=1e-6),
        split_evenly_over=1,
        margins=[
            dp.polars.Margin(max_length=ROWS),
            dp.polars.Margin(by=["region"], max_length=ROWS, max_groups=50),
            dp.polars.Margin(by=["category"], max_length=ROWS, max_groups=2000),
        ],
    ).query()


def counted_and_summed(query):
    return query.agg(COUNT, CENTS.dp.sum((0, 50_000)))


def totals(frame):
    query = ask(frame).truncate_per_group(LIMIT).select(COUNT, CENTS.dp.sum((0, 50_000)))
    count, cents = query.release().collect().row(0)
    return {"": {"count": count, "sum": cents / 100, "mean": cents / 100 / count}}


def by_region(frame):
    query = counted_and_summed(ask(frame).truncate_per_group(LIMIT).group_by("region")).with_keys(REGIONS)
    rows = query.release().collect().select("region", "len", "amount").rows()
    return {key: {"count": n, "sum": cents / 100, "mean": cents / 100 / max(n, 1)} for key, n, cents in rows}


def by_category(frame):
    query = counted_and_summed(ask(frame).truncate_per_group(LIMIT).group_by("category"))
    rows = query.release().collect().select("category", "len", "amount").rows()
    return {key: {"count": n, "sum": cents / 100} for key, n, cents in rows}


def quantiles(frame):
    wanted = WHOLE.dp.median(CANDIDATES).alias("median"), WHOLE.dp.quantile(0.9, CANDIDATES).alias("p90")
    median, p90 = ask(frame).truncate_per_group(LIMIT).select(*wanted).release().collect().row(0)
    return {"": {"median": median, "p90": p90}}


def people_by_region(frame):
    once = ask(frame).truncate_per_group(1, by=["region"]).truncate_num_groups(LIMIT, by=["region"], keep="first")
    rows = once.group_by("region").agg(COUNT).with_keys(REGIONS).release().collect().select("region", "len").rows()
    return {key: {"people": n} for key, n in rows}


def noise(frame):
    """The standard deviation of a count by category, from the scale that OpenDP states; reads no rows."""
    stated = counted_and_summed(ask(frame).truncate_per_group(LIMIT).group_by("category")).summarize()
    (scale,) = stated.filter(pl.col("column") == "len")["scale"]
    return {"": {"count": math.sqrt(2) * scale}}


WORKLOADS = {"W1": totals, "W2": by_region, "W3": by_category, "W4": quantiles, "W5": people_by_region, "noise": noise}
take_turn(lambda path, _: pl.scan_parquet(path), WORKLOADS)
