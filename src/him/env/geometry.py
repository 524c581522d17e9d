"""Rotations and leg kinematics in torch, for whole batches."""

import torch
from torch import Tensor

from him.robots import Robot
from him.robots.table import Array


def to_body(quat: Tensor, vector: Tensor) -> Tensor:
    """A world vector in the frame of a body turned by a unit quaternion w, x, y, z."""
    w, axis = quat[..., :1], quat[..., 1:]
    twice = 2 * torch.linalg.cross(axis, vector, dim=-1)
    return vector - w * twice + torch.linalg.cross(axis, twice, dim=-1)


def to_world(quat: Tensor, vector: Tensor) -> Tensor:
    """A body's vector in the world frame."""
    return to_body(torch.cat([quat[..., :1], -quat[..., 1:]], -1), vector)


def gravity_direction(quat: Tensor) -> Tensor:
    """Unit vector of gravity in the body frame."""
    w, x, y, z = quat.unbind(-1)
    return torch.stack([2 * (w * y - x * z), -2 * (w * x + y * z), 2 * (x * x + y * y) - 1], -1)


def heading(quat: Tensor) -> Tensor:
    """Yaw angle."""
    w, x, y, z = quat.unbind(-1)
    return torch.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))


def facing(quat: Tensor) -> Tensor:
    """Cosine and sine of the yaw angle (N, 2)."""
    yaw = heading(quat)
    return torch.stack([torch.cos(yaw), torch.sin(yaw)], -1)


def yaw_quat(yaw: Tensor) -> Tensor:
    """Quaternion of a turn about the vertical."""
    zero = torch.zeros_like(yaw)
    return torch.stack([torch.cos(yaw / 2), zero, zero, torch.sin(yaw / 2)], -1)


def corners(box: Array, device: torch.device) -> Tensor:
    """The four upright edges of a box, front left and right, then rear, at half its height (4, 3)."""
    x, y, _ = (float(side) / 2 for side in box)
    return torch.tensor([[x, y, 0.0], [x, -y, 0.0], [-x, y, 0.0], [-x, -y, 0.0]], device=device)


class Feet:
    """Positions and velocities of the feet in the trunk's frame."""

    def __init__(self, robot: Robot, device: torch.device) -> None:
        def per_leg(pick: str) -> Tensor:
            rows = [getattr(leg, pick).origin for leg in robot.legs]
            return torch.tensor([[float(v) for v in row] for row in rows], device=device)

        self.hip, self.thigh, self.calf = per_leg("hip"), per_leg("thigh"), per_leg("calf")
        spheres = [[float(v) for v in leg.foot.origin + leg.foot.sphere] for leg in robot.legs]
        self.foot = torch.tensor(spheres, device=device)

    def __call__(self, joint_pos: Tensor, joint_vel: Tensor) -> tuple[Tensor, Tensor]:
        """From angles and rates (N, 12) to positions and velocities (N, 4, 3)."""
        angle, rate = joint_pos.view(-1, 4, 3), joint_vel.view(-1, 4, 3)
        zero = torch.zeros_like(angle)
        p, v = _turn(self.foot.expand_as(zero), zero, angle[..., 2], rate[..., 2], 2, 0, 1)
        p, v = _turn(p + self.calf, v, angle[..., 1], rate[..., 1], 2, 0, 1)
        p, v = _turn(p + self.thigh, v, angle[..., 0], rate[..., 0], 1, 2, 0)
        return p + self.hip, v


def _turn(p: Tensor, v: Tensor, angle: Tensor, rate: Tensor, i: int, j: int, axis: int) -> tuple[Tensor, Tensor]:
    """Rotate points and their velocities about an axis that itself turns at `rate`."""
    cos, sin = torch.cos(angle), torch.sin(angle)
    a, b = cos * p[..., i] - sin * p[..., j], sin * p[..., i] + cos * p[..., j]
    va = cos * v[..., i] - sin * v[..., j] - rate * b
    vb = sin * v[..., i] + cos * v[..., j] + rate * a
    new_p, new_v = [p[..., axis]] * 3, [v[..., axis]] * 3
    new_p[i], new_p[j], new_v[i], new_v[j] = a, b, va, vb
    return torch.stack(new_p, -1), torch.stack(new_v, -1)
