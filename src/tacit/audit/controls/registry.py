"""All controls: those that must be found, and those that must pass."""

from __future__ import annotations

from tacit.audit.controls.broken.float_noise import FLOAT_NOISE
from tacit.audit.controls.broken.local import LOCAL as BROKEN_LOCAL
from tacit.audit.controls.broken.meaning import MEANING
from tacit.audit.controls.broken.noise import NOISE
from tacit.audit.controls.broken.selection import SELECTION
from tacit.audit.controls.broken.spending import SPENDING
from tacit.audit.controls.broken.structure import STRUCTURE
from tacit.audit.controls.broken.threshold import THRESHOLD
from tacit.audit.controls.broken.time import TIME
from tacit.audit.controls.sound.additive import ADDITIVE
from tacit.audit.controls.sound.choosing import CHOOSING
from tacit.audit.controls.sound.local import LOCAL
from tacit.audit.controls.sound.robust import ROBUST
from tacit.audit.controls.sound.statistics import STATISTICS

BROKEN = (*NOISE, *FLOAT_NOISE, *MEANING, *STRUCTURE, *BROKEN_LOCAL, *THRESHOLD, *SELECTION, *SPENDING, *TIME)

SOUND = (*ADDITIVE, *STATISTICS, *CHOOSING, *ROBUST, *LOCAL)
