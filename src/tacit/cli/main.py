"""The `tacit` command: its groups of commands, each command loaded when it is called."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

import click

from tacit.errors import Failed, Refused


class LazyGroup(click.Group):
    """A group of commands, each given by its module and its purpose; the module has it under its name."""

    def __init__(self, *arguments: Any, mounts: Mapping[str, tuple[str, str]], **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.mounts = mounts

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.mounts)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command's name and purpose, enough to list it."""
        known = self.mounts.get(cmd_name)
        return None if known is None else click.Command(cmd_name, short_help=known[1])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None:
            command = getattr(import_module(self.mounts[name][0]), name)
        return name, command, rest


_POLL: Final = {
    "design": ("tacit.cli.poll_design", "Choose how to ask, and how many people; write it into a poll's file."),
    "page": ("tacit.cli.poll_design", "Write the poll as a page on which the respondent's own browser randomises."),
    "collect": ("tacit.cli.poll_collect", "Hand out the page and take in reports, on this machine."),
    "estimate": ("tacit.cli.poll_estimate", "Say what the reports tell about everybody, with intervals."),
}


@click.group(cls=LazyGroup, mounts=_POLL, no_args_is_help=True)
def poll() -> None:
    """Polls in which no respondent has to trust anybody: each answer is randomised before it leaves its device.

    Example: `tacit poll design "Have you ever cheated in an exam?" --truth 3/4 --width 0.06`
    """


_ACCOUNT: Final = {
    "compose": ("tacit.cli.account", "What releases cost together: ε at δ, between two certified ends."),
    "calibrate": ("tacit.cli.account", "The least noise, the largest sample or the most steps that keep a promise."),
    "compare": ("tacit.cli.account", "The published composition bounds beside the exact optimum."),
    "region": ("tacit.cli.account", "The false-alarm and miss rates that a membership test can have."),
    "rates": ("tacit.cli.account_rates", "What counting questions cost in accuracy, by model of privacy."),
    "histogram": ("tacit.cli.account_rates", "A histogram in the local and in the central model."),
}


@click.group(cls=LazyGroup, mounts=_ACCOUNT, no_args_is_help=True)
def account() -> None:
    """What many releases cost together, and how much noise a promise needs."""


_ATTACK: Final = {
    "reconstruct": ("tacit.cli.attack", "Recover a secret column from counts about random groups."),
    "membership": ("tacit.cli.attack", "Tell from averages who was in the data."),
    "model": ("tacit.cli.attack_model", "Tell from trained models who was in their training data."),
    "anonymity": ("tacit.cli.attack", "Attack a table that was made k-anonymous."),
}


@click.group(cls=LazyGroup, mounts=_ATTACK, no_args_is_help=True)
def attack() -> None:
    """What a release without differential privacy gives away, shown on data of your own. Nothing is sent anywhere.

    Example: `tacit attack reconstruct patients.parquet --secret diabetic`
    """


_WORKLOAD: Final = {
    "explain": ("tacit.cli.workload", "Say how far off each answer would be, together and done plainly; free."),
    "release": ("tacit.cli.workload", "Answer many counting questions together, at one price."),
}


@click.group(cls=LazyGroup, mounts=_WORKLOAD, no_args_is_help=True)
def workload() -> None:
    """Many counting questions at once: ranges, running totals, histograms of several widths, with the best noise.

    Example: `tacit workload explain clinic.toml @questions.sql --epsilon 1`
    """


_LEARN: Final = {
    "fit": ("tacit.cli.learn", "Train a model, at one price for all steps."),
    "compare": ("tacit.cli.learn", "Train one model in three ways, and say how good each is."),
    "tune": ("tacit.cli.tune", "Choose among settings privately; only the best model is released."),
    "predict": ("tacit.cli.learn", "Predict the target of rows in a file; free."),
    "evaluate": ("tacit.cli.evaluate", "Say privately how good a model is, with intervals."),
    "card": ("tacit.cli.card", "Write a page about a model: what it says, whom it hides, how good it is."),
}


@click.group(cls=LazyGroup, mounts=_LEARN, no_args_is_help=True)
def learn() -> None:
    """Models under the same budget: a fit is one release, and what a model predicts is free.

    Example: `tacit learn fit clinic.toml "SELECT ward, age, cost FROM visits" --target cost --epsilon 1 --out m.json`
    """


CURATOR: Final = {
    "init": ("tacit.cli.init", "Write a first description of a data set, from its header alone."),
    "check": ("tacit.cli.dataset", "Say whether a description fits its data, and what it promises."),
    "profile": ("tacit.cli.dataset", "Learn privately how much each unit has, to help later queries."),
    "prepare": ("tacit.cli.dataset", "Keep each unit's totals, so that later questions take no time."),
    "explain": ("tacit.cli.query", "Say what a query would cost and how far off it would be; free."),
    "query": ("tacit.cli.query", "Answer a query privately, with error bars, against the budget."),
    "tables": ("tacit.cli.workload", "Release several tables together: they add up, at one price."),
    "workload": ("tacit.cli.main", "Many counting questions answered together: explain, release."),
    "learn": ("tacit.cli.main", "Models: fit, compare, predict, evaluate."),
    "budget": ("tacit.cli.budget", "Show what was spent, by whom, on what, and what is left."),
    "failures": ("tacit.cli.budget", "Show which questions failed, and let new ones in again."),
    "retry": ("tacit.cli.verify", "Let a charge run again that failed before noise was drawn."),
    "verify": ("tacit.cli.verify", "Check a certificate offline, or a whole ledger."),
}


COMMANDS: Final = {
    **CURATOR,
    "account": ("tacit.cli.main", "What many releases cost together, and how much noise a promise needs."),
    "poll": ("tacit.cli.main", "Polls in which respondents randomise for themselves: design, page, estimate."),
    "attack": (
        "tacit.cli.main",
        "What an unprotected release gives away: reconstruct, membership, model, anonymity.",
    ),
    "audit": ("tacit.cli.audit", "Look for faults in a mechanism, a function of yours, or a data set."),
}
REFUSED, FAILED, INTERRUPTED = 2, 3, 130
_INTERRUPTED: Final = "Interrupted. What was charged stays charged, and has failed: --fresh pays for another run."


class Commands(LazyGroup):
    """All commands, with the exit code for each end of a call."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except Refused as refused:
            _say_refused(refused, has_budget=ctx.invoked_subcommand in CURATOR)
            raise click.exceptions.Exit(REFUSED) from None
        except Failed as failed:
            click.echo(f"{failed} That is its answer: asking again gives it for free, --fresh pays anew.", err=True)
            raise click.exceptions.Exit(FAILED) from None
        except KeyboardInterrupt:
            click.echo(_INTERRUPTED, err=True)
            raise click.exceptions.Exit(INTERRUPTED) from None
        except SystemExit as ended:  # ended by a signal, after a charge
            click.echo(_INTERRUPTED, err=True)
            raise click.exceptions.Exit(ended.code if isinstance(ended.code, int) else INTERRUPTED) from None


def _say_refused(refused: Refused, *, has_budget: bool) -> None:
    if not has_budget:
        click.echo(str(refused), err=True)
        return
    from tacit.cli.terminal import say  # it imports modules that only an answer needs

    end = "" if refused.asked.endswith("\n") else ". "
    say(f"Refused, nothing spent: {refused.asked}{end}{refused.why}", err=True)
    say(f"Accepted instead: {refused.accepted}", err=True)


@click.group(cls=Commands, mounts=COMMANDS, no_args_is_help=True)
def app() -> None:
    """Answers about people that give no person away."""


def main() -> None:
    """Run the command."""
    gc.set_threshold(100_000, 50, 50)  # raise GC thresholds: imports are never freed
    app()
