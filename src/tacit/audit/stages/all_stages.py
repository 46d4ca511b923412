"""All stages of an audit in order, cheap to expensive."""

from __future__ import annotations

from tacit.audit.stages.accountants import ACCOUNTANTS
from tacit.audit.stages.bits import BITS
from tacit.audit.stages.black_box import BLACK_BOX
from tacit.audit.stages.exclusive import EXCLUSIVE
from tacit.audit.stages.replay import REPLAY
from tacit.audit.stages.sampler import SAMPLER
from tacit.audit.stages.sensitivity import PRICE, SENSITIVITY
from tacit.audit.stages.timing import TIMING

STAGES = (SENSITIVITY, PRICE, ACCOUNTANTS, REPLAY, EXCLUSIVE, SAMPLER, BITS, TIMING, BLACK_BOX)
