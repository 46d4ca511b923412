"""`tacit learn card`: a page about a model, made of its file and of an evaluation."""

from __future__ import annotations

from pathlib import Path

import click

from tacit.cli.poll_design import save
from tacit.cli.query import Output
from tacit.cli.terminal import say
from tacit.curator.model_file import read_signed_model

_PATH = click.Path(path_type=Path)


@click.command()
@click.argument("model", type=_PATH)
@click.option("--evaluation", type=_PATH, help="The JSON file of `tacit learn evaluate … --out evaluation.json`.")
@click.option("--out", type=_PATH, required=True, help="Write the page to this file.")
def card(model: Path, evaluation: Path | None, out: Path) -> None:
    """Write a page about a model: what it predicts, whom it hides and at what price, its features and their terms, how
    good it is, and what is not protected. Nothing is spent, and no data are needed.

    MODEL is a file that `tacit learn fit` wrote.

    \b
    Example:
      tacit learn card m.json --evaluation evaluation.json --out card.html
    """
    from tacit.release.measures_read import ReadMeasures
    from tacit.release.model_card import model_card

    Output.checked(None, out, None, None)
    found = read_signed_model(model)
    measures = None if evaluation is None else ReadMeasures.read(evaluation, found.model.digest)
    save(out, model_card(found.model, found.certificate, measures))
    say(f"Wrote {out}.", err=True)
