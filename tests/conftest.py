"""Settings that all tests share."""

from __future__ import annotations

import mpmath

mpmath.mp.dps = 50  # the oracle's digits; a test that wants others says so in a `workdps` block
