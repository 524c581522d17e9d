"""Other `him` processes: started, timed, and asked to end while there is still time to save their state."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

GRACE = 25.0
"""Seconds before the end at which a command is asked to end, so that it can save its state."""

LEAST = 60.0
"""Seconds that must be left to begin anything: imports and kernels take some."""

GLANCE = 0.5
"""Seconds between two looks at a running command."""


class OutOfTimeError(Exception):
    """The time of this call is over; the next one goes on."""


@dataclass
class Clock:
    """Time that is left."""

    limit: float | None = None
    """Seconds of this call, or as long as it takes."""
    began: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> float:
        return float("inf") if self.limit is None else self.limit - (time.monotonic() - self.began)

    def stop(self) -> None:
        """Whoever looks at the clock finds that time is over."""
        self.limit = 0.0


Launch = Callable[[Sequence[str], Path, Clock], None]


def launch(words: Sequence[str], log: Path, clock: Clock) -> None:
    """Run `him` with these words; its output goes to a file. Out of time it is asked to end, and waited for."""
    if clock.left < LEAST:
        raise OutOfTimeError
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a") as file:
        file.write(f"$ him {' '.join(words)}\n")
        file.flush()
        # a session of its own: what ends this process shall not end that one before it has saved its state
        command = [sys.executable, "-m", "him", *words]
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, start_new_session=True)
        while (code := _look(process)) is None:
            if clock.left < GRACE:
                _end(process)
                raise OutOfTimeError
    if code:
        raise RuntimeError(f"him {words[0]} ended with {code}: {_tail(log)}")


def _look(process: subprocess.Popen[bytes]) -> int | None:
    try:
        return process.wait(GLANCE)
    except subprocess.TimeoutExpired:
        return None


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask the process and whatever it has started itself to end; after a while insist."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(2 * GRACE)


def _tail(log: Path, lines: int = 3) -> str:
    return " / ".join(log.read_text().strip().splitlines()[-lines:])
