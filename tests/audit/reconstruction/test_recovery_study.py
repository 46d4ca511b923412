"""The study of what is recovered, and its figure."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tacit.audit.reconstruction.recovery_study import draw_recovery, study_ledger, study_noise


def test_more_noise_less_recovered_and_a_ledger_keeps_it_so(tmp_path: Path) -> None:
    secrets = np.random.default_rng(2).integers(0, 2, 32).astype(bool)
    few, many = study_noise(secrets, factors=(2, 8), deviations=(0.05, 0.5, 8))
    assert few.shares[0] == many.shares[0] == 1
    assert many.shares[1] >= 0.8
    assert few.shares[2] < 0.85
    off, on = study_ledger(secrets, counts=(16, 80))
    assert off.shares[1] >= 0.9
    assert on.shares[1] < 0.9  # a bit is right with probability 0.54: 29 of 32 once in a hundred thousand runs
    file = tmp_path / "recovery.png"
    draw_recovery(file, (32, 32), 0.5, (few, many), (off, on))
    assert file.read_bytes().startswith(b"\x89PNG")
