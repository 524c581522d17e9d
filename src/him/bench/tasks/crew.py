"""Trials side by side, one process for each core."""

import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from types import TracebackType

from him.bench.tasks.registry import TASKS
from him.bench.tasks.trial import Outcome, attempt
from him.errors import HimError
from him.policy import Policy


def cores() -> int:
    """Processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Crew:
    """Processes that run trials; with one worker everything happens in this process."""

    def __init__(self, workers: int) -> None:
        # a forked child would share the threads of whatever is loaded here
        self._pool = ProcessPoolExecutor(workers, get_context("spawn"), initializer=_begin) if workers > 1 else None

    def trials(self, policy: Path, task: str, seeds: Sequence[int], weight: float = 0.0) -> Iterator[Outcome]:
        """Outcomes as they come; whoever stops asking saves the trials that have not begun."""
        if self._pool is None:
            yield from (_trial(policy, task, seed, weight) for seed in seeds)
            return
        futures = [self._pool.submit(_trial, policy, task, seed, weight) for seed in seeds]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BrokenProcessPool:
            raise HimError("a worker process was ended from outside; finished tasks are kept, run it again") from None
        finally:
            for future in futures:
                future.cancel()

    def __enter__(self) -> "Crew":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)


def _begin() -> None:
    """Ctrl-C ends a worker at once and without a word; what it was doing is done again."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _trial(policy: Path, task: str, seed: int, weight: float) -> Outcome:
    return attempt(_load(policy), TASKS[task], seed, weight)


@cache
def _load(policy: Path) -> Policy:
    return Policy(policy)
