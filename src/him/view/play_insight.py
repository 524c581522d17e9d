"""What no robot measures but a simulation knows, for policies that were trained with it: the oracle's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from him.robots import Robot
from him.terrain import Terrain

Array = NDArray[np.float64]


class Insight:
    """The critic's view of training, of one robot that nobody pushes."""

    def __init__(self, robot: Robot, terrain: Terrain) -> None:
        import torch

        from him.env import observations
        from him.sim.heights import Heights

        self._heights = Heights(terrain, "cpu")
        self._scan = observations.points(observations.SCAN_X, observations.SCAN_Y, torch.device("cpu"))
        self._standing = robot.standing_height

    def __call__(self, qpos: Array, velocity: Array) -> NDArray[np.float32]:
        """Base velocity in the body frame, external force and the heights around."""
        import torch

        from him.env import geometry, observations

        pose = torch.from_numpy(qpos[None]).float()
        ground = self._heights(*observations.around(pose[:, :3], geometry.facing(pose[:, 3:7]), self._scan))
        moving, force = torch.from_numpy(velocity[None]).float(), torch.zeros(1, 3)
        return observations.extra(moving, force, pose[:, 2:3] - self._standing - ground)[0].numpy()
