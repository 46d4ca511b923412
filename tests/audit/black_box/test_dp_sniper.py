"""Broken mechanisms from the literature are bounded at least as high as published, from far fewer samples."""

from __future__ import annotations

import pytest
from bench.dp_sniper import DP_SNIPER, Target

from tacit.audit.auditor import Effort
from tacit.audit.black_box.epsilon_estimate import estimate

BY_NAME = {target.subject.name: target for target in DP_SNIPER}


@pytest.mark.parametrize("target", [BY_NAME[name] for name in ("SVT5", "NoisyHist2", "float Laplace")])
def test_grave_faults_are_bounded_above_the_published_values(target: Target) -> None:
    found = estimate(target.subject, Effort(1e-4, 60_000), early=False)
    assert found.is_violation
    assert found.epsilon >= target.published
    assert found.samples <= 60_000


@pytest.mark.long
@pytest.mark.parametrize("name", ["SVT4", "SVT6", "ReportNoisyMax3 of 10", "ReportNoisyMax4"])
def test_slight_faults_are_flagged(name: str) -> None:
    found = estimate(BY_NAME[name].subject, Effort(1e-3, 3_000_000, seconds=1e6))
    assert found.is_violation, found.evidence()
