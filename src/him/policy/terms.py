"""The observation terms of one policy frame: names, sizes and scales, in order.

This table is the only place where the scales stand. The training environment builds its frames from it
in torch, the controller builds them in NumPy, and an exported policy carries it in its metadata.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Term:
    """One group of numbers in the frame."""

    name: str
    size: int
    scale: tuple[float, ...]
    """One factor for every number of the term."""


OBS_TERMS = (
    Term("command", 3, (2.0, 2.0, 0.25)),
    Term("angular_velocity", 3, (0.25,) * 3),
    Term("gravity", 3, (1.0,) * 3),
    Term("joint_pos", 12, (1.0,) * 12),
    Term("joint_vel", 12, (0.05,) * 12),
    Term("last_action", 12, (1.0,) * 12),
)
"""Command (forward m/s, left m/s, turn rad/s), body angular velocity (rad/s), direction of gravity in the
body frame (unit vector), joint positions minus the default pose (rad), joint velocities (rad/s), and the
network's previous action after clipping."""

FRAME_SIZE = sum(term.size for term in OBS_TERMS)
HISTORY_LENGTH = 6
"""Frames the policy sees: the present one and the five before it."""

HISTORY_ORDER = "newest first"

JOINT_NAMES = tuple(f"{leg}_{joint}" for leg in ("FL", "FR", "RL", "RR") for joint in ("hip", "thigh", "calf"))
"""Joint order of every array in this project and of every exported policy."""

BEHAVIOUR = ("height", "frequency", "phase", "offset", "bound", "duty", "swing", "pitch", "roll", "width", "length")
"""How to walk, for policies that can be told (Walk These Ways): body height above the usual (m), steps a second, three
offsets between the feet (pronk 0, 0, 0; trot 0.5, 0, 0; bound 0, 0.5, 0; pace 0, 0, 0.5), share of a step on the
ground, height of a swinging foot (m), pitch (rad, nose up), roll (rad), and the feet's distance across and along the
body (m)."""
