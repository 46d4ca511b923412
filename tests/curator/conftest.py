"""A clinic for every test of a command."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.curator.clinic_command import Clinic, make_clinic


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clinic:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TACIT_WITNESS", str(tmp_path / "elsewhere" / "witness"))
    monkeypatch.setenv("COLUMNS", "120")
    return make_clinic(tmp_path)
