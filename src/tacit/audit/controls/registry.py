"""All controls."""

from __future__ import annotations

from tacit.audit.controls.broken.float_noise import FLOAT_NOISE
from tacit.audit.controls.broken.noise import NOISE

BROKEN = (*NOISE, *FLOAT_NOISE)
