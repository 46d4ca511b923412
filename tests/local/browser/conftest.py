"""One Node and one Chromium for all tests of the browser's part."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from tests.local.browser.chromium import CURE, Chromium, find_chromium


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where tests are run by several processes, one of them has the browser (`--dist loadgroup`)."""
    if not config.pluginmanager.hasplugin("xdist"):
        return
    for item in items:
        if "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("chromium"))


@pytest.fixture(scope="session")
def node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.skip("no node on this machine")
    return found


@pytest.fixture(scope="session", params=[find_chromium()], ids=lambda found: found or "no Chromium")
def chromium(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    """The one that was found; a test's name tells which."""
    if request.param is None:
        pytest.skip(CURE)
    browser = Chromium(request.param, tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()
