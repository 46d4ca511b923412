"""Tests that share a server run in one process, where several processes run the tests."""

from __future__ import annotations

import pytest


@pytest.mark.xdist_group("groups")
def test_a_group_is_seen_by_the_scheduler(request: pytest.FixtureRequest) -> None:
    """pytest-xdist writes a group behind a test's id, which not every pytest lets it change. Without it nothing fails,
    but each process starts a Spark cluster of its own."""
    assert request.node.nodeid.endswith("@groups") == request.config.getoption("loadgroup", False)
