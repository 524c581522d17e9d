"""The long run's own sums, and a short one of it through the command line."""

import json
import mmap
import os
from pathlib import Path

import numpy as np
import pytest

from him.cli.deploy import main
from him.fake import soak
from tests.stolen import Watch

GOOD = {"broken_off": None, "stops": [], "falls": 0, "exit_codes": {"controller": 0, "robot": 0}}
STILL = {"controller": 0.1, "robot": -0.2}


def test_a_clean_run_passes() -> None:
    assert soak.passed({**GOOD, "memory_growth_mb": STILL})


@pytest.mark.parametrize(
    "bad",
    [
        {"stops": ["no command for 29 ms"]},
        {"falls": 1},
        {"broken_off": "the robot ended"},
        {"exit_codes": {"controller": 0, "robot": -9}},
        {"memory_growth_mb": {"controller": 0.0, "robot": 2.5}},
    ],
)
def test_anything_bad_fails_it(bad: dict[str, object]) -> None:
    assert not soak.passed({**GOOD, "memory_growth_mb": STILL, **bad})


def test_growth_leaves_the_warm_up_out_and_sees_a_leak() -> None:
    warm = [*np.linspace(50.0, 80.0, 10), *[80.0] * 90]
    assert soak.growth(warm) == pytest.approx(0.0)
    assert soak.growth([80.0 + 0.05 * i for i in range(100)]) == pytest.approx(4.0)
    assert soak.growth([80.0]) == 0.0


def test_commands_are_a_stroll_and_sometimes_none() -> None:
    rng = np.random.default_rng(0)
    drawn = np.array([soak.draw(rng) for _ in range(500)])
    low, high = soak.COMMANDS.T
    assert (drawn >= low).all()
    assert (drawn <= high).all()
    assert (drawn.std(axis=0) > 0.2).all()
    assert 0.05 < (drawn == 0.0).all(axis=1).mean() < 0.2


def test_the_way_is_summed_over_seconds(tmp_path: Path) -> None:
    track = tmp_path / "robot.jsonl"
    places = [[0.1 * tenth, 0.02 * (tenth % 2), 0.3] for tenth in range(21)]
    track.write_text("".join(json.dumps({"position": place}) + "\n" for place in places))
    assert soak.way(track) == pytest.approx(2.0)


def test_memory_is_read_in_megabytes() -> None:
    before = soak.resident(os.getpid())
    with mmap.mmap(-1, 40_000_000) as held:
        for _ in range(40):
            held.write(b"x" * 1_000_000)
        assert soak.resident(os.getpid()) - before == pytest.approx(40.0, abs=5.0)


@pytest.mark.slow
def test_a_few_seconds_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, keep = tmp_path / "sub" / "soak.json", tmp_path / "kept"
    host = Watch()
    code = main(["soak", "aliengo", "--seconds", "3", "--out", str(out), "--keep", str(keep)])
    result = json.loads(out.read_text())
    if result["walked_seconds"] < 3.0:
        host.excuse()
    assert code == (0 if result["passed"] else 1)
    assert result["walked_seconds"] >= 3.0
    assert result["broken_off"] is None
    assert result["exit_codes"] == {"controller": 0, "robot": 0}
    assert result["punctuality"]["cycles"] > 1000
    assert len(result["memory"]["seconds"]) == len(result["memory"]["robot_mb"]) == 1
    assert 20.0 < result["memory"]["controller_mb"][0] < 500.0
    assert result["fake_robot"]["lost"] > 0
    assert (keep / "controller.log").stat().st_size > 100_000
    assert "written to" in capsys.readouterr().out
