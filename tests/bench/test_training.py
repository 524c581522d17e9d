"""The trainer's benchmark runs, and says what it timed."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from him.bench import training
from him.cli import bench
from him.errors import HimError
from tests.threads import one_thread  # noqa: F401

OPTIONS = "training --robot go1 --preset laptop --envs 8 --iterations 3 --warmup 1 --device cpu --json --out"


def test_speed_is_that_of_the_whole_beside_its_parts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = {"train": 0.9, "collect": 0.24, "update": 0.1, "physics_alone": 0.12}

    def timed(work: Callable[[], Any], device: torch.device) -> float:
        work()
        return seconds[work.__name__]

    monkeypatch.setattr(training, "_timed", timed)
    assert bench.main([*OPTIONS.split(), str(tmp_path / "speed.json")]) == 0
    result = json.loads((tmp_path / "speed.json").read_text())
    assert json.loads(capsys.readouterr().out) == result
    assert (result["robot"], result["preset"], result["method"]) == ("go1", "laptop", "him")
    assert (result["envs"], result["rollout"]) == (8, 24)
    assert result["device"].startswith("CPU")
    assert (result["iteration_ms"], result["samples_per_s"]) == (300.0, 640), "three iterations of 8 x 24 in 0.9 s"
    assert (result["physics_ms_a_step"], result["rest_ms_a_step"], result["update_ms"]) == (5.0, 5.0, 100.0)


def test_time_is_what_work_takes() -> None:
    assert 0.02 <= training._timed(lambda: time.sleep(0.02), torch.device("cpu")) < 2.0


@pytest.mark.parametrize("wrong", [{"method": "magic"}, {"preset": "hasty"}])
def test_what_does_not_exist_is_refused_by_name(wrong: dict[str, str]) -> None:
    with pytest.raises(HimError, match=next(iter(wrong.values()))):
        training.measure(training.SpeedSettings(**wrong))
