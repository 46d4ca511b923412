"""The stages of an audit in order, cheap to dear."""

from __future__ import annotations

from tacit.audit.stages.bits import BITS
from tacit.audit.stages.price import PRICE
from tacit.audit.stages.sampler import SAMPLER
from tacit.audit.stages.sensitivity import SENSITIVITY

STAGES = (SENSITIVITY, PRICE, SAMPLER, BITS)
