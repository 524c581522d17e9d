"""A process that must be punctual, and that ends in order when it is told to."""

import contextlib
import ctypes
import gc
import os
import signal
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def signals() -> Iterator[Callable[[], bool]]:
    """A function that tells whether the user or the system has asked the process to end."""
    asked: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, lambda caught, _: asked.append(caught)) for number in numbers]
    try:
        yield lambda: bool(asked)
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


@contextlib.contextmanager
def punctual(realtime: bool) -> Iterator[None]:
    """Let nothing keep a loop waiting for 20 ms, which is a missed deadline.

    What is in memory now is kept from Python's garbage collector, whose full round takes 30 ms with all that is
    imported. With `realtime` the process runs before everything else on the machine and all of its memory stays in
    place, as with Unitree's own loops.
    """
    gc.collect()
    gc.freeze()
    try:
        with contextlib.ExitStack() as stack:
            if realtime:
                stack.enter_context(_priority())
                stack.enter_context(_locked())
            yield
    finally:
        gc.unfreeze()


@contextlib.contextmanager
def _priority() -> Iterator[None]:
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
    except PermissionError:
        print("real-time priority was refused: run as root if deadlines are missed")
    try:
        yield
    finally:
        os.sched_setscheduler(0, *before)


CURRENT, FUTURE = 1, 2
"""Flags of mlockall: what a process has, and what it will ask for."""


@contextlib.contextmanager
def _locked() -> Iterator[None]:
    """No page of the process is taken away, or fetched only when first touched. Where the system refuses it, as it
    mostly does to whoever may not have real-time priority, nothing changes."""
    system = ctypes.CDLL(None)
    locked = system.mlockall(CURRENT | FUTURE) == 0
    try:
        yield
    finally:
        if locked:
            system.munlockall()
