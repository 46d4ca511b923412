"""The file of a session of online multiplicative weights: one line for each question, one for each answer.

Lines are only added, and each is synced before the session goes on. The first line is the mechanism, the second the
noisy number of people. If the file does not end with an answer, its process died; the last question then has no answer,
and an incomplete line is ignored.
"""

from __future__ import annotations

import json
import os
from base64 import b64decode, b64encode
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import compress, decompress

import numpy as np

from tacit.errors import Failed, Refused
from tacit.mechanisms.weights.hypothesis import Cells

if TYPE_CHECKING:
    from tacit.mechanisms.weights.online_weights import OnlineWeights

_VERSION = 1


class WeightsFile:
    """The open file of a running session."""

    __slots__ = ("_handle",)

    def __init__(self, handle: int) -> None:
        self._handle = handle

    @classmethod
    def create(cls, path: Path, mechanism: OnlineWeights) -> WeightsFile:
        """A new file that only its owner can read; its directory entry is synced too."""
        try:
            handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND, 0o600)
        except FileExistsError:
            raise Refused(
                f"a session in {path.name}",
                "There is one already, and no two may see the data.",
                "another file; or `reopen`, for what its hypothesis says.",
            ) from None
        except OSError as error:
            raise Refused(
                f"a session in {path}", f"No file can be made: {error.strerror}.", "another folder."
            ) from None
        made = cls(handle)
        made._add(version=_VERSION, mechanism=_digest(mechanism))
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        return made

    def began(self, people: int | None) -> None:
        """The noisy number of people, or none where it is public."""
        self._add(people=people)

    def asked(self, cells: Cells) -> None:
        """Store a question, before noise is drawn for it."""
        self._add(asked=b64encode(compress(np.packbits(cells.ravel()).tobytes())).decode())

    def answered(self, answer: int, is_surprise: bool) -> None:
        """Store the answer, before it is returned."""
        self._add(answer=answer, surprise=is_surprise)

    def close(self) -> None:
        """Close the file."""
        handle, self._handle = self._handle, -1
        if handle >= 0:
            os.close(handle)

    def _add(self, **fields: object) -> None:
        line = json.dumps(fields).encode() + b"\n"
        while line:
            line = line[os.write(self._handle, line) :]
        os.fsync(self._handle)

    @staticmethod
    def read(path: Path, mechanism: OnlineWeights) -> tuple[int | None, list[tuple[Cells, int]]]:
        """The noisy number of people, and the updates: which cells were counted, and the noisy count."""
        try:
            lines = path.read_bytes().split(b"\n")[:-1]
        except OSError as error:
            raise Refused(f"the session in {path}", f"It cannot be read: {error.strerror}.", "its file.") from None
        try:
            records = [json.loads(line) for line in lines]
            if records[0] != {"version": _VERSION, "mechanism": _digest(mechanism)}:
                raise Refused(
                    f"the session in {path.name}", "It was another mechanism's.", "the mechanism it began with."
                )
            return records[1]["people"] if records[1:] else None, _updates(records[2:], mechanism.sizes)
        except (ValueError, KeyError, IndexError, TypeError) as error:
            if isinstance(error, Refused):
                raise
            raise Failed from None


def _updates(records: list[dict[str, Any]], sizes: tuple[int, ...]) -> list[tuple[Cells, int]]:
    found = []
    for question, reply in zip(records[::2], records[1::2], strict=False):
        if reply["surprise"]:
            octets = np.frombuffer(decompress(b64decode(question["asked"])), np.uint8)
            found.append(
                (np.unpackbits(octets, count=prod(sizes)).astype(np.bool_).reshape(sizes), int(reply["answer"]))
            )
    return found


def _digest(mechanism: OnlineWeights) -> str:
    return sha256(repr(mechanism).encode()).hexdigest()
