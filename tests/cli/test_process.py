"""A punctual process, and one that ends when told to."""

import gc
import os
import signal
import subprocess
import sys
import time

import pytest

from him.cli.process import punctual, signals


def test_garbage_from_before_costs_the_loop_no_time() -> None:
    """A full round over 300,000 objects takes tens of milliseconds; with them frozen, next to nothing."""
    ballast = [[i] for i in range(300_000)]

    def round_takes() -> float:
        begun = time.perf_counter()
        gc.collect()
        return time.perf_counter() - begun

    free = min(round_takes() for _ in range(3))
    with punctual(realtime=False):
        assert min(round_takes() for _ in range(3)) < 0.2 * free
    assert gc.get_freeze_count() == 0
    assert len(ballast) == 300_000


def test_priority_is_asked_for_and_given_back(capsys: pytest.CaptureFixture[str]) -> None:
    before = os.sched_getscheduler(0)
    with punctual(realtime=True):
        during = os.sched_getscheduler(0)
    assert during == os.SCHED_FIFO or "was refused" in capsys.readouterr().out
    assert os.sched_getscheduler(0) == before


def test_refused_priority_is_said_and_lived_without(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = os.sched_setscheduler

    def refuse(pid: int, policy: int, param: os.sched_param) -> None:
        if policy == os.SCHED_FIFO:
            raise PermissionError
        real(pid, policy, param)

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    with punctual(realtime=True):
        pass
    assert "run as root" in capsys.readouterr().out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_is_noticed_and_its_handler_restored(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with signals() as asked:
        assert not asked()
        os.kill(os.getpid(), number)
        time.sleep(0.01)
        assert asked()
    assert signal.getsignal(number) == before


def test_memory_stays_in_place_where_the_system_allows_it() -> None:
    """In a process of its own, whose limits are as they came."""
    told = (
        "from pathlib import Path\n"
        "from him.cli.process import punctual\n"
        "def locked():\n"
        "    lines = Path('/proc/self/status').read_text().splitlines()\n"
        "    return next(int(line.split()[1]) for line in lines if line.startswith('VmLck'))\n"
        "print(locked())\n"
        "with punctual(realtime=True):\n"
        "    print(locked())\n"
        "print(locked())\n"
    )
    said = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True).stdout.splitlines()
    before, during, after = (int(line) for line in said if line.isdigit())
    assert before == after == 0
    assert during > 1000 or any("refused" in line for line in said)
