"""Where the feet are, given the joint angles. NumPy, for any number of poses at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from him.robots.table import Leg, Robot

Array = NDArray[np.float64]

UPRIGHT = (1.0, 0.0, 0.0, 0.0)


def feet(robot: Robot, joint_pos: ArrayLike) -> Array:
    """Centres of the four contact spheres in the trunk's frame: (..., 12) angles to (..., 4, 3) metres."""
    angles = np.asarray(joint_pos, dtype=np.float64)
    angles = angles.reshape(*angles.shape[:-1], 4, 3)
    return np.stack([_foot(leg, angles[..., i, :]) for i, leg in enumerate(robot.legs)], axis=-2)


def base_height(robot: Robot, joint_pos: ArrayLike, quat: ArrayLike = UPRIGHT) -> Array:
    """Height of a trunk turned by `quat` over flat ground that its lowest foot touches (its origin's z)."""
    radii = np.array([leg.foot.radius for leg in robot.legs])
    below = radii - feet(robot, joint_pos) @ _up_in_body(np.asarray(quat, dtype=np.float64))
    return below.max(axis=-1)


def _foot(leg: Leg, angles: Array) -> Array:
    hip, thigh, calf = np.moveaxis(angles, -1, 0)
    point = np.broadcast_to(leg.foot.origin + leg.foot.sphere, (*hip.shape, 3))
    point = leg.calf.origin + _turn(point, calf, axis=1)
    point = leg.thigh.origin + _turn(point, thigh, axis=1)
    return leg.hip.origin + _turn(point, hip, axis=0)


def _turn(point: Array, angle: Array, axis: int) -> Array:
    """Rotate points about one of the coordinate axes."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    turned = np.array(point)
    cos, sin = np.cos(angle), np.sin(angle)
    turned[..., i] = cos * point[..., i] - sin * point[..., j]
    turned[..., j] = sin * point[..., i] + cos * point[..., j]
    return turned


def _up_in_body(quat: Array) -> Array:
    """The world's z axis seen from a body turned by a unit quaternion w, x, y, z."""
    w, x, y, z = quat
    return np.array([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)])
