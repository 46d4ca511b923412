"""All broken controls: mechanisms that an audit must find."""

from __future__ import annotations

from tests.audit.controls.broken_budget import SPENDING
from tests.audit.controls.broken_local import LOCAL
from tests.audit.controls.broken_noise import FLOAT_NOISE, NOISE
from tests.audit.controls.broken_selection import SELECTION, THRESHOLD
from tests.audit.controls.broken_sensitivity import MEANING
from tests.audit.controls.broken_side_channels import STRUCTURE, TIME

BROKEN = (*NOISE, *FLOAT_NOISE, *MEANING, *STRUCTURE, *LOCAL, *THRESHOLD, *SELECTION, *SPENDING, *TIME)
