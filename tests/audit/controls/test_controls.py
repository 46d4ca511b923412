"""Every broken control is found, no sound one is."""

from __future__ import annotations

import pytest
from tests.audit.controls.all_controls import BROKEN
from tests.audit.controls.broken_control import Control

from tacit.audit.auditor import Effort, Stage, audit
from tacit.audit.subject import AuditSubject
from tacit.audit.tacit_mechanisms import SOUND
from tacit.cli.audit import STAGES

BY_NAME: dict[str, Stage] = {stage.name: stage for stage in STAGES}
CHEAP = ("sensitivity", "price", "replay", "exclusive", "sampler", "bits", "timing")
QUICK = tuple(BY_NAME[name] for name in CHEAP)


def test_there_are_enough_and_each_has_a_name_of_its_own() -> None:
    assert len(BROKEN) >= 30
    assert len(SOUND) >= 30
    names = [control.subject.name for control in BROKEN] + [subject.name for subject in SOUND]
    assert len(set(names)) == len(names)
    assert all(control.subject.note for control in BROKEN)
    assert {control.found_by for control in BROKEN} >= set(CHEAP)


@pytest.mark.parametrize(
    "control", [each for each in BROKEN if each.found_by in CHEAP], ids=lambda control: control.subject.name
)
def test_a_broken_one_is_found_by_its_stage(control: Control) -> None:
    stage = BY_NAME[control.found_by]
    assert stage.applies(control.subject)
    found = stage.look(control.subject, Effort(1e-4 / len(STAGES), 20_000, 1.0))
    assert found.is_fault, found.words


@pytest.mark.parametrize("subject", SOUND[::3], ids=lambda subject: subject.name)
def test_a_sound_one_passes_quickly(subject: AuditSubject) -> None:
    """At a family-wise alarm rate of 10⁻⁴ each; what has its bits from the audit is the same in every run."""
    verdict = audit(subject, QUICK, Effort(1e-4, 300, 0.1))
    assert verdict.fault is None, verdict.describe()


@pytest.mark.long
@pytest.mark.parametrize(
    "control", [each for each in BROKEN if each.found_by not in CHEAP], ids=lambda control: control.subject.name
)
def test_a_broken_one_is_found_by_samples_alone(control: Control) -> None:
    found = BY_NAME[control.found_by].look(control.subject, Effort(1e-4 / len(STAGES), 300_000, 10.0))
    assert found.is_fault, found.words


@pytest.mark.long
@pytest.mark.parametrize("subject", SOUND, ids=lambda subject: subject.name)
def test_a_sound_one_passes(subject: AuditSubject) -> None:
    verdict = audit(subject, QUICK, Effort(1e-4, 2_000, 0.4, seed=2))
    assert verdict.fault is None, verdict.describe()


@pytest.mark.long
@pytest.mark.parametrize("subject", SOUND[::6], ids=lambda subject: subject.name)
def test_a_sound_one_passes_every_stage(subject: AuditSubject) -> None:
    """The whole suite over all of them is `python -m bench audit_controls`."""
    verdict = audit(subject, STAGES, Effort(1e-4, 2_000, 0.5, seed=3))
    assert verdict.fault is None, verdict.describe()
