"""Settings that all tests share."""

from __future__ import annotations

import os

import mpmath
from hypothesis import settings

mpmath.mp.dps = 50  # the oracle's digits; a test that wants others says so in a `workdps` block

# The same examples each time, so that a verdict does not flicker; HYPOTHESIS_PROFILE=explore looks for new ones.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))
