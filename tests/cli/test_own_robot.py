"""One's own robot is trained, measured and watched as those are that come with the project."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from him import robots
from him.bench import courses
from him.bench.player import Player
from him.cli import main as cli
from him.policy import Policy
from him.robots import RobotError
from him.view.play_course import course
from him.view.play_sim import Simulation
from tests.cli import tiny
from tests.threads import one_thread  # noqa: F401

DONKEY = Path(__file__).parents[1] / "robots" / "donkey.toml"


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own")
    table = shutil.copy(DONKEY, folder / "mine.toml")
    assert tiny.train(folder / "run", 1, robot=str(table)) == 0
    Path(table).unlink()
    return folder / "run" / "policy.onnx"


def test_its_table_lies_beside_the_policy(policy: Path) -> None:
    assert Player(policy).robot.name == "donkey"
    assert robots.near("a1", policy).name == "a1"


def test_it_is_exported_measured_and_watched(policy: Path, tmp_path: Path) -> None:
    assert cli.main(["export", str(policy.parent), "--out", str(tmp_path / "again.onnx")]) == 0
    few = ["--parts", "success", "--robots", "2", "--levels", "0", "--device", "cpu"]
    assert cli.main(["eval", str(policy), *few]) == 0
    there = course("flat", 0)
    assert Simulation(Policy(policy), there.terrain, there.start).step(np.zeros(3)).time > 0
    assert courses.attempt(Policy(policy), courses.drop(0.1), 0)["end"]


def test_a_policy_that_was_moved_says_what_it_misses(policy: Path, tmp_path: Path) -> None:
    moved = Path(shutil.copy(policy, tmp_path))
    with pytest.raises(RobotError, match=r"put its table beside it, as .*donkey\.toml"):
        robots.near("donkey", moved)
