"""From states to targets: as in training, and in time."""

import json
import os
import time

import numpy as np
import pytest
import torch

from him.deploy.messages import State
from him.deploy.walker import Walker
from him.env.protocol import Sizes
from him.learn.export import export
from him.learn.method import Him
from him.learn.presets import preset
from him.policy import Policy
from tests.env.tasks import ROBOT, make, quiet


def measured(engine) -> State:
    """What the first robot of an engine would measure, without noise."""
    qpos, qvel = (values[0].double().numpy().copy() for values in (engine.qpos, engine.qvel))
    return State(
        joint_pos=qpos[7:],
        joint_vel=qvel[6:],
        joint_torque=np.zeros(12),
        quaternion=qpos[3:7],
        angular_velocity=qvel[3:6],
        acceleration=np.zeros(3),
    )


@torch.no_grad()
def test_actions_in_training_and_on_a_robot_are_the_same(untrained, tmp_path):
    """The task, its frames and the network in torch on one side; measured states, NumPy and the file on the other."""
    contract = untrained.contract(
        robot=ROBOT.name,
        default_joint_pos=tuple(ROBOT.default_joint_pos.tolist()),
        joint_limits=tuple(map(tuple, ROBOT.joint_limits.tolist())),
        action_clip=20.0,
    )
    torch.manual_seed(0)
    method = Him(Sizes(frame=45, extra=193, action=12), preset("default"))
    path = export(method, tmp_path / "p.onnx", json.loads(contract.to_json()))
    walker, task = Walker(Policy(path)), make(1, quiet())
    command = torch.tensor([[0.7, -0.3, 0.9]])
    place = torch.zeros(1, dtype=torch.long)
    history = task.reset_to(place, place, torch.tensor([100.0]), command)[0].frame[:, None].repeat(1, 6, 1)
    differ = 0.0
    for step in range(25):
        trained = method.outputs(history)["action"]
        target = walker.target(measured(task.engine), command[0].numpy(), 0.02 * step)
        np.testing.assert_allclose(walker.decision.action, trained[0].numpy(), atol=1e-5)
        np.testing.assert_allclose(target, ROBOT.default_joint_pos + 0.25 * trained[0].numpy(), atol=1e-5)
        after = task.step(trained)
        assert not after.done.any()
        history = torch.cat([after.observation.frame[:, None], history[:, :-1]], 1)
        differ = max(differ, float(history.std(dim=1).max()))
    assert differ > 0.01, "the frames of a history must differ for this to mean something"


def test_a_decision_of_the_shipped_policy_takes_less_than_a_millisecond_on_one_core():
    """Frame, history, network and target; half of many runs, because other processes share the machine."""
    allowed, times = os.sched_getaffinity(0), []
    os.sched_setaffinity(0, {min(allowed)})
    try:
        walker = Walker(Policy("aliengo"))
        rng = np.random.default_rng(0)
        state = State(*(np.zeros(12) for _ in range(3)), np.array([1.0, 0, 0, 0]), np.zeros(3), np.zeros(3))
        for step in range(500):
            state.joint_pos = rng.normal(size=12)
            begun = time.perf_counter()
            walker.target(state, (0.5, 0.0, 0.0), 0.02 * step)
            times.append(time.perf_counter() - begun)
    finally:
        os.sched_setaffinity(0, allowed)
    assert np.median(times) < 1e-3


def test_a_new_walk_remembers_nothing_of_the_last(policy):
    state = State(*(np.full(12, 0.1) for _ in range(3)), np.array([1.0, 0, 0, 0]), np.zeros(3), np.zeros(3))
    walker = Walker(policy)
    first = walker.target(state, (0.5, 0.0, 0.0), 0.0)
    later = walker.target(state, (0.5, 0.0, 0.0), 0.02)
    assert np.abs(first - later).max() > 1e-6
    walker.reset(9.0)
    np.testing.assert_array_equal(walker.target(state, (0.5, 0.0, 0.0), 9.0), first)


@pytest.mark.parametrize("command", [(np.nan, 0.0, 0.0), (0.0, np.inf, 0.0)])
def test_a_command_that_is_no_number_means_stand(policy, command):
    assert Walker(policy).clamp(command).tolist() == [0.0, 0.0, 0.0]
