"""Processes are timed, and asked to end while they can still save their state."""

import time
from pathlib import Path

import pytest

from him.bench import launch as launching
from him.bench.launch import Clock, OutOfTimeError, launch

SAVES = """
import pathlib, signal, subprocess, sys, time
def end(*_):
    pathlib.Path(sys.argv[-1]).write_text(f"saved {child.pid}")
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
pathlib.Path(sys.argv[-1]).write_text("begun")
time.sleep(60)
"""
"""Has a process of its own, as the film at the end of a training is."""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launching, "GLANCE", 0.02)
    monkeypatch.setattr(launching, "GRACE", 0.2)
    monkeypatch.setattr(launching, "LEAST", 0.3)


def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Stands in for `python -m him`."""
    (tmp_path / "him.py").write_text(text)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


def alive(number: int) -> bool:
    """A process that has ended but that nobody has asked about yet does not count."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{number}/status").read_text()
    except FileNotFoundError:
        return False


def test_output_goes_to_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(tmp_path, monkeypatch, "import sys; print('hello', *sys.argv[1:])")
    launch(["train", "a"], tmp_path / "deep" / "log", Clock())
    assert (tmp_path / "deep" / "log").read_text() == "$ him train a\nhello train a\n"


def test_a_failure_tells_the_last_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(tmp_path, monkeypatch, "import sys; sys.exit('it broke')")
    with pytest.raises(RuntimeError, match=r"him train ended with 1.*it broke"):
        launch(["train"], tmp_path / "log", Clock())


def test_out_of_time_it_may_save_its_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(tmp_path, monkeypatch, SAVES)
    clock, state = Clock(60.0), tmp_path / "state"

    def until_begun() -> int | None:
        if state.exists() and state.read_text() == "begun":
            clock.stop()
        return None

    look = launching._look
    monkeypatch.setattr(launching, "_look", lambda process: look(process) if until_begun() is None else None)
    began = time.monotonic()
    with pytest.raises(OutOfTimeError):
        launch(["train", str(state)], tmp_path / "log", clock)
    word, child = state.read_text().split()
    assert word == "saved"
    assert time.monotonic() - began < 20
    while time.monotonic() - began < 20 and alive(int(child)):
        time.sleep(0.02)
    assert not alive(int(child))


def test_nothing_begins_that_has_no_time(tmp_path: Path) -> None:
    with pytest.raises(OutOfTimeError):
        launch(["train"], tmp_path / "log", Clock(0.1))
    assert not (tmp_path / "log").exists()


def test_a_clock_without_limit_never_ends() -> None:
    assert Clock().left == float("inf")
    clock = Clock(100.0)
    assert 99 < clock.left <= 100
    clock.stop()
    assert clock.left <= 0
