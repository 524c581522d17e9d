"""`him deploy fake-robot` as a user meets it."""

import io
import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from him.cli.deploy import main
from him.cli.deploy_fake import Screen
from him.errors import HimError
from him.fake.status import Mode
from tests.fake.test_status import STATUS


def test_it_runs_for_its_seconds_and_says_what_happened(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    track = tmp_path / "track.jsonl"
    assert main(["fake-robot", "a1", "--port", "0", "--seconds", "0.3", "--track", str(track), "--loss", "0.1"]) == 0
    out = capsys.readouterr().out
    assert "a1 lies on the ground and listens on udp:127.0.0.1:" in out
    assert "waiting" in out
    statuses = [json.loads(line) for line in track.read_text().splitlines()]
    assert [round(status["time"], 1) for status in statuses] == [0.0, 0.1, 0.2]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_in_order_when_told_to(tmp_path: Path, number: signal.Signals) -> None:
    track = tmp_path / "track.jsonl"
    command = [sys.executable, "-m", "him", "deploy", "fake-robot", "go1", "--port", "0", "--track", str(track)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        deadline = time.monotonic() + 60.0
        while not (track.exists() and track.stat().st_size) and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(number)
        out, _ = process.communicate(timeout=30.0)
    assert process.returncode == 0, out
    assert "Traceback" not in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["go2", "--port", "0"], "a Go2 speaks DDS"),
        (["a1", "--port", "70000"], "--port"),
        (["a1", "--port", "0", "--loss", "5"], "from 0 to 1"),
        (["a1", "--port", "0", "--latency-ms", "-1"], "latency must be"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(arguments: list[str], words: str) -> None:
    with pytest.raises(HimError, match=words):
        main(["fake-robot", *arguments])


def test_a_terminal_shows_one_line_that_is_drawn_anew() -> None:
    paper = io.StringIO()
    with Screen(Console(file=paper, force_terminal=True, width=200)) as screen:
        for time_ in (1.0, 2.0, 3.0):
            screen(replace(STATUS, time=time_))
    text = paper.getvalue()
    assert text.index("1.0 s") < text.index("2.0 s") < text.index("3.0 s")
    assert "\x1b[2K" in text, "the line is erased before it is drawn again"


def test_a_file_gets_a_line_for_each_change(capsys: pytest.CaptureFixture[str]) -> None:
    with Screen(Console(file=io.StringIO())) as screen:
        for mode in (Mode.OFF, Mode.OFF, Mode.SERVO, Mode.SERVO, Mode.SILENCE):
            screen(replace(STATUS, mode=mode))
    assert [line.split()[2] for line in capsys.readouterr().out.splitlines()] == ["off", "servo", "silence"]
