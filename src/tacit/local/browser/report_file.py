"""Reports on disk: one line each, synced before it is acknowledged, each respondent once.

A submission travels as JSON in bytes, and is checked against the poll it claims to answer.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import Any

from tacit.errors import Refused
from tacit.local.browser.questionnaire import GroupTold, Questionnaire, is_below

LARGEST = 1 << 16  # bytes of one submission
RESPONDENT = re.compile(r"[0-9a-f]{32}")


def read_submission(text: bytes, asked: Questionnaire) -> dict[str, Any]:
    """The submission, if a device with this poll could have sent it; otherwise refused in constant words."""
    try:
        found = json.loads(text.decode("utf-8"), object_pairs_hook=_without_repeats) if len(text) <= LARGEST else None
    except (ValueError, RecursionError):
        found = None
    if not _answers(found, asked):
        raise Refused("a submission", "It is no submission of this poll.", "what the poll's own page sends.")
    assert isinstance(found, dict)
    return found


def write_submission(submission: dict[str, Any]) -> bytes:
    """Its one line in a file of reports."""
    return json.dumps(submission, separators=(",", ":")).encode() + b"\n"


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object without repeated keys, which could be read in two ways."""
    read = dict(pairs)
    if len(read) != len(pairs):
        raise ValueError
    return read


def _answers(found: object, asked: Questionnaire) -> bool:
    if not (
        isinstance(found, dict) and found.keys() == {"poll", "respondent", "answers"} and found["poll"] == asked.id
    ):
        return False
    if not (isinstance(found["respondent"], str) and RESPONDENT.fullmatch(found["respondent"])):
        return False
    answers = found["answers"]
    if not (isinstance(answers, dict) and answers.keys() == {question.name for question in asked.questions}):
        return False
    return all(_answers_question(answers[question.name], question.groups) for question in asked.questions)


def _answers_question(answer: object, groups: Sequence[GroupTold]) -> bool:
    if not (isinstance(answer, list) and len(answer) == 2 and is_below(answer[0], len(groups))):
        return False
    admitted: bool = groups[answer[0]].admits(answer[1])
    return admitted


def read_reports(path: Path, poll: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All submissions in a file, each checked as it was when it came; a bad line is refused by its number."""
    asked = Questionnaire.of(poll)
    try:
        text = path.read_bytes()
    except OSError as found:
        raise Refused(f"the reports in {path}", f"{found.strerror}.", "the file that a collector wrote.") from None
    return list(_read_lines(text, asked, path))


def _read_lines(text: bytes, asked: Questionnaire, path: Path) -> Iterator[dict[str, Any]]:
    seen: set[str] = set()
    for number, line in enumerate(BytesIO(text), start=1):
        try:
            if not line.endswith(b"\n"):
                raise Refused("a line", "It has no end.", "a whole line.")
            submission = read_submission(line, asked)
        except Refused:
            raise Refused(
                f"line {number} of {path}",
                "It is no submission of this poll.",
                "whole lines as the collector writes them; it sets a torn last line aside when it starts.",
            ) from None
        if submission["respondent"] in seen:
            raise Refused(f"line {number} of {path}", "Its respondent has an earlier line.", "one line a respondent.")
        seen.add(submission["respondent"])
        yield submission


class ReportFile:
    """A file of reports that one process at a time may append to.

    Claim: a respondent for whom `add` returned True is in the file, in one whole line, whatever happens after; no
    respondent is there twice. Proof: a line is one write to the end of the file, synced before `add` returns; a line
    that was cut off lacks its end, and is moved to `….torn` when the file is next opened, so that nothing is ever
    written behind it; the respondents are read from the file under a lock that is held until `close`.
    """

    def __init__(self, path: Path, poll: Mapping[str, Any]) -> None:
        asked = Questionnaire.of(poll)
        self._guard = Lock()
        self._handle = _open_alone(path)
        try:
            self.set_aside = self._set_torn_aside(path)
            self._respondents = {each["respondent"] for each in _read_lines(path.read_bytes(), asked, path)}
        except BaseException:
            os.close(self._handle)
            raise
        self._usable = True

    def __len__(self) -> int:
        return len(self._respondents)

    def add(self, submission: dict[str, Any]) -> bool:
        """Whether the submission is now on disk; False for a respondent who is there already. OSError: neither."""
        with self._guard:
            if submission["respondent"] in self._respondents:
                return False
            if not self._usable:
                raise OSError("closed")
            line = write_submission(submission)
            self._usable = False  # until all of it is done: after an incomplete or unknown line nothing is written
            if os.write(self._handle, line) != len(line):
                raise OSError("half a line")
            os.fsync(self._handle)
            self._usable = True
            self._respondents.add(submission["respondent"])
            return True

    def close(self) -> None:
        """Lets another process append."""
        with self._guard:
            self._usable = False
            os.close(self._handle)

    def _set_torn_aside(self, path: Path) -> Path | None:
        """Moves what follows the last end of a line into a file of its own; says where."""
        text = path.read_bytes()
        whole = text.rfind(b"\n") + 1
        if whole == len(text):
            return None
        place = path.with_name(path.name + ".torn")
        torn = os.open(place, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(torn, text[whole:] + b"\n")
            os.fsync(torn)
        finally:
            os.close(torn)
        _sync_folder(path)
        os.ftruncate(self._handle, whole)
        os.fsync(self._handle)
        return place


def _open_alone(path: Path) -> int:
    """The file, locked against any other collector, and its name durable."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    except OSError as found:
        raise Refused(f"collecting into {path}", f"{found.strerror}.", "a file that can be written.") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _sync_folder(path)
    except BlockingIOError:
        os.close(handle)
        raise Refused(f"collecting into {path}", "Another collector does already.", "another file.") from None
    return handle


def _sync_folder(path: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
