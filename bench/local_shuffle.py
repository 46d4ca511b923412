"""The shuffle: both ends at a million people against the published clones' two ends, and the distance between them."""

from __future__ import annotations

from functools import partial

from bench.claims import Claim, report
from bench.clock import ask_peer, take_turns
from bench.shuffle_cases import CLONES, DELTA, LOCALS, OPTIONS, PATIENT, PEOPLE
from tacit.local.randomizers.subset_selection import KaryResponse
from tacit.local.shuffle.shuffled import ShuffledReports
from tacit.loss.families.approx import Pure
from tacit.loss.families.precision import Bracket


def anybody(people: int, local: float) -> Bracket:
    return ShuffledReports(Pure(local), people).epsilon_between(DELTA)


def kary(people: int, local: str, options: int) -> Bracket:
    return ShuffledReports(KaryResponse.within(local, options), people).epsilon_between(DELTA)


def main() -> None:
    claims = []
    peer = ask_peer("clones_published.py")
    for people, local in CLONES:
        at = f"n = {people:,}, ε₀ = {local:g}"
        key = f"{people} {local}"
        both = peer[f"{key} upper seconds"] + peer[f"{key} lower seconds"]
        rivals = [("clones from the mean, both ends", both)]
        if local == PATIENT:
            rivals.append(("clones as published, one end", peer[f"{key} published seconds"]))
        for own, run in (("any", partial(anybody, people, local)), ("10-ary", partial(kary, people, str(local), 10))):
            (ours,) = take_turns([run], 5)
            for rival, theirs in rivals:
                detail = f"{ours * 1e3:.0f} ms against {theirs * 1e3:.0f} ms"
                claims.append(Claim(f"{own}, both ends / {rival}, {at}", ours / theirs, 1, True, detail))
        ours, theirs = anybody(people, local).upper, peer[f"{key} upper epsilon"]
        detail = f"{ours:.6g} against {theirs:.6g}"
        claims.append(Claim(f"our upper end / theirs, {at}", ours / theirs, 1, True, detail))
    for people in PEOPLE:
        for options in OPTIONS:
            brackets = {local: kary(people, local, options) for local in LOCALS}
            gaps = {local: bracket.upper / bracket.lower for local, bracket in brackets.items()}
            worst = max(gaps, key=lambda local: gaps[local])
            detail = f"widest at ε₀ = {worst}: {brackets[worst]}"
            claims.append(Claim(f"upper / lower, {options}-ary, n = {people:,}", gaps[worst], 1.1, True, detail))
    report("The shuffle", claims)
