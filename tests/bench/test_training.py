"""The trainer's benchmark runs, and its parts make up the whole."""

import json
from pathlib import Path

import pytest

from him.bench import training
from him.cli import bench
from him.errors import HimError
from tests.threads import one_thread  # noqa: F401

OPTIONS = "training --robot go1 --preset laptop --envs 8 --iterations 3 --warmup 1 --device cpu --json --out"


def test_the_parts_of_an_iteration_make_up_its_speed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main([*OPTIONS.split(), str(tmp_path / "speed.json")]) == 0
    result = json.loads((tmp_path / "speed.json").read_text())
    assert json.loads(capsys.readouterr().out) == result
    assert (result["robot"], result["preset"], result["method"]) == ("go1", "laptop", "him")
    assert (result["envs"], result["rollout"]) == (8, 24)
    assert result["device"].startswith("CPU")
    assert min(result["physics_ms_a_step"], result["rest_ms_a_step"], result["update_ms"]) > 0
    collect = result["rollout"] * (result["physics_ms_a_step"] + result["rest_ms_a_step"])
    assert result["samples_per_s"] == pytest.approx(8 * 24e3 / result["iteration_ms"], rel=0.01)
    assert 1 / 3 < (collect + result["update_ms"]) / result["iteration_ms"] < 3


@pytest.mark.parametrize("wrong", [{"method": "magic"}, {"preset": "hasty"}])
def test_what_does_not_exist_is_refused_by_name(wrong: dict[str, str]) -> None:
    with pytest.raises(HimError, match=next(iter(wrong.values()))):
        training.measure(training.SpeedSettings(**wrong))
