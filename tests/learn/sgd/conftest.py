"""Tests of training run on one thread of torch: several on a busy machine wait for each other."""

from __future__ import annotations

import pytest
import torch


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)
