"""Digests, SQL, grounds, stored bytes and answers of many queries are those that were recorded.

`python -m tests.recorded.record` records them anew, and says which fields of how many queries changed. Moved code
changes none; changed words change "explain", and "stored" with it where they stand in a certificate.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from tests.recorded.queries import ASKED
from tests.recorded.record import recorded
from tests.recorded.recording import Recorder

RECORDED = recorded()


@pytest.fixture(scope="module")
def recorder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorder]:
    with ExitStack() as stack:
        yield Recorder(tmp_path_factory.mktemp("recorded"), stack)


@pytest.mark.xdist_group("recorded queries")
@pytest.mark.parametrize(("clinic", "name"), ASKED, ids=RECORDED)
def test_a_query_is_as_recorded(recorder: Recorder, clinic: str, name: str) -> None:
    assert recorder.record(clinic, name) == RECORDED[f"{clinic}: {name}"]


def test_nothing_else_is_recorded() -> None:
    assert list(RECORDED) == [f"{clinic}: {name}" for clinic, name in ASKED]


def test_what_a_request_is_known_by_differs_where_it_must() -> None:
    """A digest without some part would return one query's release for another."""
    plans = {record["plan"]: name.partition(": ")[2] for name, record in RECORDED.items() if "plan" in record}
    assert len(plans) >= 60
    assert set(plans.values()) == {name.partition(": ")[2] for name, record in RECORDED.items() if "plan" in record}
