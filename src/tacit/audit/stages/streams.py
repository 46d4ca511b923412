"""Draws made at the same time by forked processes and by threads: none may repeat another's."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numpy as np

from tacit.noise.bits import Bits, Integers
from tacit.noise.entropy import ENTROPY

_WORKERS = 3
_PATIENCE = 20.0  # seconds after which a worker that hangs is given up

Noise = Callable[[int, Bits], Integers]


def forked(noise: Noise, count: int) -> list[Integers]:
    """The draws of several processes forked at one moment, and then of their parent."""
    if not hasattr(os, "fork") or multiprocessing.current_process().daemon:  # a daemon may have no children
        return []
    context, found = multiprocessing.get_context("fork"), []
    pipes = [context.Pipe(duplex=False) for _ in range(_WORKERS)]
    workers = [context.Process(target=_send, args=(noise, count, sender), daemon=True) for _, sender in pipes]
    for worker in workers:
        worker.start()
    for receiver, _ in pipes:
        if receiver.poll(_PATIENCE):
            found.append(receiver.recv())
    for worker in workers:
        worker.join(_PATIENCE)
    return [*found, np.asarray(noise(count, ENTROPY))]


def _send(noise: Noise, count: int, sender: Any) -> None:
    sender.send(np.asarray(noise(count, ENTROPY)))


def threaded(noise: Noise, count: int) -> list[Integers]:
    """The draws of several threads that start together."""
    gate = Barrier(_WORKERS)

    def draw(_: int) -> Integers:
        gate.wait()
        return np.asarray(noise(count, ENTROPY))

    with ThreadPoolExecutor(_WORKERS) as pool:
        return list(pool.map(draw, range(_WORKERS)))


def repeated(streams: list[Integers]) -> bool:
    """Whether two of the streams are the same."""
    return len({stream.tobytes() for stream in streams}) < len(streams)
