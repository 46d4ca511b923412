"""The engines that the suite runs on; a server starts when the first test wants it, once for each process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.engines.engines import DuckDBUnderTest, EngineUnderTest
from tests.engines.postgres_server import PostgresUnderTest, running_server
from tests.engines.spark_server import SparkUnderTest, running_spark

from tacit.query.engines.postgres import engine as postgres_engine


@pytest.fixture(autouse=True, scope="module")
def _one_attempt_on_postgres() -> Iterator[None]:
    """The first line alone: the second would hide what breaks it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postgres_engine, "IS_ON", False)
        yield


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresUnderTest]:
    """A PostgreSQL server, to which the engine logs in as a role that may only read."""
    with running_server() as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PGUSER", "reader")
        for name in ("PGPASSWORD", "PGSERVICE", "PGHOST", "PGOPTIONS"):
            patch.delenv(name, raising=False)
        yield server


@pytest.fixture(scope="session", params=["duckdb", "postgresql"])
def under_test(request: pytest.FixtureRequest) -> EngineUnderTest:
    """Each engine in turn."""
    if request.param == "duckdb":
        return DuckDBUnderTest()
    server: PostgresUnderTest = request.getfixturevalue("postgres")
    return server


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkUnderTest]:
    """A Spark cluster: a master and two workers."""
    with running_spark() as cluster:
        yield cluster


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where tests are run by several processes, one of them has the Spark cluster (`--dist loadgroup`)."""
    if not config.pluginmanager.hasplugin("xdist"):
        return
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("spark"))
