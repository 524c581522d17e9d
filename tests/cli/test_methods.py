"""RMA and MoB from the command line to files that everyone can run."""

from pathlib import Path

import numpy as np
import pytest
import torch

from him import robots
from him.bench.player import Player
from him.bench.trial import Cell, Ground, calm
from him.deploy.messages import State
from him.deploy.walker import Walker
from him.env.behaviour import trot
from him.learn.run import Run
from him.methods import packing
from him.policy import Policy
from him.terrain import flat
from him.view.play_sim import Simulation
from tests.cli import tiny
from tests.threads import one_thread  # noqa: F401

ITERATIONS = 3
SHAPES = {
    "rma": {"obs": (51, 45)},
    "mob": {"obs": (31, 45), "time": (1,), "behaviour": (11,)},
}


@pytest.fixture(scope="module", params=SHAPES)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run") / request.param
    assert tiny.train(folder, ITERATIONS, "--method", request.param) == 0
    return folder


def test_the_run_says_what_it_is(run: Path) -> None:
    record = Run(run).record()
    task = record["about"]["world"]["task"]
    assert task["factors"]
    assert task["gait"]["active"] == (run.name == "mob")
    steps = tiny.ENVS * tiny.ROLLOUT
    phases = [("policy", 0, ITERATIONS * steps), ("adaptation", ITERATIONS, 2 * steps)]
    said = [(phase["name"], phase["iteration"], phase["samples"]) for phase in record.get("phases", [])]
    assert said == (phases if run.name == "rma" else [])


def test_the_file_declares_its_inputs(run: Path) -> None:
    contract = Policy(run / "policy.onnx", robot="go1").contract
    assert {tensor.name: tensor.shape[1:] for tensor in contract.inputs} == SHAPES[run.name]
    assert contract.deployable
    assert contract.history_length == SHAPES[run.name]["obs"][0]
    assert contract.samples == (ITERATIONS + 2 * (run.name == "rma")) * tiny.ENVS * tiny.ROLLOUT
    assert contract.behaviour == (trot(robots.load("go1")) if run.name == "mob" else ())


def test_torch_runner_and_player_agree(run: Path) -> None:
    torch.manual_seed(0)
    method, _, _ = packing.load(run)
    player, policy = Player(run / "policy.onnx"), Policy(run / "policy.onnx")
    obs, time = torch.randn(10, *SHAPES[run.name]["obs"]), 5 * torch.rand(10, 1)
    told = torch.tensor(player.contract.behaviour).repeat(10, 1)
    with torch.no_grad():
        expected = method.outputs(obs, time, told) if run.name == "mob" else method.outputs(obs)
    assert expected["action"].abs().max() > 1e-3
    for name, value in player(obs, time).items():
        torch.testing.assert_close(value, expected[name], atol=1e-5, rtol=0)
    for i in range(10):
        said = policy.act(obs[i].numpy(), time[i].item())
        np.testing.assert_allclose(said.action, expected["action"][i].numpy(), atol=1e-5)


def test_it_is_measured_on_many_robots(run: Path) -> None:
    ground = Ground("go1", [Cell("flat", 0)], 4, calm(), "cpu")
    outcome = ground.run(Player(run / "policy.onnx"), torch.rand(4, 3), seconds=0.6, settle=0.1)
    assert torch.isfinite(outcome.linear).all()


def test_it_is_played_on_one(run: Path) -> None:
    simulation = Simulation(Policy(run / "policy.onnx"), flat(), (0.0, 0.0, 0.0))
    heights = [simulation.step([0.3, 0.0, 0.0]).qpos[2] for _ in range(10)]
    assert np.isfinite(heights).all()
    assert np.abs(simulation.action).max() > 0


def test_the_controller_feeds_it_as_the_simulation_does(run: Path) -> None:
    policy = Policy(run / "policy.onnx")
    simulation, walker = Simulation(policy, flat(), (0.0, 0.0, 0.0)), Walker(policy)
    walker.reset(100.0)
    for t in range(8):
        data = simulation._data
        joints, speeds, base = data.qpos[7:].copy(), data.qvel[6:].copy(), data.qpos[3:7].copy()
        state = State(joints, speeds, np.zeros(12), base, data.qvel[3:6].copy(), np.zeros(3))
        target = walker.target(state, [0.3, 0.0, 0.1], 100.0 + 0.02 * t)
        simulation.step([0.3, 0.0, 0.1])
        np.testing.assert_allclose(target, data.ctrl[: len(target)], atol=1e-5)
    assert np.ptp(target - policy.contract.default_joint_pos) > 1e-4


def test_another_behaviour_gives_another_action(run: Path) -> None:
    policy, obs = Policy(run / "policy.onnx"), np.zeros(SHAPES[run.name]["obs"])
    usual = policy.act(obs, 1.0)
    if run.name == "rma":
        assert usual.latent is not None
        assert usual.latent.shape == (8,)
        return
    pace = np.array(policy.contract.behaviour)
    pace[2:5] = 0.0, 0.0, 0.5
    assert np.abs(policy.act(obs, 1.0, pace).action - usual.action).max() > 1e-5
