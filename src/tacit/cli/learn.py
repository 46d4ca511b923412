"""`tacit learn`: train a model privately, predict with it, and say privately how good it is."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import click

from tacit.cli import options
from tacit.cli.progress import watched
from tacit.cli.query import Output
from tacit.cli.terminal import say
from tacit.curator.dataset import open_dataset
from tacit.curator.learning import read_model
from tacit.errors import Refused

_model = click.argument("model", type=click.Path(path_type=Path))
_KINDS = "Or linear, naive-bayes, multinomial, kmeans, pca; logistic, softmax, hinge."
_out = click.option("--out", type=click.Path(path_type=Path), required=True, help="Write it to this file.")


@click.command()
@options.file
@options.sql
@click.option(
    "--target", default="", help="The column that is predicted; all others are features. Not of kmeans and pca."
)
@options.epsilon
@options.delta
@click.option("--model", default="additive", show_default=True, help=_KINDS)
@click.option("--by", help="How the last three are trained: objective (if not given), output, gradient.")
@click.option("--bins", type=int, help="How many levels a number or a date has; 16 if not given.")
@click.option("--steps", type=int, help="How many steps of descent, all paid at once; 20 if not given.")
@click.option("--rows", "rows_each", type=int, help="How many rows one person counts for, at most; 1 if not given.")
@click.option("--clip", help="Where residuals are cut: 0.5 for classes, 0.25 for numbers, if not given.")
@click.option("--ridge", help="How strongly output perturbation and descent pull coefficients to 0; absolute.")
@click.option("--numbers", help='Columns that the last three count as numbers, not as levels: "age, pixel_*".')
@click.option("--norm", help="The length at which a row of numbers is cut; half of the longest if not given.")
@click.option("--cuts", help="Bins are even (if not given), or have equally many rows: quantiles.")
@click.option("--pairs", help='Pairs of features with levels of their own: "age*ward, age*region".')
@click.option("--private", help='Columns whose keys are chosen privately: "ward, region".')
@click.option("--reach", help="How far out numbers count whole, as a part of their bounds; 1/2 if not given.")
@click.option("--centres", type=int, help="How many centres kmeans has; 5 if not given.")
@_out
@options.fresh
@options.analyst
@options.memory
@options.threads
@options.ledger
def fit(
    file: Path,
    sql: str,
    target: str,
    epsilon: str | None,
    delta: str | None,
    model: str,
    out: Path,
    fresh: bool,
    analyst: str | None,
    memory: str | None,
    threads: int | None,
    ledger: str | None,
    **settings: str | int | None,
) -> None:
    """Train a model: by default an additive one, in the database, where each column has its own curve.

    FILE is the description of the data set; SQL is a SELECT of the target and the features, without GROUP BY. Features
    need declared keys, or min and max; CASE makes levels of anything else. A target with two values is classified, a
    number with min and max is estimated. Logistic, softmax and hinge models tell classes, from rows held in memory; all
    others are trained in the database.

    \b
    Example:
      tacit learn fit clinic.toml "SELECT ward, age, stay_days, cost FROM visits" --target cost --epsilon 1 --out m.json

    Exit codes: 0 trained, 2 refused and nothing spent, 3 failed after the charge, 130 interrupted, 143 ended.
    """
    if epsilon is None:
        raise Refused("training without a price", "Each fit is paid for.", "--epsilon 1.")
    Output.checked(None, out, None, None)
    with (
        watched("Training", file, analyst=analyst, ledger=ledger, memory=memory, threads=threads) as (dataset, clock),
        clock,
    ):
        learned = dataset.learn(
            options.read_sql(sql),
            target=target,
            epsilon=epsilon,
            delta=delta,
            model=model,
            fresh=fresh,
            **{name: value for name, value in settings.items() if value is not None},
        )
    learned.write(out)
    say(learned)
    say(f"Wrote {out}.", err=True)


@click.command()
@_model
@click.argument("rows", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Write predictions to this CSV file, not to the terminal.")
def predict(model: Path, rows: Path, out: Path | None) -> None:
    """Predict the target of rows in a CSV or Parquet file. Nothing is spent: the model is public once it is released.

    MODEL is a file that `tacit learn fit` wrote; ROWS has a column for each feature, named as in the SELECT.

    \b
    Example:
      tacit learn predict m.json new_visits.csv --out predicted.csv
    """
    from tacit.audit.table_file import read_table

    trained, columns = read_model(model), read_table(rows)
    predicted = trained.predict(columns)
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    chances, classes = trained.probabilities(columns), trained.target.values or ()
    if trained.target.values is None:
        writer.writerow([trained.target.name])
        writer.writerows([f"{value:.6g}"] for value in predicted)
    elif chances is None:
        writer.writerow([trained.target.name])
        writer.writerows([value] for value in predicted)
    else:
        told = range(1 if len(classes) == 2 else 0, len(classes))
        writer.writerow([trained.target.name, *(f"probability of {classes[place]}" for place in told)])
        writer.writerows(
            [value, *(f"{chance[place]:.4f}" for place in told)]
            for value, chance in zip(predicted, chances, strict=True)
        )
    if out is None:
        click.echo(lines.getvalue(), nl=False)
    else:
        Output.checked(None, out, None, None)
        out.write_text(lines.getvalue(), encoding="utf-8")
        say(f"Wrote {out}.", err=True)


@click.command()
@options.file
@options.sql
@click.option("--target", required=True, help="The column of the SELECT that is predicted; all others are features.")
@options.epsilon
@options.delta
@click.option("--model", default="logistic", show_default=True, help="Or hinge.")
@click.option("--on", "judged_on", help="A SELECT of rows that were held out; those of the training if not given.")
@click.option("--bins", type=int, default=16, show_default=True, help="How many levels a number or a date has.")
@options.analyst
@options.ledger
def compare(
    file: Path,
    sql: str,
    target: str,
    epsilon: str | None,
    delta: str | None,
    model: str,
    judged_on: str | None,
    bins: int,
    analyst: str | None,
    ledger: str | None,
) -> None:
    """Train by noise on the output, in the objective and on gradients, and say privately how good each is.

    Three fits and three evaluations, each at the price that is given. What they cost together is said before the first,
    and nothing is spent where they do not all fit.

    \b
    Example:
      tacit learn compare clinic.toml "SELECT urgent, ward, age FROM visits" --target urgent --epsilon 1
    """
    from tacit.curator.compared_ways import compare_ways

    if epsilon is None:
        raise Refused("training without a price", "Each fit is paid for.", "--epsilon 1.")
    with open_dataset(file, ledger=ledger, analyst=analyst) as dataset:
        found = compare_ways(
            dataset,
            options.read_sql(sql),
            target=target,
            epsilon=epsilon,
            delta=delta,
            model=model,
            judged_on=None if judged_on is None else options.read_sql(judged_on),
            said=lambda total: say(total, err=True),
            bins=bins,
        )
    say(found)
