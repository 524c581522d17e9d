"""From a run to a policy: the contract is right, and everyone who runs the file gets the same answers."""

import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import torch
from torch import Tensor

from him import robots
from him.bench.player import Player
from him.env.presets import World
from him.env.settings import Commands, TaskSettings
from him.env.task import LocomotionTask
from him.learn.run import Run
from him.methods import METHODS, packing
from him.policy.runner import Policy
from him.terrain import KINDS, Shares, TerrainSettings
from tests.cli import tiny
from tests.env.tasks import make
from tests.threads import one_thread  # noqa: F401

STEPS = 1000


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run") / "go1"
    assert tiny.train(folder, 3, "--seed", "5") == 0
    return folder


def rollout(player: Player, task: LocomotionTask, steps: int) -> Tensor:
    """Histories (steps, 6, 45) of one robot driven by the policy, stirred a little, over falls and new beginnings."""
    observation, _ = task.reset()
    history = observation.frame[:, None].repeat(1, 6, 1)
    seen, ended = [], 0
    for _ in range(steps):
        seen.append(history)
        step = task.step(player(history)["action"] + 0.3 * torch.randn(1, 12))
        moved = torch.cat([step.observation.frame[:, None], history[:, :-1]], 1)
        history = torch.where(step.done[:, None, None], step.observation.frame[:, None], moved)
        ended += int(step.done)
    assert ended > 0
    return torch.cat(seen)


def test_torch_onnxruntime_and_the_player_agree_over_a_real_rollout(run: Path) -> None:
    torch.manual_seed(0)
    method, _, _ = packing.load(run)
    player = Player(run / "policy.onnx")
    seen = rollout(player, make(1), STEPS)
    assert seen.shape == (STEPS, 6, 45)
    with torch.no_grad():
        expected = method.outputs(seen)
    session = onnxruntime.InferenceSession(str(run / "policy.onnx"), providers=["CPUExecutionProvider"])
    native = dict(zip(("action", "velocity", "latent"), session.run(None, {"obs": seen.numpy()}), strict=True))
    played, policy = player(seen), Policy(run / "policy.onnx", robot="go1")
    for name, value in expected.items():
        assert value.abs().max() > 1e-3
        np.testing.assert_allclose(native[name], value.numpy(), atol=1e-5)
        np.testing.assert_allclose(played[name].numpy(), value.numpy(), atol=1e-5)
    for i in range(0, STEPS, 50):
        said = policy.act(seen[i].numpy())
        np.testing.assert_allclose(said.action, expected["action"][i].numpy(), atol=1e-5)


def test_the_contract_is_the_robots_and_the_runs(run: Path) -> None:
    robot, said = robots.load("go1"), Player(run / "policy.onnx").contract
    assert (said.robot, said.method, said.deployable) == ("go1", "him", True)
    assert (said.samples, said.seed) == (3 * tiny.ENVS * tiny.ROLLOUT, 5)
    where = f"--out {run} "
    typed = " ".join(["him", *tiny.words(run, 3, "--seed", "5")])
    assert where in typed
    assert said.command == typed.replace(where, "")
    assert said.command_ranges == ((-1.0, 1.0), (-0.7, 0.7), (-1.0, 1.0)), "the laptop's on flat ground"
    assert (said.action_clip, said.action_scale, said.control_dt) == (20.0, robot.action_scale, 0.02)
    assert (said.history_length, said.history_order) == (6, "newest first")
    for name in ("default_joint_pos", "kp", "kd", "stand_kp", "stand_kd", "torque_limits", "joint_limits"):
        np.testing.assert_array_equal(getattr(said, name), getattr(robot, name))
    assert said.joint_names == robot.joint_names
    assert [(tensor.name, tensor.shape[1:]) for tensor in said.outputs] == [
        ("action", (12,)),
        ("velocity", (3,)),
        ("latent", (16,)),
    ]


def test_command_ranges_are_the_widest_of_the_terrains_there_were() -> None:
    world = World(TaskSettings(commands=Commands(smooth_x=0.5, complex_x=0.9, y=0.3, smooth_yaw=1.4, complex_yaw=1.1)))
    nothing = Shares(slope=0.0, rough_slope=0.0, stairs=0.0, obstacles=0.0, flat=1.0)
    only = {
        (0.9, 1.4): Shares(),
        (0.5, 1.4): nothing,
        (0.9, 1.1): replace(nothing, flat=0.0, stairs=1.0),
    }
    for (x, yaw), shares in only.items():
        there = replace(world, terrain=TerrainSettings(shares=shares))
        everywhere = torch.ones(len(KINDS) * 10, 3)
        assert packing.command_ranges(there, everywhere) == ((-x, x), (-0.3, 0.3), (-yaw, yaw))


def test_command_ranges_are_those_that_were_learned() -> None:
    world, reach = World(), torch.zeros(len(KINDS), 10, 3)
    assert packing.command_ranges(world, reach.flatten(0, 1)) == ((-1.0, 1.0),) * 3
    reach[list(KINDS).index("slope"), 3] = torch.tensor([0.25, 1.0, 0.5])
    reach[list(KINDS).index("flat"), 0] = 1.0  # of which there was none
    assert packing.command_ranges(world, reach.flatten(0, 1)) == ((-1.5, 1.5), (-1.0, 1.0), (-2.0, 2.0))


def test_a_loaded_method_has_the_runs_weights(run: Path) -> None:
    method, record, manifest = packing.load(run)
    assert (record["method"], manifest.iteration) == ("him", 3)
    assert not method.training
    fresh = METHODS["him"](Run(run).sizes(), Run(run).settings())
    assert any(not torch.equal(a, b) for a, b in zip(method.parameters(), fresh.parameters(), strict=True))


def test_a_contract_does_not_say_where_its_run_lies() -> None:
    told = ["him", "train", "go1", "--out", "/home/me/runs/a", "--seed", "3"]
    assert packing.placeless(told) == ["him", "train", "go1", "--seed", "3"]
    assert packing.placeless([*told[:3], "--out=/home/me/runs/a", *told[5:]]) == ["him", "train", "go1", "--seed", "3"]


def test_a_run_that_went_on_under_other_settings_says_so() -> None:
    first = ["him", "train", "go1", "--seed", "3", "--out", "a"]
    same = {"command": ["him", "train", "go1", "--seed", "3", "--out", "b", "--resume"]}
    other = {"command": ["him", "train", "go1", "--resume", "--out", "a", "--ppo.anchor", "0.05"]}
    assert packing.lines({"command": first}) == packing.lines({"command": first, "resumed": [same]}) == first[:5]
    again = [";", "him", "train", "go1", "--resume", "--ppo.anchor", "0.05"]
    assert packing.lines({"command": first, "resumed": [same, other]}) == [*first[:5], *again]


def test_the_commit_says_whether_the_code_was_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def git(*words: str) -> str:
        who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
        return subprocess.run(["git", *who, *words], cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    assert packing.commit(tmp_path) == "unknown"
    monkeypatch.setenv("HIM_COMMIT", "abc")
    assert packing.commit(tmp_path) == "abc"
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "a.py").write_text("1")
    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    revision = git("rev-parse", "HEAD").strip()
    assert packing.commit(tmp_path / "code") == revision
    (tmp_path / "notes").write_text("2")
    assert packing.commit(tmp_path / "code") == revision, "what lies beside the code does not count"
    (tmp_path / "code" / "a.py").write_text("2")
    assert packing.commit(tmp_path / "code") == f"{revision}-changed"
