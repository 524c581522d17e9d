"""What the policy and the critic see. Scales of the frame are the policy contract's own."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from him.env.settings import Noise
from him.policy.terms import OBS_TERMS, Term

VELOCITY_SCALE = 2.0
"""Of the base velocity in the critic's view (release)."""

FORCE_SCALE = 1.0 / 30.0
"""Of the external force: the largest becomes 1. The release feeds newtons."""

HEIGHT_SCALE = 5.0
"""Of the heights, after clipping to +-1 m (release)."""

SCAN_X, SCAN_Y = (-0.8, 0.8, 17), (-0.5, 0.5, 11)
"""Grid of the critic's height scan, 187 points (release)."""

UNDER_X, UNDER_Y = (-0.15, 0.15, 3), (-0.1, 0.1, 3)
"""Points under the base whose mean height the base height is measured from."""


def scales(device: torch.device, terms: Sequence[Term] = OBS_TERMS) -> Tensor:
    """Factor of each number of a frame."""
    return torch.tensor([s for term in terms for s in term.scale], device=device, dtype=torch.float32)


def noise_widths(noise: Noise, device: torch.device, terms: Sequence[Term] = OBS_TERMS) -> Tensor:
    """Half-width of the noise of each number of a frame, in scaled units."""
    raw = {
        "angular_velocity": noise.angular_velocity,
        "gravity": noise.gravity,
        "joint_pos": noise.joint_pos,
        "joint_vel": noise.joint_vel,
    }
    widths = [raw.get(term.name, 0.0) * noise.scale for term in terms for _ in range(term.size)]
    return torch.tensor(widths, device=device) * scales(device, terms)


def points(x: tuple[float, float, int], y: tuple[float, float, int], device: torch.device) -> Tensor:
    """A grid of points in the heading frame, x-major (points, 2)."""
    grid = torch.meshgrid(torch.linspace(*x), torch.linspace(*y), indexing="ij")
    return torch.stack([g.flatten() for g in grid], -1).to(device)


def around(position: Tensor, facing: Tensor, points: Tensor) -> tuple[Tensor, Tensor]:
    """World x and y (N, points) of points given in the heading frame of each robot (`geometry.facing`)."""
    cos, sin = facing[:, :1], facing[:, 1:]
    x, y = points[:, 0], points[:, 1]
    return position[:, :1] + cos * x - sin * y, position[:, 1:2] + sin * x + cos * y


def frame(parts: Mapping[str, Tensor], terms: Sequence[Term], scales: Tensor) -> Tensor:
    """The numbers of the policy's frame, scaled, without noise."""
    return torch.cat([parts[term.name] for term in terms], -1) * scales


def extra(velocity: Tensor, force: Tensor, clearance: Tensor) -> Tensor:
    """What the critic sees besides: velocity, external force (both in the body frame) and the scan.

    `clearance` is how far the ground lies above (-) or below (+) where a standing robot's feet are (N, 187).
    """
    heights = clearance.clamp(-1.0, 1.0) * HEIGHT_SCALE
    return torch.cat([velocity * VELOCITY_SCALE, force * FORCE_SCALE, heights], -1)
