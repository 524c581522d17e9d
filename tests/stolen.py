"""How much of this machine its host takes away: three processes in real time need what the machine says it has."""

import os
import time
from pathlib import Path

import pytest

TOO_MUCH = 0.05
"""Share of the processors' time. On a quiet machine it is zero."""

STAT = Path("/proc/stat")


class Watch:
    """From its making on."""

    def __init__(self) -> None:
        self._began, self._before = time.monotonic(), _stolen()

    def share(self) -> float:
        return (_stolen() - self._before) / (time.monotonic() - self._began) / (os.cpu_count() or 1)

    def excuse(self) -> None:
        """Skip a test that failed while the host took the processors away; a quiet machine has no excuse."""
        if (share := self.share()) > TOO_MUCH:
            pytest.skip(f"the host took {share:.0%} of this machine's processor time away: no real time to be had")


def _stolen() -> float:
    """Seconds of processor time that a virtual machine's host gave to others, where the system tells."""
    if not STAT.exists():
        return 0.0
    return int(STAT.read_text().split("\n", 1)[0].split()[8]) / os.sysconf("SC_CLK_TCK")
