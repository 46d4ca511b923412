"""The curator's commands: what each is called, where it lives and what it is for; each loads when called."""

from __future__ import annotations

from typing import Final

COMMANDS: Final = {
    "init": ("tacit.curator.commands.init", "Write a first description of a data set, from its header alone."),
    "check": ("tacit.curator.commands.check", "Say whether a description fits its data, and what it promises."),
    "profile": ("tacit.curator.commands.profile", "Learn privately how much people have, so that limits are chosen."),
    "prepare": ("tacit.curator.commands.prepare", "Keep people's totals, so that later questions take no time."),
    "explain": ("tacit.curator.commands.explain", "Say what a query would cost and how far off it would be; free."),
    "query": ("tacit.curator.commands.query", "Answer a query privately, with error bars, against the budget."),
    "budget": ("tacit.curator.commands.budget", "Show what was spent, by whom, on what, and what is left."),
    "failures": ("tacit.curator.commands.failures", "Show which questions failed, and let new ones in again."),
    "retry": ("tacit.curator.commands.retry", "Let a charge run again that failed before noise was drawn."),
    "verify": ("tacit.curator.commands.verify", "Check a certificate offline, or a whole ledger."),
}
