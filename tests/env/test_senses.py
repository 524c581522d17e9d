"""What rewards see of the ground, against MuJoCo's rotations and the terrain's own heights."""

import mujoco
import numpy as np
import torch

from him.terrain import grid
from tests.env.tasks import ROBOT, SMALL, make


def test_corners_of_the_trunk_are_above_their_own_ground() -> None:
    task, terrain = make(8), grid(SMALL)
    rng = np.random.default_rng(4)
    qpos = task.engine.qpos.clone()
    qpos[:, :3] += torch.from_numpy(rng.uniform(-1.5, 1.5, (8, 3))).float()
    quats = rng.normal(size=(8, 4)) * [1.0, 0.2, 0.2, 1.0]
    quats /= np.linalg.norm(quats, axis=1, keepdims=True)
    qpos[:, 3:7] = torch.from_numpy(quats).float()
    zero = torch.zeros(8, 12)
    got = task.senses.motion(task.episode, zero, qpos, torch.zeros(8, 18), zero).corners.numpy()
    half = np.asarray(ROBOT.trunk.box) / 2
    for row, quat, clear in zip(qpos.double().numpy(), quats, got, strict=True):
        for (x, y), clearance in zip(((1, 1), (1, -1), (-1, 1), (-1, -1)), clear, strict=True):
            turned = np.zeros(3)
            mujoco.mju_rotVecQuat(turned, np.array([x * half[0], y * half[1], 0.0]), quat)
            at = row[:3] + turned
            wanted = at[2] - terrain.height(at[0], at[1]) - ROBOT.base_height_target
            np.testing.assert_allclose(clearance, wanted, atol=1e-4)
