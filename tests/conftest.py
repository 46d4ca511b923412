"""Settings that all tests share."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator

import mpmath
import pytest
from hypothesis import settings

mpmath.mp.dps = 50  # the oracle's digits; a test that wants others says so in a `workdps` block

# The same examples each time, so that a verdict does not flicker; HYPOTHESIS_PROFILE=explore looks for new ones.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


@pytest.fixture(autouse=True, scope="session")
def _interrupts() -> None:
    """Restore Ctrl-C, which tests in the background ignore; some tests send it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def _no_ledger_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep tests that name no ledger away from the ledger of the person who runs them."""
    place = tmp_path_factory.mktemp("tacit")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TACIT_HOME", str(place / "home"))
        patch.setenv("TACIT_WITNESS", str(place / "elsewhere" / "witness"))
        yield


def pytest_collection_finish() -> None:
    """Raise the garbage collector's thresholds: collected tests are never freed, and tests that plan lost up to a tenth
    of their time looking through them."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)


def pytest_unconfigure() -> None:
    gc.unfreeze()


os.register_at_fork(after_in_child=gc.disable)  # freeing objects in a child may wait for threads of its parent
