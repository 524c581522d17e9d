"""Where and how an episode starts: on a tile's platform, legs anyhow, feet just above the ground."""

import math

import torch
from torch import Tensor

from him.env.episode import Constants
from him.env.geometry import Feet, yaw_quat
from him.env.settings import TaskSettings
from him.sim.heights import Heights

DRAWS = 9
"""Uniform numbers besides the joints' factors: x, y, yaw and six velocities."""

SPREAD = 0.6
"""How far from the platform's centre robots start, as a share of its half-size."""

GAP = 0.02
"""Air under the lowest foot, in metres."""

FOOTPRINT = (-0.3, 0.3, 3)
"""Where the ground is probed around the start, along x and y in metres (first, last, how many): nobody starts inside
an obstacle."""


def start(
    uniform: Tensor, column: Tensor, row: Tensor, c: Constants, feet: Feet, heights: Heights, settings: TaskSettings
) -> tuple[Tensor, Tensor]:
    """Positions (N, 19) and velocities (N, 18) from uniform numbers (N, DRAWS + joints)."""
    at = c.centre[column, row] + (2 * uniform[:, :2] - 1) * (SPREAD * c.platform)
    yaw = (2 * uniform[:, 2] - 1) * math.pi
    low, high = settings.randomisation.joints
    joints = (c.pose * (low + (high - low) * uniform[:, DRAWS:])).clamp(c.lowest, c.highest)
    foot, _ = feet(joints, torch.zeros_like(joints))
    probes = torch.linspace(*FOOTPRINT, device=at.device)
    x, y = torch.meshgrid(probes, probes, indexing="ij")
    ground = heights(at[:, :1] + x.flatten(), at[:, 1:] + y.flatten()).amax(-1)
    z = ground + c.foot_radius + GAP - foot[..., 2].amin(-1)
    qpos = torch.cat([at, z[:, None], yaw_quat(yaw), joints], -1)
    base = (2 * uniform[:, 3:DRAWS] - 1) * settings.spawn_speed
    return qpos, torch.cat([base, torch.zeros_like(joints)], -1)
