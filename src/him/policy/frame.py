"""One policy frame of 45 numbers from what the sensors say."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from him.policy.terms import OBS_TERMS

Array = NDArray[np.float64]

SCALES = np.concatenate([term.scale for term in OBS_TERMS])
"""Factor of each of the 45 numbers."""

UNIT_TOLERANCE = 0.05
"""How far from 1 the length of a unit vector or quaternion may be; a real IMU stays within 0.01."""


def gravity_direction(quaternion: ArrayLike) -> Array:
    """Direction of gravity in the body frame, a unit vector, from the body's attitude (w, x, y, z).

    A level robot reads (0, 0, -1). Feeding an accelerometer's 9.7 here has made policies blow up, so the
    quaternion must be one: any other length is refused rather than normalised away.
    """
    q = np.asarray(quaternion, dtype=np.float64)
    length = np.linalg.norm(q, axis=-1, keepdims=True)
    if not np.all(np.abs(length - 1.0) < UNIT_TOLERANCE):
        raise ValueError(f"a quaternion has length 1, not {_worst(length):.3g}")
    w, x, y, z = np.moveaxis(q / length, -1, 0)
    return np.stack([2.0 * (w * y - x * z), -2.0 * (w * x + y * z), 2.0 * (x * x + y * y) - 1.0], axis=-1)


def frame(
    command: ArrayLike,
    angular_velocity: ArrayLike,
    gravity: ArrayLike,
    joint_pos: ArrayLike,
    joint_vel: ArrayLike,
    last_action: ArrayLike,
    scales: ArrayLike = SCALES,
) -> NDArray[np.float32]:
    """Scaled frame (..., 45) from the terms of `OBS_TERMS`; `joint_pos` is already minus the default pose.

    A policy trained with other scales names them in its contract; they go in as `scales`.
    """
    parts = (command, angular_velocity, gravity, joint_pos, joint_vel, last_action)
    values = [np.asarray(part, dtype=np.float64) for part in parts]
    for term, value in zip(OBS_TERMS, values, strict=True):
        if value.shape[-1:] != (term.size,):
            raise ValueError(f"{term.name} has {term.size} numbers, not an array of shape {value.shape}")
    length = np.linalg.norm(values[2], axis=-1)
    if not np.all(np.abs(length - 1.0) < UNIT_TOLERANCE):
        raise ValueError(
            f"gravity must be a unit vector in the body frame, not one of length {_worst(length):.3g}: "
            "feed the direction of gravity, not the accelerometer"
        )
    return (np.concatenate(values, axis=-1) * np.asarray(scales)).astype(np.float32)


def _worst(length: Array) -> float:
    """The length farthest from 1, for the message; a value that is not a number counts as farthest."""
    off = np.abs(length - 1.0)
    return float(length.flat[int(np.argmax(np.where(np.isfinite(off), off, np.inf)))])
