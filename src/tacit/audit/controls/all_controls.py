"""All controls: broken mechanisms that an audit must find, and sound ones that must pass."""

from __future__ import annotations

from tacit.audit.controls.broken_budget import SPENDING
from tacit.audit.controls.broken_local import LOCAL as BROKEN_LOCAL
from tacit.audit.controls.broken_noise import FLOAT_NOISE, NOISE
from tacit.audit.controls.broken_selection import SELECTION, THRESHOLD
from tacit.audit.controls.broken_sensitivity import MEANING
from tacit.audit.controls.broken_side_channels import STRUCTURE, TIME
from tacit.audit.controls.sound_local import LOCAL
from tacit.audit.controls.sound_mechanisms import ADDITIVE, CHOOSING, ROBUST, STATISTICS

BROKEN = (*NOISE, *FLOAT_NOISE, *MEANING, *STRUCTURE, *BROKEN_LOCAL, *THRESHOLD, *SELECTION, *SPENDING, *TIME)

SOUND = (*ADDITIVE, *STATISTICS, *CHOOSING, *ROBUST, *LOCAL)
