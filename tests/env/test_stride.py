"""Feet, forces and clocks of real robots, against MuJoCo's own figures."""

import mujoco
import numpy as np
import pytest
import torch

from him.env import gait
from him.env.gait_rewards import Stride
from him.env.gait_settings import GaitSettings
from him.env.settings import Commands, Noise, Randomisation, TaskSettings
from him.env.task import LocomotionTask
from him.policy.terms import BEHAVIOUR
from him.robots import LEGS
from him.sim import model as builder
from him.terrain import grid
from tests.env.tasks import ROBOT, SMALL, begin, make, still
from tests.threads import one_thread  # noqa: F401

ENVS = 6
TOLD = TaskSettings(
    randomisation=Randomisation.none(),
    noise=Noise(scale=0.0),
    commands=Commands(seconds=0.2),
    spawn_speed=0.0,
    gait=GaitSettings(active=True),
)
CLOCK, BEHAVIOURS = slice(-4, None), slice(3, 3 + len(BEHAVIOUR))


@pytest.fixture
def told() -> LocomotionTask:
    task = make(ENVS, TOLD)
    begin(task, 1000)
    return task


def test_the_frame_has_behaviour_and_clock_and_no_angular_velocity(told: LocomotionTask) -> None:
    assert told.frame_size == 3 + 11 + 3 + 12 + 12 + 12 + 12 + 4
    first, second = torch.randn(2, ENVS, 12)
    told.step(first)
    frame = told.step(second).final.frame
    scaled = told.episode.more["behaviour"] * torch.tensor(gait.SCALES)
    torch.testing.assert_close(frame[:, BEHAVIOURS], scaled)
    torch.testing.assert_close(frame[:, 17:29], told.engine.qpos[:, 7:] - told.constants.pose)
    torch.testing.assert_close(frame[:, 41:53], second)
    torch.testing.assert_close(frame[:, 53:65], first)


def test_clocks_turn_at_the_frequency_and_behaviours_come_with_commands(told: LocomotionTask) -> None:
    turn, behaviour = torch.zeros(ENVS), told.episode.more["behaviour"].clone()
    command = told.episode.command.clone()
    for t in range(1, 25):
        turn = (turn + 0.02 * gait.part(behaviour, "frequency")) % 1.0
        step = told.step(still(told))
        assert not step.done.any()
        now = told.episode.more["behaviour"].clone()
        torch.testing.assert_close(step.observation.frame[:, CLOCK], gait.clocks(turn, now), atol=1e-4, rtol=0)
        renewed = (now != behaviour).any(-1)
        assert renewed.all() == renewed.any() == (t % 10 == 0)
        assert torch.equal(renewed, (told.episode.command != command).any(-1))
        behaviour, command = now, told.episode.command.clone()


def test_a_new_episode_starts_its_clock_anew(told: LocomotionTask) -> None:
    begin(told, 3)
    before = told.episode.more["behaviour"].clone()
    for _ in range(3):
        step = told.step(still(told))
    assert step.done.all()
    assert (told.episode.more["turn"] == 0).all()
    assert (told.episode.more["behaviour"] != before).any(-1).all()
    assert not torch.equal(step.final.frame[:, CLOCK], step.observation.frame[:, CLOCK])


def walked(task: LocomotionTask, steps: int = 15) -> Stride:
    """Strides of robots that stumble about, caught on their way to the rewards."""
    caught = []
    original = task.transition.gait.stride

    def catch(*inputs: torch.Tensor) -> object:
        caught.append(original(*inputs))
        return caught[-1]

    task.transition.gait.stride = catch
    torch.manual_seed(1)
    for _ in range(steps):
        step = task.step(0.7 * torch.randn(ENVS, 12))
    task.transition.gait.stride = original
    assert not step.done.any()
    return caught[-1]


def test_feet_are_where_mujoco_has_them(told: LocomotionTask) -> None:
    stride = walked(told)
    model = builder.build(ROBOT).compile()
    data, terrain, velocity = mujoco.MjData(model), grid(SMALL), np.zeros(6)
    for env in range(ENVS):
        data.qpos[:], data.qvel[:] = told.engine.qpos[env].numpy(), told.engine.qvel[env].numpy()
        mujoco.mj_forward(model, data)
        w, x, y, z = data.qpos[3:7]
        yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        level = np.array([[np.cos(yaw), np.sin(yaw)], [-np.sin(yaw), np.cos(yaw)]])
        for leg, name in enumerate(LEGS):
            geom = model.geom(f"{name}_foot").id
            centre = data.geom_xpos[geom]
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_GEOM, geom, velocity, 0)
            np.testing.assert_allclose(stride.foot_velocity[env, leg].numpy(), velocity[3:], atol=2e-4)
            np.testing.assert_allclose(stride.foot[env, leg].numpy(), level @ (centre[:2] - data.qpos[:2]), atol=1e-5)
            lift = centre[2] - model.geom_size[geom, 0] - terrain.height(centre[0], centre[1])
            assert stride.lift[env, leg].item() == pytest.approx(lift, abs=1e-4)


def test_forces_are_the_feets_own(told: LocomotionTask) -> None:
    stride = walked(told)
    feet = [told.engine.colliders.index(f"{leg}_foot") for leg in LEGS]
    assert torch.equal(stride.force, told.engine.contact_force[:, feet])
    standing = stride.force[..., 2] > 1
    assert standing.any()
    assert (stride.loaded >= standing).all(), "and those that stood a moment ago count too"
    assert torch.equal(told.episode.more["stood"], standing)


def test_thighs_and_calves_that_touch_are_counted_once(told: LocomotionTask) -> None:
    colliders = told.engine.colliders
    force = torch.zeros(3, len(colliders), 3)
    for env, names in enumerate(([], ["FL_knee", "RR_shank0"], ["FL_shank0", "FL_shank1", "trunk0", "FR_foot"])):
        for name in names:
            force[env, colliders.index(name), 2] = 5.0
    assert told.transition.gait._collisions(force).tolist() == [0, 2, 1]


def test_joints_beyond_nine_tenths_of_their_range_overshoot(told: LocomotionTask) -> None:
    rules, c = told.transition.gait, told.constants
    middle, reach = (c.highest + c.lowest) / 2, (c.highest - c.lowest) / 2
    torch.testing.assert_close(rules.high, middle + 0.9 * reach)
    torch.testing.assert_close(rules.low, middle - 0.9 * reach)


def test_what_is_paid_is_what_is_logged_and_never_negative(told: LocomotionTask) -> None:
    told.metrics()
    paid = torch.stack([told.step(torch.randn(ENVS, 12)).reward for _ in range(10)])
    assert (paid >= 0).all()
    logged = told.metrics()
    assert logged["reward/total"].item() == pytest.approx(paid.mean().item() / 0.02, rel=1e-4)
    assert {"reward/swing_force", "reward/foothold", "reward/body_height"} <= logged.keys()


def test_a_saved_gait_goes_on_where_it_was(told: LocomotionTask) -> None:
    walked(told, 5)
    state, random = {name: value.clone() for name, value in told.state_dict().items()}, torch.get_rng_state()
    assert {"episode.more.behaviour", "episode.more.turn", "episode.more.stood"} <= state.keys()
    expected = [told.step(still(told)).observation.frame for _ in range(5)]
    other = make(ENVS, TOLD, seed=3)
    other.load_state_dict(state)
    torch.set_rng_state(random)
    for frame in expected:
        assert torch.equal(other.step(still(other)).observation.frame, frame)


def test_early_in_a_run_little_spoils_the_reward(told: LocomotionTask) -> None:
    """The share of penalties that is everyone's reaches the gait's as well."""
    paid = []
    for done in (0.0, 1.0):
        torch.manual_seed(2)
        begin(told, 100)
        told.schedule(done)
        paid.append(told.step(torch.randn(ENVS, 12)).reward)
    assert (paid[0] > 1.5 * paid[1]).all()
