"""What rewards see of ground and feet, against MuJoCo's own figures and the terrain's heights."""

import mujoco
import numpy as np
import torch

from him.env.settings import Randomisation, Rewards, TaskSettings
from him.robots import LEGS
from him.sim import model as builder
from him.terrain import grid
from tests.env.tasks import ROBOT, SMALL, begin, make, still


def test_corners_of_the_trunk_are_above_their_own_ground() -> None:
    task, terrain = make(8), grid(SMALL)
    rng = np.random.default_rng(4)
    qpos = task.engine.qpos.clone()
    qpos[:, :3] += torch.from_numpy(rng.uniform(-1.5, 1.5, (8, 3))).float()
    quats = rng.normal(size=(8, 4)) * [1.0, 0.2, 0.2, 1.0]
    quats /= np.linalg.norm(quats, axis=1, keepdims=True)
    qpos[:, 3:7] = torch.from_numpy(quats).float()
    zero = torch.zeros(8, 12)
    got = task.senses.motion(task.episode, zero, qpos, torch.zeros(8, 18), zero, zero[:, :4]).corners.numpy()
    half = np.asarray(ROBOT.trunk.box) / 2
    for row, quat, clear in zip(qpos.double().numpy(), quats, got, strict=True):
        for (x, y), clearance in zip(((1, 1), (1, -1), (-1, 1), (-1, -1)), clear, strict=True):
            turned = np.zeros(3)
            mujoco.mju_rotVecQuat(turned, np.array([x * half[0], y * half[1], 0.0]), quat)
            at = row[:3] + turned
            wanted = at[2] - terrain.height(at[0], at[1]) - ROBOT.base_height_target
            np.testing.assert_allclose(clearance, wanted, atol=1e-4)


def test_feet_that_bear_slip_as_fast_as_mujoco_moves_them() -> None:
    task, model = make(6), builder.build(ROBOT).compile()
    data, velocity = mujoco.MjData(model), np.zeros(6)
    rng = np.random.default_rng(5)
    qpos = task.engine.qpos.clone()
    quats = rng.normal(size=(6, 4))
    qpos[:, 3:7] = torch.from_numpy(quats / np.linalg.norm(quats, axis=1, keepdims=True)).float()
    qpos[:, 7:] += torch.from_numpy(rng.uniform(-0.3, 0.3, (6, 12))).float()
    qvel = torch.from_numpy(rng.normal(size=(6, 18))).float()
    bearing = torch.from_numpy(rng.uniform(size=(6, 4)) < 0.5)
    zero = torch.zeros(6, 12)
    slip = task.senses.motion(task.episode, zero, qpos, qvel, zero, bearing).slip
    assert (slip[~bearing] == 0).all()
    for env, leg in bearing.nonzero().tolist():
        data.qpos[:], data.qvel[:] = qpos[env].numpy(), qvel[env].numpy()
        mujoco.mj_forward(model, data)
        geom = model.geom(f"{LEGS[leg]}_foot").id
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_GEOM, geom, velocity, 0)
        np.testing.assert_allclose(slip[env, leg].item(), np.linalg.norm(velocity[3:]), rtol=1e-4)


def test_feet_bear_what_stands_on_them() -> None:
    """A robot that is dropped has no foot that slips until it lands."""
    task = make(4, TaskSettings(rewards=Rewards(foot_slip=-1.0), randomisation=Randomisation.none(), spawn_speed=0.0))
    begin(task, 100)
    task.engine.qpos[:, 2] += 0.3
    slipped = []
    for _ in range(40):
        task.metrics()
        task.step(still(task))
        slipped.append(task.metrics()["reward/foot_slip"].item())
    assert slipped[0] == 0.0
    assert min(slipped) < 0.0, "and what they do when they land is counted"
