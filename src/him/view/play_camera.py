"""A camera that walks beside the robot, calmly."""

import mujoco
import numpy as np
from numpy.typing import NDArray

from him.terrain import Terrain
from him.view.play_course import heading

Array = NDArray[np.float64]

DISTANCE = 2.7
"""Metres from the robot, for one 0.4 m high; smaller robots are looked at from closer."""

SIDE = 58.0
"""Degrees from straight behind: steps are seen in profile, and what comes next as well."""

ELEVATIONS = (-15.0, -22.0, -30.0, -40.0, -50.0)
"""Downward angles in degrees, the first from which the ground does not hide the robot."""

CLEAR = 0.25
"""Room between the line of sight and the ground in metres."""

POSITION, ANGLE = 0.25, 0.8
"""Seconds it takes to follow."""


class Camera:
    """Follows positions and headings, both smoothed."""

    def __init__(self, terrain: Terrain, standing_height: float, period: float) -> None:
        self.terrain, self.period = terrain, period
        self.distance = DISTANCE * (0.35 + 0.65 * standing_height / 0.4)
        self._at: Array | None = None

    def look(self, qpos: Array) -> mujoco.MjvCamera:
        """The view of a robot in this position, one period after the last."""
        at, turn = qpos[:3].copy(), np.rad2deg(heading(qpos)) + SIDE
        if self._at is None or np.linalg.norm(at - self._at) > self.distance:
            self._at, self._turn = at, turn
            self._down = self._free(at, turn)
        near, slow = self.period / POSITION, self.period / ANGLE
        self._at = self._at + near * (at - self._at)
        self._turn += slow * ((turn - self._turn + 180) % 360 - 180)
        self._down += slow * (self._free(self._at, self._turn) - self._down)
        camera = mujoco.MjvCamera()
        camera.lookat, camera.distance = self._at, self.distance
        camera.azimuth, camera.elevation = self._turn, self._down
        return camera

    def _free(self, at: Array, turn: float) -> float:
        """The flattest downward angle from which nothing stands in the way."""
        way = np.deg2rad(turn)
        share = np.linspace(0.3, 1.0, 8) * self.distance
        for elevation in ELEVATIONS:
            down = np.deg2rad(elevation)
            flat = share * np.cos(down)
            ground = self.terrain.height(at[0] - flat * np.cos(way), at[1] - flat * np.sin(way))
            if np.all(at[2] - share * np.sin(down) > ground + CLEAR):
                return elevation
        return ELEVATIONS[-1]
