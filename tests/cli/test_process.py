"""A punctual process, and one that ends when told to."""

import gc
import os
import signal
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
