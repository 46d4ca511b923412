"""Preparing a data set: the file's owner, when it is used, and that it is written atomically (R26, R33, R42, R43)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.curator.prepared_clinic import (
    BY_REGION,
    COUNT,
    MEDIAN,
    PreparedClinic,
    count_of,
    make_prepared_clinic,
    preparation_of,
)

from tacit.curator.materialization import Preparation
from tacit.curator.open_data import open_data
from tacit.errors import Refused

_FROM_THE_FORM = "It is answered from the prepared form"
_NORMS = re.compile('"__ranks [0-9a-f]{16} cost" >')
_STALE = "the data or their description changed since"
Patch = pytest.MonkeyPatch


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PreparedClinic:
    return make_prepared_clinic(tmp_path, monkeypatch)


def test_a_form_is_for_its_owner_alone(clinic: PreparedClinic) -> None:
    """R42: its file and its folder, whatever the process lets others do with new files."""
    path = clinic.prepare()
    assert path.stat().st_mode & 0o777 == 0o600
    assert clinic.prepared.stat().st_mode & 0o777 == 0o700
    assert clinic.forms() == [path.name]
    assert clinic.drafts() == []


def test_a_form_is_used_and_said_to_be(clinic: PreparedClinic) -> None:
    with clinic.dataset() as dataset:
        assert _FROM_THE_FORM not in str(dataset.explain(BY_REGION, epsilon=1))
    clinic.prepare()
    with clinic.dataset() as dataset:
        told = str(dataset.explain(BY_REGION, epsilon=1))
        assert f"{_FROM_THE_FORM}, where people's totals are kept" in told
        assert '"__kept"."pairs 0 visits"' in told
        assert f"{_FROM_THE_FORM}'s rows" in str(dataset.explain(f"{COUNT} WHERE age > 5", epsilon=1))
        assert abs(count_of(dataset) - 2000) < 50
        assert len(dataset.profile(epsilon=1).profile.people) > 3


def stale_answers(clinic: PreparedClinic) -> list[float]:
    """How far off the counts are when the data change under a form, in one process and in the next."""
    off = []
    clinic.prepare()
    with clinic.dataset() as dataset:
        off.append(abs(count_of(dataset) - 2000))
        clinic.write(400)
        off.append(abs(count_of(dataset) - 400))
        preparation_of(dataset).make(lambda *_: None)
        off.append(abs(count_of(dataset) - 400))
        clinic.write(800)
        preparation_of(dataset).make(lambda *_: None)
        off.append(abs(count_of(dataset) - 800))
    clinic.write(1200)
    return [*off, abs(clinic.count() - 1200)]


def test_a_form_of_older_data_is_not_used(clinic: PreparedClinic) -> None:
    """R43: not by the process that has it attached, nor by the next; preparing again renews it and removes the old."""
    assert max(stale_answers(clinic)) < 50
    with clinic.dataset() as dataset:
        assert _STALE in str(dataset.explain(BY_REGION, epsilon=1))
    clinic.prepare()
    assert len(clinic.forms()) == 1
    with clinic.dataset() as dataset:
        assert _STALE not in str(dataset.explain(BY_REGION, epsilon=1))


def test_a_form_that_is_not_named_for_its_data_is_caught(clinic: PreparedClinic, monkeypatch: Patch) -> None:
    """R46: the twin of the test above."""
    monkeypatch.setattr(Preparation, "_data", "form")
    assert max(stale_answers(clinic)) > 100


def test_a_form_that_stays_attached_is_caught(clinic: PreparedClinic, monkeypatch: Patch) -> None:
    """R46: another twin, which keeps the first file that it read."""
    attached, first = Preparation._kept.fget, dict[int, object]()
    monkeypatch.setattr(
        Preparation, "_kept", property(lambda self: first.setdefault(id(self._attached), attached(self)))
    )
    assert max(stale_answers(clinic)) > 100


@pytest.mark.parametrize("change", ["bounds", "keys", "columns"])
def test_a_form_of_another_description_is_not_used(clinic: PreparedClinic, change: str) -> None:
    """What was read under other bounds or keys is other data."""
    clinic.prepare()
    file = clinic.describe(oldest=50 if change == "bounds" else 99)
    if change == "keys":
        file.write_text(file.read_text().replace('keys = ["north", "south"]', 'keys = ["north"]'))
    if change == "columns":
        file.write_text(file.read_text().replace('ward = { type = "text" }', ""))
    with clinic.dataset() as dataset:
        assert _STALE in str(dataset.explain(COUNT, epsilon=1))
    clinic.prepare()
    assert len(clinic.forms()) == 1


def test_other_limits_and_budgets_need_no_other_form(clinic: PreparedClinic) -> None:
    clinic.prepare()
    clinic.describe(more="limits = { rows = 3, keys = 1 }")
    with clinic.dataset() as dataset:
        assert _FROM_THE_FORM in str(dataset.explain(COUNT, epsilon=1))


def test_a_form_has_norms_on_the_grids_of_the_profile(clinic: PreparedClinic) -> None:
    """A form older than the profile is used without them, and says so; the next has them, and takes its place."""
    clinic.describe(more="")
    first = clinic.prepare()
    with clinic.dataset() as dataset:
        dataset.profile(epsilon=200)
        told = str(dataset.explain(MEDIAN, epsilon=1))
        assert "The profile's grids are newer than the form: `tacit prepare` keeps people's norms on them too." in told
        assert '"__kept"."rows visits"' in told
        assert abs(count_of(dataset) - 2000) < 50
    second = clinic.prepare()
    assert clinic.forms() == [second.name]
    assert second != first
    assert clinic.prepare() == second
    with clinic.dataset() as dataset:
        told = str(dataset.explain(MEDIAN, epsilon=1, interval="bounded"))
        assert _NORMS.search(told)
        assert "newer than the form" not in told
        median = dataset.query(MEDIAN, epsilon=200).table.column("middle")[0].as_py()
        assert abs(median - 249.5) < 5
        dataset.profile(epsilon=300)
        assert not _NORMS.search(str(dataset.explain(MEDIAN, epsilon=1)))


def test_a_profile_that_comes_while_a_form_is_made(clinic: PreparedClinic) -> None:
    """The form is of the data as they are, so it is kept, and used without norms on the newer grids."""
    clinic.describe(more="")
    with clinic.dataset() as dataset:

        def progress(words: str, done: int, total: int) -> None:
            if done == total:
                dataset.profile(epsilon=200)

        preparation_of(dataset).make(progress)
        assert "newer than the form" in str(dataset.explain(MEDIAN, epsilon=1))


def test_a_form_is_dropped(clinic: PreparedClinic) -> None:
    with clinic.open() as opened:
        assert opened.preparation.drop() == 0
    clinic.prepare()
    (clinic.prepared / f".{clinic.forms()[0]}-left").mkdir()
    with clinic.open() as opened:
        assert opened.preparation.drop() == 1
        assert not opened.preparation.is_ready
        assert not opened.preparation.is_stale
    assert clinic.forms() + clinic.drafts() == []


def test_ledgers_in_one_folder_leave_each_other_alone(clinic: PreparedClinic) -> None:
    """Each knows the data under a secret of its own, and so by another name."""
    clinic.prepare()
    with open_data(clinic.folder / "clinic.toml", ledger=clinic.ledger.with_name("other.sqlite")) as other:
        assert not other.preparation.is_stale
        other.preparation.make(lambda *_: None)
    assert len(clinic.forms()) == 2


def test_a_damaged_form_is_refused_before_anything_is_spent(clinic: PreparedClinic) -> None:
    """R27, R51: it does not say where it is; once it is gone, the question is answered, and charged once."""
    path = clinic.prepare()
    path.write_bytes(b"no database")
    with clinic.dataset() as dataset:
        with pytest.raises(Refused, match="cannot be opened") as refused:
            dataset.query(COUNT, epsilon=200)
        assert str(path) not in str(refused.value)
        assert dataset.budget().entries == ()
        preparation_of(dataset).drop()
        assert abs(count_of(dataset) - 2000) < 50
        assert len(dataset.budget().entries) == 1


def test_nothing_of_the_form_leaks(clinic: PreparedClinic) -> None:
    """R39: neither answers nor certificates nor explanations say where it is, or that it is there at all."""
    with clinic.dataset() as dataset:
        before = dataset.query(BY_REGION, epsilon=1).certificate.statement
    path = clinic.prepare()
    with clinic.dataset() as dataset:
        answer = dataset.query(BY_REGION, epsilon=1, fresh=True)
        told = [str(answer), answer.to_json(), answer.certificate.to_json(), str(dataset.budget())]
        explained = str(dataset.explain(BY_REGION, epsilon=1))
    assert not any(word in text for text in told for word in ("prepared", "__kept", path.stem))
    assert str(path.parent) not in explained
    assert path.stem not in explained
    assert answer.certificate.statement.plan == before.plan
    assert answer.certificate.statement.mechanisms == before.mechanisms


def test_data_whose_every_row_is_a_person(clinic: PreparedClinic) -> None:
    file = clinic.describe(more="")
    file.write_text(file.read_text().replace('{ id = "pid", hides', "{ row = true, hides"))
    with clinic.open() as opened, pytest.raises(Refused, match="Each row is a person"):
        opened.preparation.make(lambda *_: None)
