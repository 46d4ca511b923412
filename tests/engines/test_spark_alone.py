"""Spark on this machine only: spilled rows are readable by their owner only, without outside connections."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tacit.query.engines.spark.context import context_settings, is_here

_LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    call = [sys.executable, "-m", "tests.engines.spark_alone", str(tmp_path_factory.mktemp("alone"))]
    done = subprocess.run(call, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_rows_on_disk_are_closed_to_others(seen: dict[str, Any]) -> None:
    """The folder, every file in it, and what is in the files; all are gone when the process is."""
    assert seen["place_mode"] == "0o700"
    assert set(seen["modes"]) <= {"0o600", "0o700"}
    assert seen["files"] >= 2
    assert seen["shown"] == []
    assert not Path(seen["place"]).exists()


def test_it_listens_to_this_machine_alone(seen: dict[str, Any]) -> None:
    assert seen["listens"]
    assert set(seen["listens"]) <= _LOOPBACK


def test_a_java_process_that_died_is_replaced(seen: dict[str, Any]) -> None:
    """The next question of the same process is answered, and the one after it."""
    assert seen["answers"] == [20_000, 20_000]


def test_what_is_set_for_whom(tmp_path: Path) -> None:
    """Rows on disk are always encrypted; a secret is drawn where all of Spark is one process; a cluster has its own."""
    alone = context_settings("local[4]", tmp_path, {"spark.driver.extraJavaOptions": "-Xss4m"})
    cluster = context_settings("spark://far.example.org:7077", tmp_path, {})
    for settings in (alone, cluster):
        assert settings["spark.io.encryption.enabled"] == "true"
        assert settings["spark.local.dir"] == str(tmp_path)
    assert alone["spark.authenticate"] == alone["spark.network.crypto.enabled"] == "true"
    assert alone["spark.driver.bindAddress"] == alone["spark.driver.host"] == "127.0.0.1"
    assert alone["spark.driver.extraJavaOptions"].endswith("-Xss4m")
    assert not {"spark.authenticate", "spark.driver.host"} & set(cluster)
    assert is_here("spark://127.0.0.1:7077")
    assert not is_here("spark://far.example.org:7077")
