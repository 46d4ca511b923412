"""`tacit attack model`: who was in the training data of a model."""

from __future__ import annotations

import json
import os
from contextlib import ExitStack
from pathlib import Path

import click

from tacit.audit.membership.attacked_models import PRIVATE, opened_model
from tacit.audit.membership.attacked_table import AttackedTable
from tacit.audit.membership.model_attack import ModelAttack, attack_on
from tacit.audit.membership.shadow_models import Watch
from tacit.audit.own_function import read_claim
from tacit.audit.table_file import read_table
from tacit.cli import options
from tacit.errors import Refused

_EVERY = 10


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--target", required=True, help="The column that models predict, of a few classes.")
@click.option(
    "--model",
    "models",
    multiple=True,
    default=("additive",),
    show_default=True,
    help=f"{', '.join(PRIVATE)}; or module:function, which makes one with fit and predict_proba. Repeat it for more.",
)
@click.option("--epsilon", default="1", show_default=True, help="What each private model is trained at.")
@click.option("--delta", default="1e-6", show_default=True, help="Its δ, and that of all bounds.")
@click.option(
    "--claims", help='What models of module:function promise, as "epsilon=1 delta=1e-6"; nothing if not given.'
)
@click.option("--unit", help="The column that says whose row it is; each row is a person if not given.")
@click.option("--people", default=400, show_default=True, help="How many people to attack, drawn at random.")
@click.option("--shadows", default=32, show_default=True, help="How many models to learn from what members look like.")
@click.option("--targets", default=8, show_default=True, help="How many models to attack.")
@click.option("--seed", default=0, show_default=True, help="Another number draws other people, and other halves.")
@options.figure("Draw members found against false alarms, by likelihood ratio, to this PNG or SVG file.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def model(
    file: Path,
    target: str,
    models: tuple[str, ...],
    epsilon: str,
    delta: str,
    claims: str | None,
    unit: str | None,
    people: int,
    shadows: int,
    targets: int,
    seed: int,
    figure: Path | None,
    as_json: bool,
) -> None:
    """Train models on halves of the people in FILE (Parquet or CSV), and guess from each who was in its half.

    Private models are trained as Tacit does, at --epsilon each, in accounts of their own; any other model is trained as
    it is. The report is for the steward alone: it names rows of FILE, counted from 1, and no model leaves the attack.

    \b
    Example:
      tacit attack model patients.csv --target diabetic --model sklearn.ensemble:RandomForestClassifier --model additive
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # threads of torch wait for each other in models as small as these
    claim = None if claims is None else read_claim(claims)
    if claim is not None and not any(":" in name for name in models):
        raise Refused("a claim about private models", "They have certificates.", "a --model of module:function.")
    with ExitStack() as opened:
        attacked = [opened.enter_context(opened_model(name, epsilon, delta, claim)) for name in models]
        table = AttackedTable.of(read_table(file), target, unit, people, seed)
        if table.left_out:
            click.echo(f"Left out, neither numbers nor a few keys: {', '.join(table.left_out)}.", err=True)
        attacks = []
        for each in attacked:
            attacks.append(attack_on(each, table, shadows, targets, delta, seed=seed, watch=_progress(each.name)))
            if not as_json:
                click.echo(attacks[-1].describe())
    if as_json:
        click.echo(json.dumps([attack.fields() for attack in attacks], indent=1, ensure_ascii=False))
    if figure is not None:
        _draw(figure, attacks)
        click.echo(f"Drawn to {figure}.", err=as_json)


def _draw(path: Path, attacks: list[ModelAttack]) -> None:
    from tacit.audit.membership.rounds import draw_curves  # matplotlib takes a second to load

    games = {each.model.name: each.shadow.played for each in attacks}
    certified = next((each for each in attacks if each.model.epsilon is not None), None)
    level, slack = (None, 0.0) if certified is None else (certified.model.epsilon, certified.delta)
    draw_curves(path, games, level, slack, least=1e-3)


def _progress(name: str) -> Watch:
    def say(done: int, of: int) -> None:
        if done % _EVERY == 0 or done == of:
            click.echo(f"… {name}: {done:,} of {of:,} models trained", err=True)

    return say
