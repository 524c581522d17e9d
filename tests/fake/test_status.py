"""What a fake robot tells of itself."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from him.deploy.messages import Command, damping, off
from him.fake.status import Mode, Status, Track

STATUS = Status(
    time=12.3,
    mode=Mode.SILENCE,
    position=[1.0, -2.0, 0.3],
    distance=2.236,
    tilt=0.1,
    speed=0.0,
    received=6000,
    sent=6100,
    lost=120,
    refused=3,
    falls=0,
    slipped=0.0,
)


@pytest.mark.parametrize(
    ("command", "mode"),
    [(off(), Mode.OFF), (damping(3.0), Mode.DAMPING), (Command(kp=np.full(12, 20.0)), Mode.SERVO)],
)
def test_a_command_makes_a_mode(command: Command, mode: Mode) -> None:
    assert Mode.of(command) == mode


def test_one_line_says_it_all() -> None:
    line = STATUS.line()
    for words in ("12.3 s", "silence", "x 1.00 y -2.00 z 0.30", "tilt 6°", "in 6000", "out 6100", "lost 120"):
        assert words in line
    assert "refused 3" in line
    assert len(line) < 90, "it should fit in a terminal"
    assert "too slow" not in line
    assert "1.5 s too slow" in replace(STATUS, slipped=1.5).line()


def test_the_track_is_readable_while_it_grows(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "track.jsonl"
    with Track(path) as track:
        track(STATUS)
        (line,) = path.read_text().splitlines()
        track(STATUS)
    assert json.loads(line)["mode"] == "silence"
    assert json.loads(line)["position"] == [1.0, -2.0, 0.3]
    assert len(path.read_text().splitlines()) == 2
