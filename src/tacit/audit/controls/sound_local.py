"""Tacit's own local randomizers as audit subjects: reports from respondents' own devices."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tacit.audit.controls.sound_mechanisms import of_response
from tacit.audit.subject import AuditSubject, Data, Outputs
from tacit.local.frequencies.hadamard import HadamardOracle
from tacit.local.frequencies.hashing import HashingOracle
from tacit.local.frequencies.oracle import Oracle
from tacit.local.frequencies.set_reports import SubsetOracle, UnaryOracle
from tacit.local.means.optimal_mean import one_bit
from tacit.local.randomizers.randomizer import Randomizer, odds_within
from tacit.local.randomizers.subset_selection import KaryResponse, SubsetSelection
from tacit.local.randomizers.weight_table import WeightTable
from tacit.loss.families.loss import Relation
from tacit.mechanisms.response.binary import Forced, OptimalResponse, Warner
from tacit.mechanisms.response.kary_response import Kary
from tacit.noise.bits import Bits


def _of_randomizer(name: str, randomizer: Randomizer[int] | Randomizer[tuple[int, ...]]) -> AuditSubject:
    return AuditSubject(name, randomizer.loss, Relation.REPLACE, randomizer.draw, ((0, 1),))


def _of_oracle(name: str, oracle: Oracle) -> AuditSubject:
    def many(data: Data, count: int, bits: Bits) -> Outputs:
        return oracle.randomize(np.full(count, data, np.int64), bits)

    return AuditSubject(name, oracle.loss, Relation.REPLACE, lambda data, bits: many(data, 1, bits)[0], ((0, 1),), many)


def _one_bit() -> AuditSubject:
    response = one_bit(1)
    draw = response.table.draw  # at −1 and 1, where no coin rounds
    return AuditSubject("one-bit mean", response.loss, Relation.REPLACE, draw, ((0, len(response.table.weights) - 1),))


LOCAL: tuple[AuditSubject, ...] = (
    of_response("Warner", Warner.for_epsilon(1), 0, 1),
    of_response("forced response", Forced(Fraction(4, 6), Fraction(1, 6), Fraction(1, 6)), 0, 1),
    of_response("K-ary response", Kary(Fraction(1), 8), 0, 5),
    of_response("optimal response", OptimalResponse(Fraction(1), Fraction("0.05")), 0, 1),
    _of_randomizer("K-ary on a device", KaryResponse.within(1, 200)),
    _of_randomizer("subset on a device", SubsetSelection(8, 2, odds_within(1))),
    _of_randomizer("table on a device", WeightTable.of([["3/4", "1/4"], ["1/4", "3/4"]])),
    _of_oracle("unary oracle", UnaryOracle.within(1, 8)),
    _of_oracle("hashing oracle", HashingOracle.within(1, 8)),
    _of_oracle("Hadamard oracle", HadamardOracle.within(1, 8)),
    _of_oracle("subset oracle", SubsetOracle.within(1, 16)),
    _one_bit(),
)
